"""Event time over several sources and splits, on Spark: windows fire when Flink's would, nothing in time is late."""

from __future__ import annotations

import pytest
from tests.waiting import PATIENCE

from flott.common import Duration, Time, Types, WatermarkStrategy
from flott.connectors.base import Source
from flott.datastream import KeyedProcessFunction, OutputTag, ProcessWindowFunction
from flott.datastream.connectors.datagen import DataGeneratorSource, RateLimiterStrategy
from flott.datastream.window import TumblingEventTimeWindows
from flott.runtime.batch import Batch
from flott.runtime.source import SourcePlan, SplitRead

pytestmark = pytest.mark.spark

SECOND = 1000


class Splits(Source):
    """Splits that differ widely in event time: each gives one record per second of its own time, some per epoch."""

    def __init__(self, starts, seconds, per_epoch):
        self.starts = starts
        self.seconds = seconds
        self.per_epoch = per_epoch

    def is_bounded(self):
        return True

    def create_enumerator(self, parallelism):
        return SplitsEnumerator(self, parallelism)

    def read(self, read):
        start = self.starts[int(read.split)]
        records = [(f"split {read.split}", start + second * SECOND) for second in range(read.start, read.end)]
        if records:
            yield Batch(records)


class SplitsEnumerator:
    def __init__(self, source, parallelism):
        self.source = source
        self.parallelism = parallelism
        self.position = 0

    def plan(self, scale, now):
        start, end = self.position, min(self.position + self.source.per_epoch, self.source.seconds)
        self.position = end
        ended = end == self.source.seconds
        reads = [[] for _ in range(self.parallelism)]
        if start < self.source.seconds:
            for split in range(len(self.source.starts)):
                reads[split % self.parallelism].append(SplitRead(str(split), start, end, ended=ended))
        return SourcePlan(tuple(map(tuple, reads)), empty=start == end, backlog=not ended, ended=ended)

    def close(self):
        pass


class Silent(Source):
    """An input that is there and never says anything."""

    def is_bounded(self):
        return False

    def create_enumerator(self, parallelism):
        return SilentEnumerator(parallelism)

    def read(self, read):
        return iter(())


class SilentEnumerator:
    def __init__(self, parallelism):
        self.parallelism = parallelism

    def plan(self, scale, now):
        reads = tuple((SplitRead(f"s{subtask}", 0, 0),) for subtask in range(self.parallelism))
        return SourcePlan(reads, empty=True, backlog=False, ended=False)

    def close(self):
        pass


class Seen(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield key, context.window().start, len(list(elements)), context.current_watermark()


def stamped(strategy):
    return strategy.with_timestamp_assigner(lambda record, _: record[1])


def test_an_idle_source_and_splits_of_very_different_time(env):
    late = OutputTag("late")
    starts = [0, 500 * SECOND, 90_000 * SECOND, 1_000_000 * SECOND]
    busy = env.from_source(
        Splits(starts, seconds=60, per_epoch=7),
        stamped(WatermarkStrategy.for_monotonous_timestamps()),
        "four splits",
    )
    idle = env.from_source(
        Silent(), stamped(WatermarkStrategy.for_monotonous_timestamps()).with_idleness(Duration.of_millis(300)), "idle"
    )
    windows = (
        busy.union(idle)
        .key_by(lambda record: record[0])
        .window(TumblingEventTimeWindows.of(Time.seconds(10)))
        .side_output_late_data(late)
    )
    counted = windows.process(Seen())
    dropped = counted.get_side_output(late).map(lambda record: ("late", *record))
    results = []
    with counted.union(dropped).execute_and_collect() as stream:
        for result in stream:
            results.append(result)
            if len(results) == 24:
                break
    assert not [result for result in results if result[0] == "late"]
    expected = {
        (f"split {split}", start + second * SECOND, 10)
        for split, start in enumerate(starts)
        for second in range(0, 60, 10)
    }
    assert {result[:3] for result in results} == expected
    # The slowest split rules: its windows fire one by one, those of the others wait for it and fire with the end.
    slow = [watermark for key, _, _, watermark in results if key == "split 0"]
    assert sorted(slow) == slow
    assert all(start + 10 * SECOND - 1 <= watermark for _, start, _, watermark in results)


def test_sources_that_are_aligned_wait_for_each_other(env):
    def source(name, starts, per_epoch):
        strategy = stamped(WatermarkStrategy.for_monotonous_timestamps())
        aligned = strategy.with_watermark_alignment("together", Duration.of_seconds(30))
        return env.from_source(Splits(starts, seconds=200, per_epoch=per_epoch), aligned, name)

    slow = source("slow", [0], 10).set_parallelism(1)
    fast = source("fast", [0], 50).set_parallelism(1)
    slow.union(fast).map(lambda record: record).print()
    client = env.execute_async("aligned")
    seen = []
    client.master.listeners.append(
        lambda stats: seen.append({report.vertex: report.source_watermark for report in stats.reports})
    )
    client.get_job_execution_result().result(PATIENCE)
    marks = [(one, other) for one, other, *_ in ([*step.values()] for step in seen[:-1]) if None not in (one, other)]
    apart = [abs(one - other) for one, other in marks if max(one, other) < 200 * SECOND - 2]
    # One epoch may run over the allowed drift; then the fast source waits.
    assert max(apart) <= 80 * SECOND
    assert len(seen) >= 20


class Later(KeyedProcessFunction):
    def process_element(self, value, ctx):
        timers = ctx.timer_service()
        timers.register_processing_time_timer(timers.current_processing_time() + 1500)

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), timestamp, ctx.timer_service().current_processing_time()


def test_a_processing_time_timer_fires_though_nothing_comes_in(env):
    records = env.from_source(
        DataGeneratorSource(lambda index: index, None, RateLimiterStrategy.per_second(0.01)),
        WatermarkStrategy.no_watermarks(),
        "one record, then silence",
    )
    with records.key_by(lambda n: n % 2, key_type=Types.LONG()).process(Later()).execute_and_collect() as results:
        key, due, fired = next(results)
    assert key == 0
    # The second record comes after a hundred seconds: the timer did not wait for it.
    assert due <= fired < due + 90 * SECOND
