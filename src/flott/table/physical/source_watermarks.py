"""Watermarks inside of a source: one for each split, of which the slowest counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flott.table.expr import Call, substituted
from flott.table.physical.step import Step
from flott.table.plan import nodes as n
from flott.table.runtime.watermark_assigner import watermark_strategy

if TYPE_CHECKING:
    from flott.table.expr import Expr
    from flott.table.physical.translate import Translator

CLOCKS = frozenset({
    "PROCTIME", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "NOW", "CURRENT_ROW_TIMESTAMP", "UNIX_TIMESTAMP",
})  # fmt: skip
"""Functions that ask for the time of day, which a watermark inside of a source does not know."""


def watermark_in_source(node: n.Watermark, translator: Translator) -> Step | None:
    """Return the steps of a table whose source knows its splits; None if event time has to be told behind it.

    A topic of Kafka has a split for each partition: rows of one may be far behind those of another, and none is late.
    """
    settings = translator.settings
    expr, scan = _over_scan(node)
    if (
        settings.batch
        or scan is None
        or any(isinstance(part, Call) and part.function in CLOCKS for part in expr.walk())
    ):
        return None
    made = settings.connectors.source(scan)
    if made.per_split is None or not made.columnar or made.changelog:
        return None
    strategy, per_split = watermark_strategy(expr, settings.zone, settings.idle_timeout), made.per_split
    detail = f"{scan.detail}, watermark=[{n.show(expr, scan)}]"
    source = Step("TableSourceScan", detail, scan.fields, append_only=True, source=lambda env: per_split(env, strategy))
    translator.provide(scan, source)
    return replace(translator.translate(node.input), fields=node.fields)


def _over_scan(node: n.Watermark) -> tuple[Expr, n.Scan | None]:
    """Return the watermark over the columns that the source reads, if only columns are computed in between."""
    expr, below = node.expr, node.input
    while isinstance(below, n.Project):
        expr, below = substituted(expr, below.exprs), below.input
    return expr, below if isinstance(below, n.Scan) else None
