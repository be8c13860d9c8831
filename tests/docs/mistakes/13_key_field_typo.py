"""A key field that does not exist.

The message lists the fields of the stream's type.
"""

from flott.common import Row, Types
from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
orders = env.from_collection([Row("ann", 3)], Types.ROW_NAMED(["user", "amount"], [Types.STRING(), Types.LONG()]))
orders.key_by("usr").sum("amount").print()
