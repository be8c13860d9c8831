"""Keyed state on a stream without keys.

Put `key_by(...)` before the step that keeps state per key.
"""

from flott.common import Types
from flott.datastream import ProcessFunction, StreamExecutionEnvironment
from flott.datastream.state import ValueStateDescriptor


class Count(ProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        yield self.count.value()


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(["a", "b"]).process(Count()).name("count").print()
env.execute()
