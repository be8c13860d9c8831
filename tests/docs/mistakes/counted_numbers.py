"""The surroundings of mistakes with a savepoint: a job that counts numbers, and a savepoint of it."""

from flott.common import Types, WatermarkStrategy
from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from flott.datastream.connectors.datagen import DataGeneratorSource
from flott.datastream.state import ValueStateDescriptor


class Count(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)


def savepoint(directory="savepoints"):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    source = DataGeneratorSource(lambda n: n % 3, 10**12)
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "n").uid("n")
    numbers.key_by(lambda n: n).process(Count()).uid("count").print().uid("print")
    return env.execute_async("counts").stop_with_savepoint(False, directory).result()
