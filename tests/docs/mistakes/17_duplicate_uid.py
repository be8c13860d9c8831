"""Two operators with one uid.

A uid is the name of one operator's state.
"""

from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
words = env.from_collection(["to", "be"]).map(str.upper).uid("words")
words.map(str.lower).uid("words").print()
env.execute()
