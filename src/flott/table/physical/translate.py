"""Logical plan to physical plan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from flott.table.arrow_types import to_arrow_type
from flott.table.connectors.arrow_source import ArrowSource
from flott.table.errors import NotYetError
from flott.table.physical.aggregates import hashed, translate_aggregate
from flott.table.physical.correlate import translate_correlate
from flott.table.physical.expand import translate_expand
from flott.table.physical.joins import translate_join
from flott.table.physical.matches import translate_match
from flott.table.physical.over import numbers_by_time, translate_over
from flott.table.physical.ranks import translate_rank
from flott.table.physical.set_operations import translate_set_operation
from flott.table.physical.sorts import translate_sort
from flott.table.physical.source_watermarks import watermark_in_source
from flott.table.physical.step import Step
from flott.table.physical.table_aggregate import translate_table_aggregate
from flott.table.physical.temporal_joins import translate_lookup_join, translate_temporal_join
from flott.table.physical.unaligned_windows import translate_sessions
from flott.table.plan import nodes as n
from flott.table.plan.correlate import Correlate
from flott.table.plan.expand import Expand
from flott.table.plan.match import Match
from flott.table.plan.over import OverAggregate
from flott.table.plan.set_operation import SetOperation
from flott.table.plan.sort import Sort
from flott.table.plan.table_aggregate import TableAggregate
from flott.table.plan.temporal import LookupJoin, TemporalJoin
from flott.table.runtime.calc import Calc
from flott.table.runtime.changelog_normalize import ChangelogNormalize
from flott.table.runtime.conversion import RecordsToColumns
from flott.table.runtime.watermark_assigner import WatermarkAssigner, watermark_strategy
from flott.table.runtime.window_expand import WindowExpand
from flott.table.types import LocalZonedTimestampType

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.table.expr import Expr
    from flott.table.runtime.emitting_windows import Emit


@dataclass(frozen=True, slots=True)
class Settings:
    """What the plan depends on besides the query."""

    zone: str = "UTC"
    bundle: bool = False
    """Whether groups report once per batch: table.exec.mini-batch.enabled."""
    connectors: Any = None
    """Finds what reads a table, by the name of its connector."""
    ttl: int = 0
    """After how many milliseconds state is forgotten that was not touched; 0 is never: table.exec.state.ttl."""
    idle_timeout: int = 0
    """After how many silent milliseconds nobody waits for a source any more; 0 is never."""
    emit: Emit | None = None
    """When windows tell results besides at their end: table.exec.emit."""
    batch: bool = False
    """Whether the input ends, and only the last rows count."""
    local: bool = True
    """Whether batches may be aggregated before the exchange: table.optimizer.agg-phase-strategy."""


class Translator:
    """Translates the nodes of the plans of one program; a node that is used twice becomes one step."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._known: dict[int, tuple[n.Node, Step]] = {}
        """By the identity of a node; the node is kept with its step, so that its identity stays its own."""

    def translate(self, node: n.Node) -> Step:
        """Return the step that does what a node says."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = (node, self._translate(node))
        return known[1]

    def provide(self, node: n.Node, step: Step) -> None:
        """Let a step stand for a node that something else runs."""
        self._known[id(node)] = (node, step)

    def _translate(self, node: n.Node) -> Step:
        step = STEPS.get(type(node))
        if step is None:
            raise TypeError(f"{type(node).__name__} has no operator")
        return step(self, node)

    # Rows without state

    def _calc(self, node: n.Node) -> Step:
        condition: Expr | None = None
        exprs = None
        source = node
        if isinstance(source, n.Project):
            exprs, source = source.exprs, source.input
        if isinstance(source, n.Filter):
            condition, source = source.condition, source.input
        below = self.translate(source)
        details = []
        if exprs is not None:
            pairs = zip(exprs, node.fields, strict=True)
            details.append(f"select=[{', '.join(f'{n.show(expr, source)} AS {field.name}' for expr, field in pairs)}]")
        if condition is not None:
            details.append(f"where=[{n.show(condition, source)}]")
        operator = partial(Calc, condition, exprs, self.settings.zone)
        return Step("Calc", ", ".join(details), node.fields, below.append_only, (below,), operator, (None,))

    def _watermark(self, node: n.Watermark) -> Step:
        pushed = watermark_in_source(node, self)
        if pushed is not None:
            return pushed
        below = self.translate(node.input)
        strategy = watermark_strategy(node.expr, self.settings.zone, self.settings.idle_timeout)
        operator = partial(WatermarkAssigner, strategy)
        return Step("WatermarkAssigner", node.detail, node.fields, below.append_only, (below,), operator, (None,))

    def _windows(self, node: n.WindowTable) -> Step:
        kind = node.input.fields[node.time].type
        check_zone(kind, self.settings.zone)
        below = self.translate(node.input)
        if node.windows.kind == n.SESSION:
            return translate_sessions(node, below)
        operator = partial(
            WindowExpand, node.time, node.windows, to_arrow_type(kind), processing=node.windows.processing
        )
        return Step("WindowTableFunction", node.detail, node.fields, below.append_only, (below,), operator, (None,))

    def _union(self, node: n.Union) -> Step:
        parts = tuple(self.translate(part) for part in node.parts)
        append_only = all(part.append_only for part in parts)
        return Step("Union", node.detail, node.fields, append_only, parts)

    # Sources

    def _scan(self, node: n.Scan) -> Step:
        made = self.settings.connectors.source(node)
        return self._records(
            "TableSourceScan", node, made.stream, columnar=made.columnar, append_only=not made.changelog
        )

    def _stream(self, node: n.StreamScan) -> Step:
        stream = node.stream
        rows = self._records("DataStreamScan", node, lambda _: stream, columnar=False, append_only=not node.changelog)
        if not node.upserts:
            return rows
        names = [field.name for field in node.fields]
        keys = tuple(names.index(name) for name in node.key)
        operator = partial(ChangelogNormalize, keys, rows.arrow_types(), ttl=self.settings.ttl)
        return Step("ChangelogNormalize", f"key=[{', '.join(node.key)}]", node.fields, append_only=False,
                    inputs=(rows,), operator=operator, exchanges=(hashed(keys),))  # fmt: skip

    def _values(self, node: n.Values) -> Step:
        rows = list(node.rows)
        return self._records("Values", node, lambda env: env.from_collection(rows), columnar=False, append_only=True)

    def _columns(self, node: n.Columns) -> Step:
        def stream(environment: Any) -> Any:
            from flott.common.watermark_strategy import WatermarkStrategy

            return environment.from_source(ArrowSource(node.table), WatermarkStrategy.no_watermarks(), "Columns")

        return self._records("Columns", node, stream, columnar=True, append_only=True)

    def _records(
        self, name: str, node: n.Node, stream: Callable[[Any], Any], *, columnar: bool, append_only: bool
    ) -> Step:
        step = Step(name, node.detail, node.fields, append_only, source=stream)
        if columnar:
            return step
        single, places = False, tuple(range(len(node.fields)))
        if isinstance(node, n.StreamScan):
            single, places = is_single(node.stream), node.places
        operator = partial(
            RecordsToColumns, node.fields, step.arrow_types(), places, changelog=not append_only, single=single
        )
        return replace(
            step, name="ToColumns", detail="", inputs=(step,), operator=operator, exchanges=(None,), source=None
        )


def _row_number(translator: Translator, node: n.RowNumber) -> Step:
    over = numbers_by_time(node)
    if over is not None:
        return translate_over(over, translator)
    raise NotYetError(
        "ROW_NUMBER() can be run only for the first N rows: "
        "SELECT * FROM (SELECT …, ROW_NUMBER() OVER (…) AS rn …) WHERE rn <= 10"
    )


STEPS: dict[type[n.Node], Callable[[Translator, Any], Step]] = {
    n.Project: Translator._calc,  # noqa: SLF001 - a method of this file
    n.Filter: Translator._calc,  # noqa: SLF001
    n.Scan: Translator._scan,  # noqa: SLF001
    n.StreamScan: Translator._stream,  # noqa: SLF001
    n.Values: Translator._values,  # noqa: SLF001
    n.Columns: Translator._columns,  # noqa: SLF001
    n.Watermark: Translator._watermark,  # noqa: SLF001
    n.WindowTable: Translator._windows,  # noqa: SLF001
    n.Union: Translator._union,  # noqa: SLF001
    n.Aggregate: lambda translator, node: translate_aggregate(node, translator),
    n.Join: lambda translator, node: translate_join(node, translator),
    n.Rank: lambda translator, node: translate_rank(node, translator.translate(node.input), translator.settings.ttl),
    n.RowNumber: _row_number,
    Match: lambda translator, node: translate_match(node, translator),
    TemporalJoin: lambda translator, node: translate_temporal_join(node, translator),
    LookupJoin: lambda translator, node: translate_lookup_join(node, translator),
    SetOperation: lambda translator, node: translate_set_operation(node, translator),
    Expand: lambda translator, node: translate_expand(node, translator.translate(node.input)),
    Correlate: lambda translator, node: translate_correlate(node, translator),
    TableAggregate: lambda translator, node: translate_table_aggregate(node, translator),
    OverAggregate: lambda translator, node: translate_over(node, translator),
    Sort: lambda translator, node: translate_sort(node, translator),
}
"""How each kind of node is translated."""


def is_single(stream: Any) -> bool:
    """Say whether the records of a stream are single values, not rows."""
    from flott.common.typeinfo import BasicTypeInfo

    return isinstance(stream.get_type(), BasicTypeInfo)


def check_zone(kind: Any, zone: str) -> None:
    """Refuse windows whose bounds would have to follow a time zone."""
    if isinstance(kind, LocalZonedTimestampType) and zone not in {"UTC", "Z", "Etc/UTC"}:
        raise NotYetError(
            f"windows over TIMESTAMP_LTZ can be run only in the time zone UTC, not in {zone}; "
            f"CAST the column AS TIMESTAMP(3), or set 'table.local-time-zone' to UTC"
        )
