"""A stream used inside of a function.

A function sees one record. To bring two streams together, join or connect them.
"""

from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
prices = env.from_collection([("pen", 3)])
env.from_collection(["pen"]).map(lambda item: prices.filter(lambda price: price[0] == item)).print()
