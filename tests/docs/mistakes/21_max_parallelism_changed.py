"""Another max parallelism than the savepoint has.

Keys are stored by key group, and their number is the max parallelism.
"""

from flott.common import Configuration, WatermarkStrategy
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.datagen import DataGeneratorSource

from counted_numbers import Count, savepoint

path = savepoint()

# -- program --
configuration = Configuration().set_string("execution.state-recovery.path", path)
env = StreamExecutionEnvironment.get_execution_environment(configuration)
env.set_parallelism(1)
numbers = env.from_source(DataGeneratorSource(lambda n: n % 3, 100), WatermarkStrategy.no_watermarks(), "n").uid("n")
env.set_max_parallelism(256)
numbers.key_by(lambda n: n).process(Count()).uid("count").print().uid("print")
env.execute("counts")
