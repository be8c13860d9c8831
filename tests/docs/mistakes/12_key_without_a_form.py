"""A key that can't be a key.

A key is a plain value, a tuple of such, a Row or a frozen dataclass. Of a dict, take one of its values.
"""

from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
pairs = env.from_collection([({"user": "ann"}, 1)])
pairs.key_by(lambda pair: pair[0]).reduce(lambda one, other: other).print()
env.execute()
