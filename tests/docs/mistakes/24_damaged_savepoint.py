"""A savepoint that is damaged.

Every file has a checksum. Take another savepoint, or a retained checkpoint: `flott checkpoints JOB`.
"""

from flott.common import Configuration, WatermarkStrategy
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.datagen import DataGeneratorSource

from counted_numbers import Count, savepoint

path = savepoint()

from pathlib import Path

metadata = Path(path, "_metadata")
metadata.write_bytes(metadata.read_bytes()[:-20])

# -- program --
configuration = Configuration().set_string("execution.state-recovery.path", path)
env = StreamExecutionEnvironment.get_execution_environment(configuration)
env.set_parallelism(1)
numbers = env.from_source(DataGeneratorSource(lambda n: n % 3, 100), WatermarkStrategy.no_watermarks(), "n").uid("n")
numbers.key_by(lambda n: n).process(Count()).uid("count").print().uid("print")
env.execute("counts")
