"""`return` in a function that yields.

`process_element` yields its results, or returns something that can be gone over, such as a list.
"""

from flott.datastream import ProcessFunction, StreamExecutionEnvironment


class Double(ProcessFunction):
    def process_element(self, value, ctx):
        return value * 2


env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 2]).process(Double()).name("double").print()
env.execute()
