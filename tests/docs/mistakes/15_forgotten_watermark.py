"""Timestamps, but no watermarks: silence.

The classic. Kafka's records have timestamps, but nothing says how far event time is: windows wait until the input
ends, and this one never does. The program warns when it is executed. Give the source a strategy, here
`WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(5))`.
"""

from flott.common import SimpleStringSchema, Time, WatermarkStrategy
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.kafka import KafkaSource
from flott.datastream.window import TumblingEventTimeWindows

env = StreamExecutionEnvironment.get_execution_environment()
kafka = KafkaSource.builder().set_bootstrap_servers("kafka:9092").set_topics("clicks").set_group_id("counts")
source = kafka.set_value_only_deserializer(SimpleStringSchema()).build()
clicks = env.from_source(source, WatermarkStrategy.no_watermarks(), "clicks")
windows = clicks.key_by(lambda click: click).window(TumblingEventTimeWindows.of(Time.seconds(1)))
windows.reduce(lambda one, other: other).print()
env.get_execution_plan()
