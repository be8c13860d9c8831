"""A state that was a value and is now a list.

A state keeps its kind and a type that can read the old one. Use another name, or rewrite the savepoint ([state
processor](state-processor.md)).
"""

from flott.common import Configuration, Types, WatermarkStrategy
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.datagen import DataGeneratorSource

from counted_numbers import Count, savepoint

path = savepoint()

from flott.datastream.state import ListStateDescriptor


# -- program --
class Listed(Count):
    def open(self, runtime_context):
        self.count = runtime_context.get_list_state(ListStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.add(value)


configuration = Configuration().set_string("execution.state-recovery.path", path)
env = StreamExecutionEnvironment.get_execution_environment(configuration)
env.set_parallelism(1)
numbers = env.from_source(DataGeneratorSource(lambda n: n % 3, 100), WatermarkStrategy.no_watermarks(), "n").uid("n")
numbers.key_by(lambda n: n).process(Listed()).uid("count").print().uid("print")
env.execute("counts")
