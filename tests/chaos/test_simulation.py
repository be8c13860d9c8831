"""The self-checking job under random crashes: workers and drivers die anywhere, in an order that a seed decides.

Everything but Spark is real: operators, state files, checkpoints in a directory, sinks, restarts, new drivers that take
over. A seed that fails is printed by pytest; `FLOTT_SEEDS=7` or `FLOTT_SEEDS=0-999` runs others.
"""

from __future__ import annotations

import os
import pickle
import random
from collections import Counter
from concurrent.futures import Future
from functools import partial, partialmethod

import pytest
from tests.chaos.self_checking import build, check, written
from tests.waiting import PATIENCE

from flott.common import Configuration
from flott.coordination.job_master import JobMaster
from flott.coordination.launch import launch
from flott.coordination.sizing import EpochSizer
from flott.datastream import StreamExecutionEnvironment
from flott.errors import EpochFailedError
from flott.runtime import crash_points
from flott.runtime.clock import ManualClock
from flott.runtime.level import run_partition
from flott.testing.cluster import InProcessRunner

pytestmark = pytest.mark.slow

RECORDS = 1_500
IN_TASKS = {"delta.before", "delta.after", "sink.before-prepare", "sink.after-prepare", "report.before"}
DEATHS = Counter()
"""How often something died at each point, over all seeds."""


def seeds():
    first, _, last = os.environ.get("FLOTT_SEEDS", "0-99").partition("-")
    return range(int(first), int(last or first) + 1)


class WorkerDies(BaseException):
    """kill -9 of a Python worker."""


class DriverDies(BaseException):
    """kill -9 of the driver."""


class Result(Future):
    """Whoever waits for it lets the background do its work."""

    def __init__(self, background):
        super().__init__()
        self.background = background

    def exception(self, timeout=None):
        self.background.catch_up()
        return super().exception(timeout)


class Whenever:
    """Writes checkpoints beside the loop: at once, or a while later."""

    def __init__(self, dice):
        self.dice = dice
        self.waiting = []

    def submit(self, work):
        future = Result(self)
        self.waiting.append((work, future))
        if self.dice.random() < 0.5:
            self.catch_up()
        return future

    def catch_up(self):
        while self.waiting:
            work, future = self.waiting.pop(0)
            try:
                future.set_result(work())
            except Exception as error:  # noqa: BLE001 - handed on
                future.set_exception(error)

    def shutdown(self):
        self.catch_up()


class Unreliable(InProcessRunner):
    """Runs the subtasks of a level in any order; workers die, and whole epochs fail."""

    def __init__(self, plan, clock, storage, dice, background):
        super().__init__(plan, clock, storage)
        self.dice = dice
        self.background = background

    def run(self, order):
        if self.dice.random() < 0.5:
            self.background.catch_up()
        plan = self._file.plan
        waiting = {}
        for level in plan.levels:
            produced = {}
            for partition in self.dice.sample(range(level.partitions), level.partitions):
                for row in self.attempts(plan, level, partition, order, waiting.get(partition, [])):
                    produced.setdefault(row.target, []).append(row)
            waiting = produced
        if self.dice.random() < 0.02:
            raise EpochFailedError("an executor was lost")
        return [pickle.loads(row.data) for rows in waiting.values() for row in rows]

    def attempts(self, plan, level, partition, order, rows):
        """Run one partition, as often as it takes; at times once too often, as Spark does when it lost the output."""
        for attempt in range(4):
            token = f"{order.run[:8]}-{next(self._tokens)}"
            try:
                rows_out = list(
                    run_partition(
                        plan, level.index, partition, order, token, rows, lambda v, i: self._subtask(v, i, order.run)
                    )
                )
            except WorkerDies:
                # Whatever it held is gone, without a word.
                self._subtasks.clear()
                continue
            if self.dice.random() < 0.03 and attempt < 3:
                continue
            return rows_out
        raise EpochFailedError("a task failed four times")


def unreliable(dice, background, _, plan, storage):
    return Unreliable(plan, ManualClock(1_000_000), storage, dice, background)


