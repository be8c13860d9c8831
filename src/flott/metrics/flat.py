"""Samples as plain numbers with one name each: a histogram becomes its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.metrics.samples import HistogramStatistics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.metrics.samples import Sample

INVALID = str.maketrans(dict.fromkeys(" .:,", "_"))


def flat(sample: Sample) -> Iterator[tuple[str, Any]]:
    """Yield the ids of a sample in its scope, and their values, as Flink's REST API has them.

    >>> from flott.metrics.samples import Sample
    >>> list(flat(Sample("numRestarts", 0)))
    [('numRestarts', 0)]
    >>> [name for name, _ in flat(Sample("size", HistogramStatistics.of([1], 1)))][:4]
    ['size_min', 'size_max', 'size_mean', 'size_stddev']
    """
    name = scoped(sample)
    value = sample.value
    if not isinstance(value, HistogramStatistics):
        yield name, value
        return
    yield f"{name}_min", value.minimum
    yield f"{name}_max", value.maximum
    yield f"{name}_mean", value.mean
    yield f"{name}_stddev", value.deviation
    for quantile, number in value.quantiles.items():
        yield f"{name}_{label(quantile)}", number


def label(quantile: float) -> str:
    """Name a quantile as Flink does.

    >>> label(0.5), label(0.95), label(0.999)
    ('median', 'p95', 'p999')
    """
    return "median" if quantile == 0.5 else "p" + f"{quantile:.3f}"[2:].rstrip("0")  # noqa: PLR2004


def scoped(sample: Sample) -> str:
    """Return the id of a sample: subtask, operator, name."""
    parts = []
    if sample.subtask is not None:
        parts.append(str(sample.subtask))
    if sample.operator is not None:
        parts.append(sample.operator.name.translate(INVALID))
    return ".".join((*parts, sample.name))


def text(value: Any) -> str:
    """Return a value as Flink writes it.

    >>> text(True), text(2.0), text(7), text("a")
    ('true', '2.0', '7', 'a')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)
