"""A savepoint path where there is none.

Give the directory that `flott stop` or `flott savepoint` printed.
"""

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment

configuration = Configuration().set_string("execution.state-recovery.path", "savepoints/savepoint-5f2c07")
env = StreamExecutionEnvironment.get_execution_environment(configuration)
env.from_collection([1]).print()
env.execute()
