"""A function with the wrong number of parameters.

`reduce` combines two values. Found when the graph is built, with the form that is wanted.
"""

from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
words = env.from_collection([("to", 1), ("be", 1)])
words.key_by(lambda word: word[0]).reduce(lambda word: word[1]).print()
