"""State read in `open()`.

Keyed state belongs to the key of a record, and in `open()` there is none.
"""

from flott.common import Types
from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from flott.datastream.state import ValueStateDescriptor


class Count(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))
        if self.count.value() is None:
            self.count.update(0)

    def process_element(self, value, ctx):
        self.count.update(self.count.value() + 1)
        yield self.count.value()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(["a", "b"]).key_by(lambda value: value).process(Count()).name("count").uid("count").print()
env.execute()
