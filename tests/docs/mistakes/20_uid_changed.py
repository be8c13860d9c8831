"""An operator whose uid is not in the savepoint.

State is found by uid. Give the operator the uid that it had; or drop the state on purpose with `flott run -n`.
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
numbers.key_by(lambda n: n).process(Count()).uid("counts").print().uid("print")  # it was "count"
env.execute("counts")
