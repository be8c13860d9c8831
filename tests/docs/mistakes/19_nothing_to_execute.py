"""Executed twice, or with nothing built.

`execute` runs what was built since the last one.
"""

from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1]).map(lambda n: n + 1).print()
env.execute()
env.execute()
