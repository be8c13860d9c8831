"""Latency markers: how old the records of an epoch were when the end of a chain was done with them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from flott.metrics.samples import HistogramStatistics, Sample

if TYPE_CHECKING:
    from flott.metrics.epoch import FinishedEpoch
    from flott.runtime.plan import EpochPlan

HISTORY = 128
"""So many of the latest make the histogram, as in Flink."""


class LatencyMarkers:
    """Measures from the moment an epoch was planned, for each source, to the subtasks behind it.

    An epoch takes along all records that its sources had when it was planned, and each subtask works on its part at
    once: so one measure per epoch and subtask says what a marker between the records would. It costs nothing in the
    tasks. How long records waited at the source before is not in it, as it is not in Flink's.
    """

    def __init__(self, plan: EpochPlan, interval: int) -> None:
        self._plan = plan
        self._interval = interval
        self._next = 0
        self._sources = {
            vertex.index: reachable(plan, vertex.index) for vertex in plan.vertices if not plan.inputs_of(vertex)
        }
        self._found: dict[tuple[int, int, int], deque[float]] = {}
        self._counts: dict[tuple[int, int, int], int] = {}

    def observe(self, epoch: FinishedEpoch) -> None:
        """Take an epoch that counts."""
        if self._interval <= 0 or epoch.started < self._next:
            return
        read = {report.vertex for report in epoch.reports if report.records_in}
        if not read & self._sources.keys():
            return
        self._next = epoch.started + self._interval
        for source in read & self._sources.keys():
            for report in epoch.reports:
                if report.vertex in self._sources[source]:
                    key = (source, report.vertex, report.subtask)
                    self._found.setdefault(key, deque(maxlen=HISTORY)).append(report.finished - epoch.started)
                    self._counts[key] = self._counts.get(key, 0) + 1

    def samples(self) -> list[Sample]:
        """Return a histogram for each source and each operator at the end of a chain behind it."""
        told = []
        for (source, target, subtask), found in self._found.items():
            vertex = self._plan.vertices[target]
            statistics = HistogramStatistics.of(found, self._counts[source, target, subtask])
            for member in vertex.chain:
                if any(vertex.chain[other.parent] is member for other in vertex.chain if other.parent >= 0):
                    continue
                variables = (
                    ("source_id", self._plan.vertices[source].id),
                    ("operator_id", member.operator_id),
                    ("operator_subtask_index", str(subtask)),
                )
                name = ".".join(("latency", *(part for pair in variables for part in pair), "latency"))
                plain = ".".join(("latency", *(key for key, _ in variables), "latency"))
                told.append(Sample(name, statistics, "histogram", plain_name=plain, variables=variables))
        return told


def reachable(plan: EpochPlan, start: int) -> set[int]:
    """Return a vertex and all that its records can come to."""
    found, waiting = {start}, [start]
    while waiting:
        vertex = waiting.pop()
        for edge in plan.edges:
            if edge.source == vertex and edge.target not in found:
                found.add(edge.target)
                waiting.append(edge.target)
    return found
