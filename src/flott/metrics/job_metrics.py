"""All metrics of one job, gathered in its driver from what subtasks report with each epoch that counts."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flott.metrics.latency import LatencyMarkers
from flott.metrics.recent import NOTHING, RecentWork, Work, shares
from flott.metrics.samples import HistogramStatistics, Sample
from flott.runtime.batch import MIN_TIMESTAMP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.metrics.epoch import FinishedEpoch
    from flott.runtime.metric_group import Measured
    from flott.runtime.plan import ChainedOperator, EpochPlan, VertexSpec
    from flott.runtime.reports import TaskReport


@dataclass(slots=True)
class TaskTotals:
    """What is known of a subtask since the job, or its last restart, began."""

    work: Work = field(default_factory=Work)
    emitted: list[int] = field(default_factory=list)
    last: TaskReport | None = None
    values: dict[tuple[str, str], deque[float]] = field(default_factory=dict)
    """The latest values of histograms, by operator id and name."""
    marks: dict[tuple[str, str], deque[tuple[float, int]]] = field(default_factory=dict)
    """When meters stood where, by operator id and name."""


class JobMetrics:
    """Gathers and tells the metrics of a job; other threads may ask while the job runs.

    Args:
        plan: What runs.
        job_values: Tells the values of the job as a whole, by name.
        latency_interval: How often the latency is measured, in milliseconds; 0 for never.
        now: Seconds that only go forward.
    """

    def __init__(
        self,
        plan: EpochPlan,
        job_values: Callable[[], dict[str, Any]] = dict,
        latency_interval: int = 0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.plan = plan
        self.recent = RecentWork(plan, now)
        self.latency = LatencyMarkers(plan, latency_interval)
        self.at_end: list[Callable[[], None]] = []
        """Called when the job is over: reporters tell the last values."""
        self._job_values = job_values
        self._now = now
        self._tasks: dict[tuple[int, int], TaskTotals] = {}
        self._epoch = 0
        self._lock = threading.Lock()

    def observe(self, epoch: FinishedEpoch) -> None:
        """Take an epoch that counts.

        When the job has gone back to a checkpoint, every subtask begins again with its counts, as in Flink; what
        functions count themselves goes on from the checkpoint.
        """
        with self._lock:
            if epoch.epoch <= self._epoch:
                self._tasks = {}
            self._epoch = epoch.epoch
            done = self.recent.add(epoch)
            self.latency.observe(epoch)
            for report in epoch.reports:
                totals = self._tasks.setdefault((report.vertex, report.subtask), TaskTotals())
                totals.work.add(done[report.vertex, report.subtask])
                before = totals.emitted or [0] * len(report.emitted)
                totals.emitted = [one + more for one, more in zip(before, report.emitted, strict=True)]
                totals.last = report
                for operator, measured in report.metrics.items():
                    for one in measured:
                        self._keep(totals, operator, one)

    def _keep(self, totals: TaskTotals, operator: str, one: Measured) -> None:
        key = (operator, one.name)
        if one.kind == "histogram":
            _, fresh, size = one.value
            totals.values.setdefault(key, deque(maxlen=size)).extend(fresh)
        elif one.kind == "meter":
            count, span = one.value
            now = self._now()
            marks = totals.marks.setdefault(key, deque())
            marks.append((now, count))
            while len(marks) > 1 and marks[1][0] <= now - span:
                marks.popleft()

    def totals(self, vertex: int, subtask: int) -> Work:
        """Return what a subtask did since the job or its last restart began."""
        with self._lock:
            known = self._tasks.get((vertex, subtask))
            whole = Work()
            whole.add(NOTHING if known is None else known.work)
            return whole

    # As samples

    def samples(self) -> list[Sample]:
        """Return every metric as it stands."""
        with self._lock:
            found = [Sample(name, value) for name, value in self._job_values().items()]
            found.extend(self.latency.samples())
            done, span = self.recent.work()
            for vertex in self.plan.vertices:
                for subtask in range(vertex.parallelism):
                    totals = self._tasks.get((vertex.index, subtask))
                    if totals is not None and totals.last is not None:
                        recent = done.get((vertex.index, subtask), NOTHING)
                        found.extend(task_samples(vertex, subtask, totals, totals.last, recent, span))
                        found.extend(self._operator_samples(vertex, subtask, totals, totals.last))
        return found

    def _operator_samples(
        self, vertex: VertexSpec, subtask: int, totals: TaskTotals, last: TaskReport
    ) -> Iterator[Sample]:
        for position, member in enumerate(vertex.chain):
            if member.parent < 0:
                yield Sample("numRecordsIn", totals.work.records_in, "counter", vertex, subtask, member)
            elif member.tag is None:
                yield Sample("numRecordsIn", totals.emitted[member.parent], "counter", vertex, subtask, member)
            yield Sample("numRecordsOut", totals.emitted[position], "counter", vertex, subtask, member)
            for one in last.metrics.get(member.operator_id, ()):
                yield from self._user_samples(vertex, subtask, member, totals, one)

    def _user_samples(
        self, vertex: VertexSpec, subtask: int, member: ChainedOperator, totals: TaskTotals, one: Measured
    ) -> Iterator[Sample]:
        key = (member.operator_id, one.name)
        value, kind = one.value, one.kind
        if kind == "histogram":
            value = HistogramStatistics.of(totals.values.get(key, ()), value[0])
        elif kind == "meter":
            value = rate_of(totals.marks[key], self._now())
        elif kind == "distribution":
            count, total, least, greatest = value
            parts = {"count": count, "sum": total, "min": least, "max": greatest, "mean": total / count if count else 0}
            for part, number in parts.items():
                yield Sample(f"{one.name}_{part}", number, "gauge", vertex, subtask, member,
                             f"{one.plain_name}_{part}", one.variables)  # fmt: skip
            return
        yield Sample(one.name, value, kind, vertex, subtask, member, one.plain_name, one.variables)


def task_samples(
    vertex: VertexSpec, subtask: int, totals: TaskTotals, last: TaskReport, recent: Work, span: float
) -> Iterator[Sample]:
    """Yield the metrics that every subtask has, with Flink's names."""
    work, share = totals.work, shares(recent, span)
    entering = last.source_watermark if last.input_watermark is None else last.input_watermark
    watermark = MIN_TIMESTAMP if entering is None else entering
    counters = {
        "numRecordsIn": work.records_in,
        "numRecordsOut": work.records_out,
        "numBytesIn": work.bytes_in,
        "numBytesOut": work.bytes_out,
    }
    rates = {
        "numRecordsInPerSecond": recent.records_in / span,
        "numRecordsOutPerSecond": recent.records_out / span,
        "numBytesInPerSecond": recent.bytes_in / span,
        "numBytesOutPerSecond": recent.bytes_out / span,
    }
    gauges: dict[str, Any] = {
        "busyTimeMsPerSecond": 1000 * share.busy,
        "backPressuredTimeMsPerSecond": 1000 * share.back_pressured,
        "idleTimeMsPerSecond": 1000 * share.idle,
        "accumulateBusyTimeMs": 1000 * work.busy,
        "accumulateBackPressuredTimeMs": 1000 * work.back_pressured,
        "isBackPressured": share.back_pressured > 0.1,  # noqa: PLR2004 - as Flink has it
        "currentInputWatermark": watermark,
        "currentOutputWatermark": MIN_TIMESTAMP if last.watermark is None else last.watermark,
        "stateSize": sum(file.size for file in last.lineage.files),
    }
    if MIN_TIMESTAMP < watermark < LAST_MOMENTS:
        gauges["watermarkLag"] = last.finished - watermark
    for kind, values in (("counter", counters), ("meter", rates), ("gauge", gauges)):
        for name, value in values.items():
            yield Sample(name, value, kind, vertex, subtask)


LAST_MOMENTS = 2**62
"""A watermark beyond is the end of time, which nothing lags behind."""


def rate_of(marks: deque[tuple[float, int]], now: float) -> float:
    """Return events per second since the first mark.

    >>> rate_of(deque([(10.0, 0), (12.0, 8)]), now=14.0)
    2.0
    """
    begin, before = marks[0]
    return (marks[-1][1] - before) / (now - begin) if now > begin else 0.0
