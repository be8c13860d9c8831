"""Kafka to keyed windows to Kafka, exactly once: the job that tests break in every way."""

from __future__ import annotations

from confluent_kafka import Producer

from flott.common import SimpleStringSchema, Types, WatermarkStrategy
from flott.datastream import ProcessWindowFunction
from flott.datastream.connectors.kafka import (
    DeliveryGuarantee,
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from flott.datastream.window import TumblingEventTimeWindows

KEYS, PARTITIONS = 5, 2
WINDOW = 50
FIRST_TIME = 1_000


class Total(ProcessWindowFunction):
    """Counts and adds up the numbers of a key."""

    def process(self, key, context, elements):
        numbers = [int(number) for _, number in elements]
        yield f"{key} {context.window().start} {len(numbers)} {sum(numbers)}"


def build(env, servers, topic, out, *, bounded=False, before=None):
    source = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(topic).set_group_id(f"group-{out}")
    source = source.set_value_only_deserializer(SimpleStringSchema())
    if bounded:
        source = source.set_bounded(KafkaOffsetsInitializer.latest())
    serializer = KafkaRecordSerializationSchema.builder().set_topic(out)
    serializer = serializer.set_value_serialization_schema(SimpleStringSchema()).build()
    sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(serializer)
    sink = sink.set_delivery_guarantee(DeliveryGuarantee.EXACTLY_ONCE).set_transactional_id_prefix(f"tx-{out}").build()
    stream = env.from_source(source.build(), WatermarkStrategy.for_monotonous_timestamps(), "in").uid("in")
    if before is not None:
        stream = stream.map(before, Types.STRING()).uid("before")
    pairs = stream.map(lambda text: tuple(text.split()), Types.TUPLE([Types.STRING(), Types.STRING()])).uid("pairs")
    windows = pairs.key_by(lambda pair: pair[0], Types.STRING()).window(TumblingEventTimeWindows.of(WINDOW))
    windows.process(Total(), Types.STRING()).uid("totals").sink_to(sink).uid("out")


class Feeder:
    """Sends numbers, one millisecond of event time each, round keys and partitions."""

    def __init__(self, servers, topic, logger, partitions=PARTITIONS):
        self.producer = Producer({"bootstrap.servers": servers, "linger.ms": 0}, logger=logger)
        self.topic = topic
        self.partitions = partitions
        self.sent = 0

    def send(self, count):
        for number in range(self.sent, self.sent + count):
            self.producer.produce(
                self.topic, f"k{number % KEYS} {number}",
                partition=number % self.partitions, timestamp=FIRST_TIME + number,
            )  # fmt: skip
        self.sent += count
        assert self.producer.flush(60) == 0


def expected(sent):
    """Return what must come out for so many numbers."""
    windows = {}
    for number in range(sent):
        time = FIRST_TIME + number
        windows.setdefault((number % KEYS, time - time % WINDOW), []).append(number)
    return sorted(f"k{key} {start} {len(numbers)} {sum(numbers)}" for (key, start), numbers in windows.items())
