"""Every connector of ours goes through the conformance kit; PostgreSQL's and Kafka's tests are in their folders."""

from __future__ import annotations

import contextlib
import gzip
import socket
import threading
from uuid import uuid4

import pytest

from flott.common.io import InputFormat
from flott.common.serialization import Encoder
from flott.common.time import Duration
from flott.connectors.cached_records import CachedRecordsSink, CachedRecordsSource
from flott.connectors.collection import CollectionSource
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.file_sink import FileSink
from flott.connectors.file_source import FileSource, StreamFormat
from flott.connectors.generator_functions import SeededGenerator
from flott.connectors.input_format import InputFormatSource
from flott.connectors.number_sequence import NumberSequenceSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.connectors.socket_text import SocketTextSource
from flott.connectors.text_file import TextFileSource
from flott.connectors.two_phase_commit_sink import TwoPhaseCommitSink
from flott.datastream.connectors.file_system import BucketAssigner, PartitionCommit
from flott.datastream.functions import TwoPhaseCommitSinkFunction
from flott.runtime.batch import Batch
from flott.runtime.clock import ManualClock
from flott.runtime.context import OperatorContext
from flott.runtime.operators.commit_requests import commit_all
from flott.runtime.operators.sinks import WriterInitContext
from flott.testing.connectors import SINK_CHECKS, SOURCE_CHECKS, SinkCase, SourceCase

pytestmark = pytest.mark.job

LINES = [f"line {number}" for number in range(60)]


def collection(folder):
    return SourceCase(lambda: CollectionSource(LINES), expected=LINES)


def no_records(folder):
    return SourceCase(lambda: CollectionSource([]), expected=[])


def number_sequence(folder):
    return SourceCase(lambda: NumberSequenceSource(-20, 40), expected=range(-20, 41))


def generated(folder):
    generator = SeededGenerator(7, lambda random, index: (index, random.random()))
    rate = RateLimiterStrategy.per_second(1)

    def make(limit=None):
        return DataGeneratorSource(generator, count=50, rate_limiter_strategy=limit or RateLimiterStrategy.no_op())

    return SourceCase(lambda: make(rate), expected=everything(make()))


def everything(source):
    plan = source.create_enumerator(1).plan(1.0, 0)
    return [value for read in plan.reads[0] for batch in source.read(read) for value in batch.values]


def files(folder):
    (folder / "in").mkdir()
    (folder / "in" / "a.txt").write_text("\n".join(LINES[:40]))
    (folder / "in" / "b.txt.gz").write_bytes(gzip.compress("\n".join(LINES[40:]).encode()))
    return SourceCase(lambda: text(folder).build(), expected=LINES)


def monitored_files(folder):
    (folder / "in").mkdir()
    (folder / "in" / "a.txt").write_text("\n".join(LINES))

    def more():
        (folder / "new").write_text("one\ntwo\n")
        (folder / "new").rename(folder / "in" / "z.txt")
        return ["one", "two"]

    source = text(folder).monitor_continuously(Duration.of_millis(1)).build()
    return SourceCase(lambda: source, expected=LINES, more=more)


def text_files(folder):
    (folder / "in").mkdir()
    (folder / "in" / "a.txt").write_text("\n".join(LINES))
    return SourceCase(lambda: TextFileSource(folder / "in"), expected=LINES)


class Countdown(InputFormat):
    """Splits of ten numbers."""

    def create_input_splits(self, min_num_splits):
        return [range(start, start + 10) for start in range(0, 60, 10)]

    def open(self, split):
        self.left = list(split)

    def reached_end(self):
        return not self.left

    def next_record(self):
        return self.left.pop()

    def close(self):
        self.left = []


def input_format(folder):
    return SourceCase(lambda: InputFormatSource(Countdown()), expected=range(60))


def cached(folder):
    sink = CachedRecordsSink(str(folder / "cache"))
    writer = sink.create_writer(WriterInitContext(OperatorContext("cache", "op", None, 0, 1, 128, ManualClock(0))))
    committables = []
    for line in LINES:
        writer.write_batch(Batch([line]))
        committables += writer.prepare_commit()
    commit_all(sink, committables, recovered=False)
    return SourceCase(lambda: CachedRecordsSource(str(folder / "cache")), expected=LINES)


