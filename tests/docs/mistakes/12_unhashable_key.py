"""A key that can't be a key.

A key is a plain value: text, a number, a tuple of them. Make a tuple of a list.
"""

from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pairs = env.from_collection([(["a", "b"], 1)])
pairs.key_by(lambda pair: pair[0]).reduce(lambda one, other: other).print()
env.execute()
