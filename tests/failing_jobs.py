"""What tests of failing jobs share: settings, a function that fails, drivers that die, files that show the result."""

from __future__ import annotations

import threading

from tests.waiting import PATIENCE

from flott.common import Configuration
from flott.common.serialization import Encoder
from flott.connectors.bucket_assigners import BucketAssigner
from flott.connectors.file_sink import FileSink
from flott.datastream import MapFunction, StreamExecutionEnvironment
from flott.runtime.crash_points import ARMED


class FailsAt(MapFunction):
    """Fails once for each of some records, in the whole process."""

    failed: set = set()  # noqa: RUF012 - shared by all copies in this process

    def __init__(self, *numbers):
        self.numbers = numbers

    def map(self, value):
        if value in self.numbers and value not in FailsAt.failed:
            FailsAt.failed.add(value)
            raise RuntimeError(f"fails at {value}")
        return value


def small_epochs(monkeypatch):
    """Read little in each epoch, and forget what failed and died before; for a fixture."""
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 50)
    FailsAt.failed.clear()
    ARMED.clear()


def environment(directory=None, parallelism=2, **options):
    """Run in this process, with a checkpoint every ten milliseconds and ten restarts."""
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    configuration.set_string("execution.checkpointing.interval", "10 ms")
    configuration.set_string("restart-strategy.type", "fixed-delay")
    configuration.set_string("restart-strategy.fixed-delay.delay", "1 ms")
    configuration.set_string("restart-strategy.fixed-delay.attempts", "10")
    if directory is not None:
        configuration.set_string("execution.checkpointing.dir", str(directory))
    for name, value in options.items():
        configuration.set_string(name, value)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(parallelism)
    return env


def text_sink(path):
    """Write lines to files of one folder."""
    return (
        FileSink.for_row_format(str(path), Encoder.simple_string_encoder())
        .with_bucket_assigner(BucketAssigner.base_path_bucket_assigner())
        .build()
    )


def lines(path):
    """Return the lines that show in a folder, sorted."""
    return sorted(line for file in path.glob("part-*") if file.is_file() for line in file.read_text().splitlines())


class Killed(BaseException):
    """What no code of ours catches, as none sees kill -9."""


class Die:
    """Stops whoever passes a crash point, from the n-th time on."""

    def __init__(self, after=1, error=Killed):
        self.left = after
        self.error = error
        self.reached = threading.Event()

    def __call__(self):
        self.left -= 1
        if self.left <= 0:
            self.reached.set()
            raise self.error("killed here")


def abandon(client, at=None):
    """Leave a job as kill -9 of its driver does, now or at a crash point: it stops, and nothing is cleaned up."""
    master = client.master
    master._clean_up = lambda status: None
    if at is not None:
        assert at.reached.wait(PATIENCE)
    master.cancel()
    master._thread.join(PATIENCE)
    master.checkpoints.background.shutdown(wait=True)
    if master.record is not None:
        master.record.release()
    ARMED.clear()
