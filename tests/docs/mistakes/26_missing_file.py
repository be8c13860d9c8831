"""A file that is not there.

Paths are those of the driver and of all workers.
"""

from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.read_text_file("order/2026-11-16.txt").print()
env.execute()
