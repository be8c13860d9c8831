"""A timestamp that is no whole number of milliseconds.

Timestamps are milliseconds since 1970, as `int`. For a `datetime`: `int(when.timestamp() * 1000)`.
"""

from datetime import datetime, timezone

from flott.common import WatermarkStrategy
from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
event_time = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda click, _: click[1])
clicks = env.from_collection([("ann", datetime(2026, 11, 16, tzinfo=timezone.utc))])
clicks.assign_timestamps_and_watermarks(event_time).print()
env.execute()
