"""A port that is in use.

`rest.port: 0` takes any free port, `rest.bind-port: 8081-8180` the first of a range.
"""

import socket

taken = ENDS.enter_context(socket.socket())
taken.bind(("127.0.0.1", 0))
taken.listen()
PORT = taken.getsockname()[1]

# -- program --
from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment

configuration = Configuration().set_integer("rest.port", PORT)
env = StreamExecutionEnvironment.get_execution_environment(configuration)
env.from_collection([1]).print()
env.execute()
