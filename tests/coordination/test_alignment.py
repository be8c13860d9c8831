"""Splits of aligned sources wait for each other."""

from __future__ import annotations

import pytest
from tests.waiting import PATIENCE

from flott.common import Configuration, Duration, WatermarkStrategy
from flott.common.watermark_strategy import WatermarkAlignment
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.connectors.text_file import TextFileSource
from flott.coordination.alignment import SourceAlignment, pause
from flott.datastream import StreamExecutionEnvironment
from flott.runtime.clock import ManualClock
from flott.runtime.reports import TaskReport
from flott.runtime.source import SourcePlan, SplitRead
from flott.testing.cluster import submit


def report(vertex, watermark, *, active=True, subtask=0):
    marks = {str(subtask): -(2**63) if watermark is None else watermark} if active else {}
    return TaskReport(vertex, subtask, "t", 0, split_watermarks=marks)


def aligned(*reports, drift=10, groups=("g", "g", "g")):
    alignment = SourceAlignment({v: WatermarkAlignment(group, drift, 1000) for v, group in enumerate(groups)})
    alignment.observe(list(reports))
    return {vertex for vertex, splits in alignment.ahead().items() if alignment.all_ahead(vertex, splits)}


def test_a_source_ahead_by_more_than_the_drift_pauses():
    assert aligned(report(0, 100), report(1, 110)) == set()
    assert aligned(report(0, 100), report(1, 111)) == {1}


def test_the_slowest_subtask_speaks_for_its_source():
    assert aligned(report(0, 100), report(1, 500), report(1, 105, subtask=1)) == set()


def test_splits_of_one_source_are_compared():
    alignment = SourceAlignment({0: WatermarkAlignment("g", 10, 1000)})
    marks = {"slow": 100, "near": 110, "far": 111}
    alignment.observe([TaskReport(0, 0, "t", 0, split_watermarks=marks)])
    assert alignment.ahead() == {0: {"far"}}
    assert not alignment.all_ahead(0, alignment.ahead()[0])


def test_an_idle_source_holds_nobody_back():
    assert aligned(report(0, 5, active=False), report(1, 500)) == set()


def test_a_source_that_has_said_nothing_holds_the_others_back():
    assert aligned(report(0, None), report(1, 500)) == {1}


def test_groups_are_apart():
    assert aligned(report(0, 0), report(1, 500), groups=("a", "b")) == set()


def test_a_paused_source_keeps_its_splits_and_reads_nothing():
    plan = SourcePlan(
        ((SplitRead("a", 0, 5),), (SplitRead("b", 0, 7, ended=True),)), empty=False, backlog=True, ended=False
    )
    held = pause(plan)
    assert held.reads == ((SplitRead("a", 5, 5, paused=True),), ())
    assert (held.empty, held.backlog, held.ended) == (True, False, False)


# Whole jobs

BY_SECOND = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda record, _: record[1])
DRIFT, INTERVAL = 200, 50
ALIGNED = BY_SECOND.with_watermark_alignment("g", Duration.of_millis(DRIFT), Duration.of_millis(INTERVAL))


class Ticking(ManualClock):
    """Goes on by some milliseconds whenever a source is planned."""

    def steady(self):
        self.advance_to(self.now() + 10)
        return self.now()


def received(env, streams, *, until):
    """Run a job until a condition on what it emitted holds; return all it emitted, in order."""
    first, *others = streams
    (first.union(*others) if others else first).print()
    program, found = env.program("aligned"), []

    def receive(subtask, parallelism, values):
        found.extend(values)
        if until(found):
            client.cancel()

    for step in program.transformations:
        if step.is_sink:
            step.operator.receive = receive
    client = submit(program, Configuration(), Ticking(1_000))
    client.master._thread.join(PATIENCE)
    return found


def lead(found, ahead, behind):
    """Return how far one name was ahead of another at most, while the other still brought something."""
    last = max(number for number, (name, _) in enumerate(found) if name == behind)
    top, worst = {ahead: 0, behind: 0}, 0
    for name, time in found[:last]:
        top[name] = max(top[name], time)
        worst = max(worst, top[ahead] - top[behind])
    return worst


