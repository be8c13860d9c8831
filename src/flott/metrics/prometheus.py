"""Metrics as text for Prometheus, with the names that Flink's reporter gives them, so that its dashboards fit."""

from __future__ import annotations

import math
import re
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from flott.metrics.samples import HistogramStatistics

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.metrics.job_metrics import JobMetrics
    from flott.metrics.samples import Sample

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
UNFIT = re.compile(r"[^a-zA-Z0-9_]")


def render(jobs: Iterable[JobMetrics], prefix: str = "flink") -> str:
    """Return the metrics of some jobs in Prometheus' text format.

    A counter may go down, here as in Flink, so all are gauges but histograms, which are summaries. What is no number
    is left out.
    """
    families: dict[str, tuple[str, list[str]]] = {}
    for job in jobs:
        for sample in job.samples():
            summary = isinstance(sample.value, HistogramStatistics)
            if not summary and not isinstance(sample.value, Real):
                continue
            name = "_".join((prefix, *scope(sample), fit((sample.plain_name or sample.name).replace(".", "_"))))
            if families.get(name, ("", []))[0] == ("gauge" if summary else "summary"):
                continue  # a name that functions use for two kinds: the first counts
            _, lines = families.setdefault(name, ("summary" if summary else "gauge", []))
            lines.extend(lines_of(name, labels(job, sample), sample.value))
    return "".join(
        f"# HELP {name} {name.removeprefix(prefix + '_')}\n# TYPE {name} {kind}\n" + "".join(sorted(set(lines)))
        for name, (kind, lines) in sorted(families.items())
    )


def scope(sample: Sample) -> tuple[str, ...]:
    """Return Flink's words for whose metric it is."""
    if sample.vertex is None:
        return ("jobmanager", "job")
    return ("taskmanager", "job", "task", *(() if sample.operator is None else ("operator",)))


def labels(job: JobMetrics, sample: Sample) -> dict[str, str]:
    """Return what tells this sample from others of its name."""
    told = {"job_id": job.plan.job_id, "job_name": job.plan.job_name}
    if sample.vertex is not None:
        told |= {
            "task_id": sample.vertex.id,
            "task_name": sample.vertex.name,
            "subtask_index": str(sample.subtask),
        }
    if sample.operator is not None:
        told |= {"operator_id": sample.operator.operator_id, "operator_name": sample.operator.name}
    return told | {fit(key): value for key, value in sample.variables}


def lines_of(name: str, told: dict[str, str], value: Any) -> list[str]:
    """Write one sample."""
    if not isinstance(value, HistogramStatistics):
        return [line(name, told, value)]
    found = [line(name, told | {"quantile": str(quantile)}, number) for quantile, number in value.quantiles.items()]
    return [*found, line(f"{name}_count", told, value.count)]


def line(name: str, told: dict[str, str], value: float) -> str:
    r"""Write one line.

    >>> line("flink_x", {"job_name": 'a "b"'}, True)
    'flink_x{job_name="a \\"b\\""} 1\n'
    """
    inside = ",".join(f'{key}="{escaped(text)}"' for key, text in told.items())
    return f"{name}{{{inside}}} {number(value)}\n"


def number(value: Any) -> str:
    """Write a number.

    >>> number(2), number(0.5), number(math.inf), number(-math.inf), number(math.nan)
    ('2', '0.5', '+Inf', '-Inf', 'NaN')
    """
    if isinstance(value, Integral):
        return str(int(value))
    if math.isfinite(value):
        return repr(float(value))
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"


def escaped(text: str) -> str:
    """Escape what a label's value may not hold."""
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def fit(name: str) -> str:
    """Make a name of letters, digits and underscores.

    >>> fit("my-metric"), fit("2nd")
    ('my_metric', '_2nd')
    """
    clean = UNFIT.sub("_", name)
    return f"_{clean}" if clean[:1].isdigit() or not clean else clean
