"""More subtasks than key groups.

The max parallelism is fixed once there is state. Choose it for the largest job you will ever run.
"""

from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_max_parallelism(8)
env.set_parallelism(16)
env.from_collection(["a"]).key_by(lambda value: value).reduce(lambda one, other: other).print()
env.execute()