@pytest.fixture(autouse=True)
def small_epochs(monkeypatch):
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 50)
    monkeypatch.setattr("flott.coordination.sizing.LARGEST_STEP", 1.0)


@pytest.mark.parametrize("idleness", [None, 30, 100])
@pytest.mark.parametrize("rate", [4_000, None])
def test_the_lead_is_bounded_also_with_idleness_and_a_backlog(idleness, rate):
    strategy = ALIGNED if idleness is None else ALIGNED.with_idleness(Duration.of_millis(idleness))
    env = StreamExecutionEnvironment.get_execution_environment(Configuration())
    env.set_parallelism(1)
    env.set_buffer_timeout(1)
    limit = RateLimiterStrategy.no_op() if rate is None else RateLimiterStrategy.per_second(rate)
    fast = DataGeneratorSource(lambda index: ("A", index), 3_000, limit)
    # One record in ten milliseconds, which is one look of the driver: it is never silent for long.
    slow = DataGeneratorSource(lambda index: ("B", index * 10), 200, RateLimiterStrategy.per_second(100))
    streams = [env.from_source(fast, strategy, "A"), env.from_source(slow, strategy, "B")]
    found = received(env, streams, until=lambda found: len(found) == 3_200)
    assert len(found) == 3_200
    # An epoch reads 50 records of each.
    assert lead(found, "A", "B") <= DRIFT + 2 * 50


def test_a_source_that_became_idle_holds_nobody_back():
    env = StreamExecutionEnvironment.get_execution_environment(Configuration())
    env.set_parallelism(1)
    env.set_buffer_timeout(1)
    busy = DataGeneratorSource(lambda index: ("A", index), 3_000)
    # After its first record it says nothing for a quarter of an hour, and does not end.
    silent = DataGeneratorSource(lambda index: ("B", index), 2, RateLimiterStrategy.per_second(0.001))
    strategy = ALIGNED.with_idleness(Duration.of_millis(100))
    streams = [env.from_source(busy, strategy, "A"), env.from_source(silent, strategy, "B")]
    found = received(env, streams, until=lambda found: len(found) == 3_001)
    assert [time for name, time in found if name == "A"] == list(range(3_000))
    assert [time for name, time in found if name == "B"] == [0]


def test_the_files_of_one_source_wait_for_each_other(tmp_path, monkeypatch):
    monkeypatch.setattr("flott.connectors.text_file_enumerator.BYTES_PER_SUBTASK", 400)
    monkeypatch.setattr("flott.connectors.text_file_enumerator.OPENING_COST", 1)
    # Files of the same size, of which one covers a hundred times the time.
    (tmp_path / "a").write_text("".join(f"A {index * 100:06}\n" for index in range(400)))
    (tmp_path / "b").write_text("".join(f"B {index:06}\n" for index in range(400)))

    def pair(line):
        return line.split()[0], int(line.split()[1])

    by_line = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda line, _: pair(line)[1])
    strategy = by_line.with_watermark_alignment("g", Duration.of_millis(DRIFT), Duration.of_millis(INTERVAL))
    env = StreamExecutionEnvironment.get_execution_environment(Configuration())
    env.set_parallelism(2)
    env.set_buffer_timeout(1)
    lines = env.from_source(TextFileSource(str(tmp_path), share_files=False), strategy, "files")
    found = received(env, [lines.map(pair)], until=lambda found: len(found) == 800)
    assert sorted(found) == sorted([*(("A", n * 100) for n in range(400)), *(("B", n) for n in range(400))])
    # An epoch reads 45 lines of nine bytes of each file.
    assert lead(found, "A", "B") <= DRIFT + 2 * 45 * 100


def test_epochs_of_aligned_sources_hold_no_more_than_an_update_interval():
    env = StreamExecutionEnvironment.get_execution_environment(Configuration())
    env.from_source(DataGeneratorSource(lambda index: ("A", index), 10), ALIGNED, "A").filter(lambda _: False).print()
    client = submit(env.program("aligned"), Configuration(), ManualClock())
    client.get_job_execution_result().result(PATIENCE)
    assert client.master.settings.epoch_target == INTERVAL / 1000
