"""Java is missing.

`make setup` installs it where that is allowed; `flott doctor` looks for everything else too.
"""

import os

before = {name: os.environ.get(name) for name in ("PATH", "JAVA_HOME")}
os.environ["PATH"] = ""
os.environ.pop("JAVA_HOME", None)

# -- program --
from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment

on_spark = Configuration().set_string("flott.execution.target", "spark")
env = StreamExecutionEnvironment.get_execution_environment(on_spark)
env.from_collection([1]).print()
env.execute()
