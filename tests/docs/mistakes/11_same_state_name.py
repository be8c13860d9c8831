"""Two states of one name.

The name is how a savepoint finds a state. Give each its own.
"""

from flott.common import Types
from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from flott.datastream.state import ListStateDescriptor, ValueStateDescriptor


class Last(KeyedProcessFunction):
    def open(self, runtime_context):
        self.last = runtime_context.get_state(ValueStateDescriptor("last", Types.STRING()))
        self.all = runtime_context.get_list_state(ListStateDescriptor("last", Types.STRING()))

    def process_element(self, value, ctx):
        self.last.update(value)
        self.all.add(value)


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(["a"]).key_by(lambda value: value).process(Last()).name("last").uid("last").print()
env.execute()
