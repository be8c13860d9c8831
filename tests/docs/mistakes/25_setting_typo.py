"""A setting that can't be read.

The message names the key, the value and the form that is wanted.
"""

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment

configuration = Configuration().set_string("execution.checkpointing.interval", "10 secs.")
env = StreamExecutionEnvironment.get_execution_environment(configuration)
env.from_collection([1]).print()
env.execute()
