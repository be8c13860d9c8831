"""`yield` in a function that returns one value.

`map` returns one value. A function that yields any number belongs into `flat_map` or `process`.
"""

from flott.datastream import StreamExecutionEnvironment


def letters(word):
    yield from word


env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection(["to", "be"]).map(letters).print()
