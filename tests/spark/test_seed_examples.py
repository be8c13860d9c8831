"""The programs that the documents behind Flott explain Flink with, word for word as far as Python goes."""

from __future__ import annotations

import socket
import threading

import pytest

from flott.common import Duration, Types, WatermarkStrategy
from flott.common.watermark_strategy import TimestampAssigner
from flott.datastream import CoProcessFunction, FilterFunction, MapFunction
from flott.datastream.window import TumblingEventTimeWindows

pytestmark = pytest.mark.spark


@pytest.fixture
def server():
    """A server that sends some lines to whoever connects, and then hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))
    sent = []

    def serve():
        connection, _ = listener.accept()
        with connection:
            for line in sent:
                connection.sendall(line.encode())

    threading.Thread(target=serve, daemon=True).start()
    yield listener.getsockname()[1], sent
    listener.close()


class NotEmpty(FilterFunction):
    def filter(self, value):
        return bool(value.strip())


class LineSplitter(MapFunction):
    """A line is a time in milliseconds and a word."""

    def map(self, value):
        time, word = value.split(" ")
        return word, int(time), 1


class Time(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def test_word_count_on_a_socket_with_a_window(env, server):
    port, sent = server
    sent += ["1000 to\r\n2000 be\n", "\n12000 to\n", "9000 to\n", "25000 be", "\n", "1000 late\n"]
    times = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(3)).with_timestamp_assigner(Time())
    counts = (
        env.socket_text_stream("127.0.0.1", port)
        .filter(NotEmpty())
        .map(LineSplitter(), output_type=Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG()]))
        .assign_timestamps_and_watermarks(times)
        .key_by(lambda word: word[0])
        .window(TumblingEventTimeWindows.of(Duration.of_seconds(10)))
        .sum(2)
    )
    with counts.execute_and_collect("Java WordCount from SocketTextStream Example") as results:
        got = sorted((word, count) for word, _, count in results)
    # A periodic watermark may or may not have passed before the last line, which is late then: as in Flink.
    assert [one for one in got if one[0] != "late"] == [("be", 1), ("be", 1), ("to", 1), ("to", 2)]


class Matching(CoProcessFunction):
    """Joins by hand: each side keeps what it saw in an attribute, as the document does, and looks at the other's."""

    def open(self, runtime_context):
        self.orders, self.payments = {}, {}

    def process_element1(self, value, ctx):
        self.orders[value[0]] = value[1]
        if value[0] in self.payments:
            yield value[0], value[1], self.payments[value[0]]

    def process_element2(self, value, ctx):
        self.payments[value[0]] = value[1]
        if value[0] in self.orders:
            yield value[0], self.orders[value[0]], value[1]


def test_a_join_of_two_streams_by_coprocess(env):
    env.set_parallelism(1)
    orders = env.from_collection([(1, "book"), (2, "pen"), (3, "ink")])
    payments = env.from_collection([(3, 30), (1, 10), (4, 40)])
    with orders.connect(payments).process(Matching()).execute_and_collect() as results:
        assert sorted(results) == [(1, "book", 10), (3, "ink", 30)]
