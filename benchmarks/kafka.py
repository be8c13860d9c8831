"""How fast the Kafka source reads, against librdkafka's mock cluster in a process of its own.

    python benchmarks/kafka.py [--topics 2] [--master "local[2]"]

Fills topics of four partitions with messages of 40 bytes and reads them in a job: source → map → discard. The mock
cluster keeps at most 100 000 messages, or 5 MB, per partition; hence the number of topics. The rate is that of the
epochs after the first, which starts workers and connections.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from confluent_kafka import Producer

from flott.common import Configuration, SimpleStringSchema, Types, WatermarkStrategy
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.discard import DiscardingSink
from flott.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource

PARTITIONS = 4
PER_PARTITION = 95_000
CLUSTER = Path(__file__).parent.parent / "tests" / "connectors" / "kafka" / "mock_cluster.py"


def fill(servers: str, topics: list[str]) -> int:
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 20, "queue.buffering.max.messages": 1_000_000})
    for topic in topics:
        for number in range(PARTITIONS * PER_PARTITION):
            producer.produce(topic, f"{number:040}", partition=number % PARTITIONS)
            if number % 10_000 == 0:
                producer.poll(0)
        producer.flush()
    return len(topics) * PARTITIONS * PER_PARTITION


def source(servers: str, topics: list[str]) -> KafkaSource:
    builder = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(*topics)
    builder = builder.set_value_only_deserializer(SimpleStringSchema())
    return builder.set_bounded(KafkaOffsetsInitializer.latest()).build()


def read_alone(servers: str, topics: list[str]) -> float:
    """Return messages per second of one reader, without a job."""
    reader = source(servers, topics)
    enumerator = reader.create_enumerator(1)
    count, begun, ended = 0, time.perf_counter(), False
    while not ended:
        plan = enumerator.plan(2.0, 0)
        ended = plan.ended
        count += sum(len(batch) for read in plan.reads[0] for batch in reader.read(read))
    enumerator.close()
    return count / (time.perf_counter() - begun)


def run_job(servers: str, topics: list[str], master: str, messages: int) -> float:
    """Return messages per second of a job."""
    env = StreamExecutionEnvironment.get_execution_environment(Configuration().set_string("flott.spark.master", master))
    env.set_parallelism(2)
    stream = env.from_source(source(servers, topics), WatermarkStrategy.no_watermarks(), "in")
    stream.map(len, Types.INT()).sink_to(DiscardingSink())
    epochs = []
    client = env.execute_async("kafka throughput")
    client.master.listeners.append(lambda stats: epochs.append((time.perf_counter(), stats.records_in)))
    client.get_job_execution_result().result()
    assert sum(count for _, count in epochs) <= messages  # noqa: S101 - the first epoch may have been missed
    seconds = epochs[-1][0] - epochs[0][0]
    return sum(count for _, count in epochs[1:]) / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=2)
    parser.add_argument("--master", default="local[2]")
    options = parser.parse_args()
    command = [sys.executable, str(CLUSTER)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as cluster:
        servers = cluster.stdout.readline().strip()
        topics = [f"numbers-{number}" for number in range(options.topics)]
        messages = fill(servers, topics)
        print(f"{messages:,} messages of 40 bytes in {len(topics) * PARTITIONS} partitions, mock cluster")
        print(f"one reader, no job:  {read_alone(servers, topics):>10,.0f} messages/s")
        print(f"job on {options.master}:     {run_job(servers, topics, options.master, messages):>10,.0f} messages/s")
        cluster.stdin.close()


if __name__ == "__main__":
    main()
