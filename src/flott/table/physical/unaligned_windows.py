"""Windows that do not end at the same moments for all rows: sessions, and what is cut by processing time."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from flott.table.errors import NotYetError
from flott.table.expr import InputRef
from flott.table.physical.step import Step, refuse_nested
from flott.table.plan import nodes as n
from flott.table.runtime.group_aggregate import GroupPlan
from flott.table.runtime.key_hash import ColumnsHash, KeyColumns
from flott.table.runtime.processing_windows import ProcessingWindowAggregate
from flott.table.runtime.session_expand import SessionExpand

if TYPE_CHECKING:
    from flott.table.physical.translate import Translator

BOUNDS = {n.WINDOW_START: "start", n.WINDOW_END: "end", n.PROCTIME: "time"}


def translate_sessions(node: n.WindowTable, below: Step) -> Step:
    """Return the step that hands on the rows of each session when it is over."""
    if not below.append_only:
        raise NotYetError("sessions of rows that are updated can't be run yet; group by without the window")
    refuse_nested(below.fields, "a session")
    bare = Step("", "", node.fields, append_only=True)
    operator = partial(
        SessionExpand,
        node.partition,
        node.time,
        node.windows.size,
        bare.arrow_types(),
        processing=node.windows.processing,
    )
    exchange = ColumnsHash(KeyColumns(node.partition))
    return Step("WindowTableFunction", node.detail, node.fields, append_only=True, inputs=(below,), operator=operator,
                exchanges=(exchange,))  # fmt: skip


def in_processing_time(node: n.Aggregate, translator: Translator) -> Step | None:
    """Return the step of an aggregate of windows of processing time; None if it is another one."""
    pre = node.input
    if not isinstance(pre, n.Project) or not isinstance(pre.input, n.WindowTable) or not pre.input.windows.processing:
        return None
    table = pre.input
    width = len(table.input.fields)
    windowed = {place for place, expr in enumerate(pre.exprs) if any(index >= width for index in expr.inputs())}
    keys = [key for key in node.keys if key not in windowed]
    bounds = [key for key in node.keys if key in windowed]
    used = {place for call in node.calls for place in (*call.args, *(() if call.filter is None else (call.filter,)))}
    if used & windowed or not all(isinstance(pre.exprs[key], InputRef) for key in bounds):
        raise NotYetError(
            "an aggregate of windows of processing time can't look at the windows' bounds; select them behind GROUP BY"
        )
    if table.windows.kind == n.SESSION and not _by_partition(pre, table, keys):
        raise NotYetError("sessions of processing time are grouped by what they are PARTITION BY, and by nothing else")
    from flott.table.physical.translate import check_zone

    check_zone(table.input.fields[table.time].type, translator.settings.zone)
    wanted = [place for place in range(len(pre.exprs)) if place not in windowed]
    source: n.Node = table.input
    if wanted:
        fields, exprs = tuple(pre.fields[place] for place in wanted), tuple(pre.exprs[place] for place in wanted)
        source = n.Project(fields, table.input, exprs)
    below = translator.translate(source)
    if not below.append_only:
        raise NotYetError("a window over rows that are updated can't be run yet; group by without the window")
    at = {place: number for number, place in enumerate(wanted)}
    calls = tuple(
        replace(
            call, args=tuple(at[place] for place in call.args), filter=None if call.filter is None else at[call.filter]
        )
        for call in node.calls
    )
    plan = GroupPlan(tuple(at[key] for key in keys), calls, tuple(field.type for field in below.fields), False)
    layout = tuple(BOUNDS[pre.fields[key].role or ""] if key in windowed else keys.index(key) for key in node.keys)
    bare = Step("", "", node.fields, append_only=True)
    operator = partial(ProcessingWindowAggregate, plan, table.windows, layout, bare.arrow_types())
    detail = f"windows=[{table.windows}], {node.detail}"
    return Step("WindowAggregate", detail, node.fields, append_only=True, inputs=(below,), operator=operator,
                exchanges=(ColumnsHash(KeyColumns(plan.keys)),))  # fmt: skip


def _by_partition(pre: n.Project, table: n.WindowTable, keys: list[int]) -> bool:
    columns = [pre.exprs[key] for key in keys]
    return {one.index if isinstance(one, InputRef) else -1 for one in columns} == set(table.partition)
