"""Event-time windows over records without timestamps.

Event time needs two things: when a record happened, and how far the stream is. Both come from
`assign_timestamps_and_watermarks`.
"""

from flott.common import Time
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.window import TumblingEventTimeWindows

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
clicks = env.from_collection([("ann", 500), ("ann", 700)])
windows = clicks.key_by(lambda click: click[0]).window(TumblingEventTimeWindows.of(Time.seconds(1)))
windows.reduce(lambda one, other: other).print()
env.execute()
