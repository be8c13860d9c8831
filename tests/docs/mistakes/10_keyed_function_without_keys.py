"""A keyed function on a stream without keys.

The same mistake, seen earlier: a `KeyedProcessFunction` needs `key_by(...)` before it.
"""

from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment


class Seen(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield ctx.get_current_key()


env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection(["a", "b"]).process(Seen()).print()
