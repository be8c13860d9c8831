"""Metrics as JSON, in the shapes of Flink's REST API."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any

from flott.metrics.flat import flat, text

if TYPE_CHECKING:
    from collections.abc import Collection

    from flott.metrics.job_metrics import JobMetrics

AGGREGATES = ("min", "max", "avg", "sum")


def metrics_json(metrics: JobMetrics, vertex_id: str | None = None, get: Collection[str] = ()) -> list[dict[str, str]]:
    """Return the ids of the metrics of a job, or of a vertex; with ``get`` the values of those, without the unknown.

    Ids of a vertex begin with the subtask: ``0.numRecordsIn``, ``0.Map.numRecordsIn``.
    """
    values = values_of(metrics, vertex_id)
    if not get:
        return [{"id": name} for name in values]
    return [{"id": name, "value": text(values[name])} for name in get if name in values]


def aggregated_json(
    metrics: JobMetrics, vertex_id: str, get: Collection[str] = (), agg: Collection[str] = AGGREGATES
) -> list[dict[str, Any]]:
    """Return the metrics of a vertex over all its subtasks: for each asked for min, max, avg and sum.

    Without ``get``, only the ids. What is no finite number is left out.
    """
    numbers: dict[str, list[float]] = {}
    for name, value in values_of(metrics, vertex_id).items():
        if isinstance(value, Real) and math.isfinite(value):
            numbers.setdefault(name.partition(".")[2], []).append(float(value))
    if not get:
        return [{"id": name} for name in numbers]
    found = []
    for name in get:
        values = numbers.get(name)
        if values:
            whole = {"min": min(values), "max": max(values), "avg": sum(values) / len(values), "sum": sum(values)}
            found.append({"id": name, **{one: whole[one] for one in agg}})
    return found


def values_of(metrics: JobMetrics, vertex_id: str | None) -> dict[str, Any]:
    """Return the values of a job's own metrics, or of those of a vertex, by id."""
    return {
        name: value
        for sample in metrics.samples()
        if (None if sample.vertex is None else sample.vertex.id) == vertex_id
        for name, value in flat(sample)
    }
