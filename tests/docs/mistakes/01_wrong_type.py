"""A value of another type than was declared.

Return what was declared, or declare what is returned.
"""

from flott.common import Row, Types
from flott.datastream import StreamExecutionEnvironment

ORDER = Types.ROW_NAMED(["user", "amount"], [Types.STRING(), Types.LONG()])

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(["ann 3", "bob"]).map(lambda line: Row(*line.split()), output_type=ORDER).name("parse").print()
env.execute("orders")
