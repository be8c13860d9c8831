"""A function that holds a lock, a file or a connection.

Functions travel to workers. What can't travel is made there: in `open()` of a function class.
"""

import threading

from flott.datastream import StreamExecutionEnvironment

lock = threading.Lock()


def careful(value):
    with lock:
        return value


env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1, 2]).map(careful).print()
