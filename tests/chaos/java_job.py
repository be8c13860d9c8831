"""A job on an embedded Spark whose Java is killed: writes numbers exactly once, and its Java's process id to a file."""

from __future__ import annotations

import sys
from pathlib import Path

from flott.common import Configuration, WatermarkStrategy
from flott.common.serialization import Encoder
from flott.connectors.bucket_assigners import BucketAssigner
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.file_sink import FileSink
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import StreamExecutionEnvironment

directory, count = Path(sys.argv[1]), int(sys.argv[2])
settings = {
    "flott.spark.master": "local[2]",
    "execution.checkpointing.interval": "500 ms",
    "execution.checkpointing.dir": str(directory / "checkpoints"),
}
configuration = Configuration()
for key, value in settings.items():
    configuration.set_string(key, value)
env = StreamExecutionEnvironment.get_execution_environment(configuration)
env.set_parallelism(2)
source = DataGeneratorSource(lambda index: index, count, RateLimiterStrategy.per_second(300))
sink = FileSink.for_row_format(str(directory / "out"), Encoder.simple_string_encoder())
numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
numbers.sink_to(sink.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build())
env.execute("java dies")
