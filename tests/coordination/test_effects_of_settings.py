"""What the settings of the driver change: two values of each, and the two results."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.coordination.checkpoints.test_coordinator import PLAN, ByHand, record_at, reports, start, state, take
from tests.waiting import PATIENCE

from flott.common import Configuration, JobStatus
from flott.common.machine_clock import MachineClock
from flott.coordination.checkpoints.coordinator import CheckpointCoordinator
from flott.coordination.checkpoints.settings import CheckpointSettings
from flott.coordination.checkpoints.storage import DirectoryCheckpointStorage
from flott.coordination.job_checkpoints import JobCheckpoints
from flott.coordination.launch import launch
from flott.coordination.restart import backoff_of
from flott.datastream import StreamExecutionEnvironment
from flott.errors import ConfigurationError, EpochFailedError, JobExecutionError
from flott.metrics.reporters import path_of, reporters_of
from flott.rest.registry import registry_directory
from flott.rest.settings import RestSettings
from flott.runtime.clock import ManualClock
from flott.testing.cluster import InProcessRunner

CHECKPOINTING = "execution.checkpointing."
EVERY = {f"{CHECKPOINTING}interval": "100 ms"}
FIXED = {"restart-strategy.type": "fixed-delay"}
RATE = {"restart-strategy.type": "failure-rate", "restart-strategy.failure-rate.delay": "1 ms"}
GROWING = {
    "restart-strategy.type": "exponential-delay",
    "restart-strategy.exponential-delay.initial-backoff": "10 ms",
    "restart-strategy.exponential-delay.max-backoff": "1 s",
    "restart-strategy.exponential-delay.jitter-factor": "0",
}
REST = {"rest.port": "0"}
SECRET = "a secret of some length"


def coordinated(settings, root):
    """A coordinator that was made from settings, with its clock and its background in hand."""
    time = SimpleNamespace(now=0)
    made = SimpleNamespace(time=time, background=ByHand(), removed=[], root=root, record=record_at(root))
    made.coordinator = CheckpointCoordinator(
        settings=CheckpointSettings.of(settings),
        storage=DirectoryCheckpointStorage(made.record),
        clock=ManualClock(5_000),
        monotonic=lambda: time.now,
        background=made.background,
        discard=made.removed.extend,
        job_id="a" * 32,
        job_name="job",
    )
    return made


def first_due(made, *, backlog=False, after=0):
    for made.time.now in range(after, 1_000):
        if made.coordinator.due(backlog=backlog):
            return made.time.now
    return None


def due(settings, root):
    return first_due(coordinated(settings, root))


def due_in_backlog(settings, root):
    return first_due(coordinated(settings, root), backlog=True)


def due_after_one(settings, root):
    made = coordinated(settings, root)
    made.time.now = 100
    pending = start(made)
    made.time.now = 150
    made.coordinator.acknowledge(pending, PLAN, reports(), state())
    made.background.work()
    made.coordinator.poll()
    return first_due(made, after=151)


def at_a_time(settings, root):
    made = coordinated(settings, root)
    started = 0
    for made.time.now in range(0, 1_000, 10):
        if made.coordinator.due(backlog=False):
            start(made)
            started += 1
    return started


def timed_out(settings, root):
    made = coordinated(settings, root)
    made.coordinator.acknowledge(start(made), PLAN, reports(), state("a"))
    made.time.now = 500
    return [aborted.reason for aborted in made.coordinator.poll()]


def retained(settings, root):
    made = coordinated(settings, root)
    for _ in range(3):
        take(made)
        made.background.work()
    return sorted(path.name for path in root.glob("chk-*"))


def kept_when_cancelled(settings, root):
    made = coordinated(settings, root)
    take(made)
    return made.coordinator.keeps(JobStatus.CANCELED)


def waits(*failures):
    def seen(settings, _):
        strategy = backoff_of(settings, checkpointing=False)
        return [strategy.failed(now) for now in failures]

    return seen


class NoExecutor(InProcessRunner):
    """Fails every epoch."""

    tried = 0

    def run(self, order):
        self.tried += 1
        raise EpochFailedError("an executor was lost")


def launched(settings, make_runner):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1).set_buffer_timeout(-1)
    env.from_sequence(1, 10).map(lambda n: 2 * n).print()
    runners = []

    def make(_, plan, __):
        runners.append(make_runner(plan, MachineClock()))
        return runners[0]

    client = launch(env.program(), settings, MachineClock(), make)
    with suppress(JobExecutionError):
        client.get_job_execution_result().result(PATIENCE)
    return client, runners[0]


def times_tried(settings, _):
    return launched(settings, NoExecutor)[1].tried


def length_of_epochs(settings, _):
    return launched(settings, InProcessRunner)[0].master.settings.buffer_timeout


class Waited:
    """An event that remembers for how long it was waited for."""

    def wait(self, seconds):
        self.seconds = seconds
        return True


def told_every(settings, root):
    settings = settings.clone()
    if not settings.contains_key("metrics.reporter.file.path"):
        settings.set_string("metrics.reporter.file.path", str(root / "metrics"))
    seen = []
    for reporter in reporters_of(settings, None):
        reporter._over, reporter._tell = Waited(), lambda _: None
        reporter._run()
        seen.append(reporter._over.seconds)
    return seen


def refused_or(read):
    def seen(settings, root):
        try:
            return read(settings, root)
        except ConfigurationError as error:
            return str(error).partition(":")[0]

    return seen


def tolerates(settings, root):
    made = coordinated(settings, root)
    checkpoints = JobCheckpoints(SimpleNamespace(vertices=()), made.coordinator, None, None, None)
    for _ in range(5):
        made.coordinator.acknowledge(start(made), PLAN, reports(), state())
        made.background.work(OSError(28, "No space left on device"))
        try:
            checkpoints.handle(None)
        except JobExecutionError as error:
            return re.search(r"That is (\d) in a row", str(error))[1]
    return None


def accepts_token(settings, _):
    try:
        return RestSettings.of(settings).token == SECRET
    except ConfigurationError:
        return False


def token_in_file(settings, root):
    name = settings.get_string("rest.token-file", "")
    (root / name).write_text(f"{name} {SECRET}")
    return RestSettings.of(settings.clone().set_string("rest.token-file", str(root / name))).token


CASES = {
    "execution.checkpointing.interval": ({}, due, ("100 ms", 100), ("50 ms", 50)),
    "execution.checkpointing.interval-during-backlog": (EVERY, due_in_backlog, ("300 ms", 300), ("0 ms", None)),
    "execution.checkpointing.min-pause": (EVERY, due_after_one, ("80 ms", 230), ("0 ms", 200)),
    "execution.checkpointing.max-concurrent-checkpoints": (EVERY, at_a_time, ("1", 1), ("3", 3)),
    "execution.checkpointing.timeout": (
        EVERY,
        timed_out,
        ("499 ms", ["it took longer than 499 ms"]),
        ("500 ms", []),
    ),
    "execution.checkpointing.num-retained": (EVERY, retained, ("1", ["chk-3"]), ("2", ["chk-2", "chk-3"])),
    "execution.checkpointing.externalized-checkpoint-retention": (
        EVERY,
        kept_when_cancelled,
        ("RETAIN_ON_CANCELLATION", True),
        ("DELETE_ON_CANCELLATION", False),
    ),
    "execution.checkpointing.tolerable-failed-checkpoints": (EVERY, tolerates, ("0", "1"), ("2", "3")),
    "restart-strategy.type": ({}, waits(0), ("none", [None]), ("fixed-delay", [1_000])),
    "restart-strategy.fixed-delay.attempts": (FIXED, waits(0, 1), ("1", [1_000, None]), ("2", [1_000, 1_000])),
    "restart-strategy.fixed-delay.delay": (FIXED, waits(0), ("5 s", [5_000]), ("7 ms", [7])),
    "restart-strategy.failure-rate.max-failures-per-interval": (RATE, waits(0, 1), ("1", [1, None]), ("2", [1, 1])),
    "restart-strategy.failure-rate.failure-rate-interval": (RATE, waits(0, 9), ("10 ms", [1, None]), ("5 ms", [1, 1])),
    "restart-strategy.failure-rate.delay": (RATE, waits(0), ("5 s", [5_000]), ("7 ms", [7])),
    "restart-strategy.exponential-delay.initial-backoff": (GROWING, waits(0), ("5 ms", [5]), ("7 ms", [7])),
    "restart-strategy.exponential-delay.max-backoff": (GROWING, waits(0, 0), ("11 ms", [10, 11]), ("12 ms", [10, 12])),
    "restart-strategy.exponential-delay.backoff-multiplier": (GROWING, waits(0, 0), ("2", [10, 20]), ("3", [10, 30])),
    "restart-strategy.exponential-delay.reset-backoff-threshold": (
        GROWING,
        waits(0, 500),
        ("100 ms", [10, 10]),
        ("1 min", [10, 15]),
    ),
    "restart-strategy.exponential-delay.jitter-factor": (GROWING, waits(0), ("0.5", [15]), ("0", [10])),
    "restart-strategy.exponential-delay.attempts-before-reset-backoff": (
        GROWING,
        waits(0, 0),
        ("1", [10, None]),
        ("2", [10, 15]),
    ),
    "flott.epoch.max-attempts": ({}, times_tried, ("2", 2), ("3", 3)),
    "flott.epoch.target-duration": ({}, length_of_epochs, ("700 ms", 700), ("2 s", 2_000)),
    "metrics.reporters": ({}, told_every, ("log", [60]), ("log;file", [60, 10])),
    "metrics.reporter.log.interval": ({"metrics.reporters": "log"}, told_every, ("5 s", [5]), ("60 s", [60])),
    "metrics.reporter.file.interval": ({"metrics.reporters": "file"}, told_every, ("5 s", [5]), ("10 s", [10])),
    "rest.port": ({}, lambda s, _: RestSettings.of(s).ports, ("0", range(1)), ("8081", range(8081, 8082))),
    "rest.bind-port": ({}, lambda s, _: list(RestSettings.of(s).ports), ("8081", [8081]), ("0-1", [0, 1])),
    "rest.bind-address": (
        REST,
        refused_or(lambda s, _: RestSettings.of(s).loopback),
        ("127.0.0.1", True),
        ("0.0.0.0", "rest.bind-address is 0.0.0.0, which other machines reach"),  # noqa: S104
    ),
    "rest.token": (
        {**REST, "rest.bind-address": "::"},
        accepts_token,
        (SECRET, True),
        ("short", False),
    ),
    "rest.token-file": (REST, token_in_file, ("one", f"one {SECRET}"), ("two", f"two {SECRET}")),
    "metrics.reporter.file.path": ({}, lambda s, _: path_of(s), ("one", Path("one")), ("two", Path("two"))),
    "rest.address": (REST, lambda s, _: RestSettings.of(s).address, ("one.example", "one.example"), ("two", "two")),
    "flott.registry.dir": ({}, lambda s, _: str(registry_directory(s)), ("/one", "/one"), ("/two", "/two")),
}


@pytest.mark.parametrize("key", CASES)
def test_two_values_two_results(key, tmp_path, monkeypatch):
    monkeypatch.setattr("flott.coordination.restart.random.uniform", lambda *_: 1)
    around, look, *values = CASES[key]
    seen = []
    for number, (value, _) in enumerate(values):
        root = tmp_path / str(number)
        root.mkdir()
        seen.append(look(Configuration.from_dict({**around, key: value}), root))
    assert seen == [result for _, result in values]
    assert seen[0] != seen[1]
