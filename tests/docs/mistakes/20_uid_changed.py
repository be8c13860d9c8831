"""An operator whose uid is not in the savepoint.

State is found by uid. Give the operator the uid that it had; or drop the state on purpose with `flott run -n`.
"""

from flott.common import Configuration, Types, WatermarkStrategy
from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from flott.datastream.connectors.datagen import DataGeneratorSource
from flott.datastream.state import ValueStateDescriptor


class Count(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)


def savepoint(uid="count", directory="savepoints"):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    numbers = env.from_source(DataGeneratorSource(lambda n: n % 3, 10**12), WatermarkStrategy.no_watermarks(), "n").uid(
        "n"
    )
    numbers.key_by(lambda n: n).process(Count()).uid(uid).print().uid("print")
    return env.execute_async("counts").stop_with_savepoint(False, directory).result()


path = savepoint()

# -- program --
configuration = Configuration().set_string("execution.state-recovery.path", path)
env = StreamExecutionEnvironment.get_execution_environment(configuration)
env.set_parallelism(1)
numbers = env.from_source(DataGeneratorSource(lambda n: n % 3, 100), WatermarkStrategy.no_watermarks(), "n").uid("n")
numbers.key_by(lambda n: n).process(Count()).uid("counts").print().uid("print")  # it was "count"
env.execute("counts")