def play(seed, tmp_path, monkeypatch):
    dice = random.Random(seed)
    fate = Fate(seed)
    crashed = []
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", dice.choice([30, 80, 200]))
    monkeypatch.setattr(EpochSizer, "observe", partialmethod(sized_by, dice))
    clean_up = JobMaster._clean_up
    monkeypatch.setattr(JobMaster, "_clean_up", lambda self, status: None if crashed else clean_up(self, status))
    monkeypatch.setattr("flott.runtime.state.compaction.MANY_DELTAS", dice.choice([3, 64]))
    drivers, parallelisms = 0, set()
    rescales = dice.random() < 0.5
    parallelism = dice.choice([1, 2, 3])
    while True:
        drivers += 1
        parallelism = dice.choice([1, 2, 3]) if rescales else parallelism
        parallelisms.add(parallelism)
        crashed.clear()
        luck = 0.0 if drivers > 6 else dice.choice([0.0, 0.005, 0.02])
        arm(dice, luck, fate, crashed, monkeypatch)
        configuration = Configuration()
        for key, value in {
            "execution.checkpointing.interval": f"{dice.choice([10, 30])} ms",
            "execution.checkpointing.dir": str(tmp_path / "checkpoints"),
            "execution.checkpointing.num-retained": dice.choice(["1", "3"]),
            "restart-strategy.type": "fixed-delay",
            "restart-strategy.fixed-delay.delay": "0 ms",
            "restart-strategy.fixed-delay.attempts": "1000",
        }.items():
            configuration.set_string(key, value)
        env = StreamExecutionEnvironment.get_execution_environment(configuration)
        env.set_parallelism(parallelism)
        build(env, tmp_path / "out", RECORDS)
        background = Whenever(dice)
        ticks = Ticks(dice)
        client = launch(
            env.program("simulated"),
            configuration,
            ManualClock(1_000_000),
            partial(unreliable, dice, background),
            background,
            ticks,
        )
        client.master._thread.join(PATIENCE)
        assert not client.master._thread.is_alive()
        if not crashed:
            client.get_job_execution_result().result(0)
            break
        client.master.record.release()
    return len(parallelisms) > 1


class Ticks:
    """A stopwatch that goes on whenever somebody looks."""

    def __init__(self, dice):
        self.dice = dice
        self.millis = 0

    def __call__(self):
        self.millis += self.dice.randrange(5)
        return self.millis / 1000


def sized_by(sizer, dice, *_, **__):
    """How much an epoch reads is up to the dice, so that a slow machine plays the same game as a fast one."""
    sizer.scale = dice.choice([0.5, 1.0, 2.0])


class Fate:
    """The one death that a seed is sure to see: each point in turn, the first, second or third time it is reached."""

    def __init__(self, seed):
        self.point = crash_points.POINTS[seed % len(crash_points.POINTS)]
        self.left = 1 + seed // len(crash_points.POINTS) % 3

    def strikes(self, point):
        if point != self.point or not self.left:
            return False
        self.left -= 1
        return not self.left


def arm(dice, luck, fate, crashed, monkeypatch):
    def reached(point):
        if fate.strikes(point) or dice.random() < luck:
            DEATHS[point] += 1
            if point in IN_TASKS:
                raise WorkerDies
            crashed.append(True)
            raise DriverDies

    armed = {point: partial(reached, point) for point in crash_points.POINTS}
    monkeypatch.setattr(crash_points, "ARMED", armed)


@pytest.fixture(scope="module", autouse=True)
def _every_point_was_hit():
    DEATHS.clear()
    yield
    if len(seeds()) >= 100:
        assert set(DEATHS) == set(crash_points.POINTS), DEATHS


@pytest.mark.parametrize("seed", seeds())
def test_nothing_is_lost_and_nothing_doubled(seed, tmp_path, monkeypatch):
    rescaled = play(seed, tmp_path, monkeypatch)
    check(written(tmp_path / "out"), RECORDS, rescaled=rescaled)
    assert not (tmp_path / "out" / ".staging").exists()
    assert list((tmp_path / "checkpoints").rglob("*")) == []
