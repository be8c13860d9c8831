"""A function that fails on a record.

The message has the operator, the record and the line of your function. Catch what may come, and send such records to
a [side output](howto/side-outputs.md).
"""

from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(["12", "x"]).map(lambda text: int(text)).name("parse").print()
env.execute("numbers")
