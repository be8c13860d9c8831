"""Writes numbers exactly once: flott run starting_program.py OUT COUNT RATE; settings come from the command line."""

from __future__ import annotations

import sys

from tests.failing_jobs import text_sink

from flott.common import WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import StreamExecutionEnvironment

out, count, rate = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
limit = RateLimiterStrategy.per_second(rate)
numbers = env.from_source(DataGeneratorSource(int, count, limit), WatermarkStrategy.no_watermarks(), "numbers")
numbers.uid("numbers").map(str).uid("text").sink_to(text_sink(out)).uid("out")
env.execute("started again")