def text(folder):
    return FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(folder / "in"))


@pytest.mark.parametrize("check", SOURCE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    "case",
    [collection, no_records, number_sequence, generated, files, monitored_files, text_files, input_format, cached],
    ids=lambda case: case.__name__,
)
def test_sources(case, check, tmp_path):
    check(case(tmp_path))


@contextlib.contextmanager
def sending(lines):
    """A server that sends the same to everybody, then waits."""
    with socket.create_server(("127.0.0.1", 0)) as listening, contextlib.ExitStack() as connections:

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    connections.enter_context(connection).sendall("".join(f"{line}\n" for line in lines).encode())

        thread = threading.Thread(target=serve)
        thread.start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize("check", SOURCE_CHECKS, ids=lambda check: check.__name__)
def test_socket(check, tmp_path):
    with sending(LINES) as port:
        source = SocketTextSource("127.0.0.1", port, log_directory=str(tmp_path))
        # A server sends once, so no other enumerator can go on where one was.
        check(SourceCase(lambda: source, expected=LINES, outlives_driver=False))


def lines_below(folder):
    parts = [path for path in folder.rglob("part-*") if ".staging" not in path.parts]
    return [line for path in parts for line in path.read_text().splitlines()]


def file_sink(folder):
    sink = FileSink.for_row_format(str(folder), Encoder.simple_string_encoder())
    sink = sink.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()
    return SinkCase(lambda: sink, lambda: lines_below(folder), leftovers=lambda: list(folder.glob(".staging/**/*")))


class ByLast(BucketAssigner):
    def get_bucket_id(self, element, context):
        return f"last={str(element)[-1]}"


def file_sink_with_partitions(folder):
    """Committed by the clock: with each epoch, and again for what comes later."""
    sink = FileSink.for_row_format(str(folder), Encoder.simple_string_encoder()).with_bucket_assigner(ByLast())
    sink = sink.with_partition_commit(PartitionCommit.on_processing_time()).build()

    def shown():
        lines = lines_below(folder)
        assert {path.parent.name for path in folder.rglob("part-*") if ".staging" not in path.parts} == {
            path.parent.name for path in folder.rglob("_SUCCESS")
        }
        return lines

    return SinkCase(lambda: sink, shown, leftovers=lambda: list(folder.glob(".staging/**/*")))


def cache_sink(folder):
    def shown():
        source = CachedRecordsSource(str(folder))
        reads = source.create_enumerator(1).plan(1e6, 0).reads[0]
        return [value for read in reads for batch in source.read(read) for value in batch.values]

    sink = CachedRecordsSink(str(folder))
    return SinkCase(lambda: sink, shown, leftovers=lambda: list(folder.glob(".staging/**/*")))


class HiddenLines(TwoPhaseCommitSinkFunction):
    """Hidden files that are renamed, as in docs/exactly-once.md."""

    def __init__(self, directory):
        self.directory = directory

    def begin_transaction(self):
        name = f".{self.scope.job_id}-{self.scope.operator_id}-{uuid4().hex}"
        self.file = (self.directory / name).open("x")
        return name

    def invoke(self, transaction, value, context):
        self.file.write(f"{value}\n")

    def pre_commit(self, transaction):
        self.file.close()

    def commit(self, transaction):
        if (self.directory / transaction).exists():
            (self.directory / transaction).rename(self.directory / f"part-{transaction[1:]}")

    def abort(self, transaction):
        self.file.close()
        self.recover_and_abort(transaction)

    def recover_and_abort(self, transaction):
        (self.directory / transaction).unlink(missing_ok=True)

    def list_transactions(self, scope):
        return [path.name for path in self.directory.glob(f".{scope.job_id}-{scope.operator_id}-*")]


def two_phase_function(folder):
    return SinkCase(
        lambda: TwoPhaseCommitSink(HiddenLines(folder)),
        lambda: lines_below(folder),
        leftovers=lambda: list(folder.glob(".*")),
    )


@pytest.mark.parametrize("check", SINK_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    "case", [file_sink, file_sink_with_partitions, cache_sink, two_phase_function], ids=lambda case: case.__name__
)
def test_sinks(case, check, tmp_path):
    check(case(tmp_path))
