"""A call that needs Java objects.

Connectors are Python here; no jar is needed.
"""

from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.add_jars("file:///jars/flink-sql-connector-kafka.jar")
