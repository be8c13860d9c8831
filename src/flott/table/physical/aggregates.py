"""Aggregates: of groups that change, of windows in columns, or of windows row by row."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from flott.table.errors import NotYetError
from flott.table.expr import Literal
from flott.table.functions.nested_values import is_nested
from flott.table.physical.nested_keys import without_nested_keys
from flott.table.physical.step import Step
from flott.table.physical.two_phases import in_two_phases, windows_in_two_phases
from flott.table.physical.unaligned_windows import in_processing_time
from flott.table.physical.window_columns import in_columns
from flott.table.plan.nodes import SESSION, Union, Values, project
from flott.table.runtime.emitting_windows import EmittingWindowAggregate
from flott.table.runtime.group_aggregate import GroupAggregate, GroupPlan
from flott.table.runtime.group_columns import GroupColumns, fits_columns
from flott.table.runtime.key_hash import ColumnsHash, KeyColumns
from flott.table.runtime.window_aggregate import WindowAggregate
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from flott.table.physical.translate import Translator
    from flott.table.plan import nodes as n
    from flott.table.runtime.emitting_windows import Emit


def translate_aggregate(node: n.Aggregate, translator: Translator) -> Step:
    """Return the steps of an aggregate."""
    _refuse_order(node)
    flat = without_nested_keys(node)
    if flat is not None:
        return translator.translate(flat)
    return _aggregate(_of_any_rows(node) if translator.settings.batch and not node.keys else node, translator)


def _aggregate(node: n.Aggregate, translator: Translator) -> Step:
    bounds = node.window_keys()
    if bounds is not None and translator.settings.emit is not None:
        return _emitting(node, bounds[1], translator.settings.emit, translator)
    if bounds is not None:
        fast = in_columns(node, translator) or in_processing_time(node, translator)
        if fast is not None:
            return fast
    below = translator.translate(node.input)
    plan = GroupPlan(
        node.keys, node.calls, tuple(field.type for field in below.fields), retracting=not below.append_only
    )
    exchange = hashed(node.keys)
    if bounds is None:
        _check_retraction(node, below)
        split = in_two_phases(node, below, translator.settings)
        if split is not None:
            return split
        settings = translator.settings
        ttl = settings.ttl if node.ttl is None else node.ttl
        group: Any = partial(GroupAggregate, plan, bundle=settings.bundle, ttl=ttl)
        if fits_columns(plan) and not settings.bundle and not ttl:
            group = partial(GroupColumns, plan)
        return Step("GroupAggregate", node.detail, node.fields, append_only=False, inputs=(below,), operator=group,
                    exchanges=(exchange,))  # fmt: skip
    windows = node.input.fields[bounds[1]].windows
    if windows is not None and windows.processing:
        raise NotYetError("windows of processing time can be grouped only directly behind the window table function")
    if not below.append_only:
        raise NotYetError("a window over rows that are updated can't be run yet; group by without the window")
    end = node.keys.index(bounds[1])
    halves = windows_in_two_phases(node, below, end, translator.settings)
    if halves is not None:
        return halves
    window = partial(WindowAggregate, plan, end)
    return Step("WindowAggregate", node.detail, node.fields, append_only=True, inputs=(below,), operator=window,
                exchanges=(exchange,))  # fmt: skip


def _refuse_order(node: n.Aggregate) -> None:
    for call in node.calls:
        if call.user is None and call.function in {"MIN", "MAX"}:
            kind = node.input.fields[call.args[0]].type
            if is_nested(kind):
                raise NotYetError(
                    f"{call.function}: values of {kind.nullable()!r} have no order; take one of their parts"
                )


def _of_any_rows(node: n.Aggregate) -> n.Aggregate:
    """Return an aggregate of a whole table with a row that no call counts: in batch mode no rows have totals, too."""
    width = len(node.input.fields)
    names = [*(field.name for field in node.input.fields), "$counts"]
    rows = project(node.input, [*node.input.refs(), Literal(DataTypes.BOOLEAN().not_null(), True)], names)
    uncounted = Values(rows.fields, ((*[None] * width, False),))
    calls = tuple(replace(call, filter=width if call.filter is None else call.filter) for call in node.calls)
    return replace(node, input=Union(rows.fields, (rows, uncounted)), calls=calls)


def _emitting(node: n.Aggregate, end: int, emit: Emit, translator: Translator) -> Step:
    """Return the step of a window that tells results early or late."""
    windows = node.input.fields[end].windows
    if windows is None or not windows.grouped or windows.processing or windows.kind == SESSION:
        raise NotYetError(
            "'table.exec.emit.early-fire' and 'late-fire' are for TUMBLE and HOP of event time in GROUP BY; "
            "windows in FROM, sessions and windows of processing time tell their results once"
        )
    below = translator.translate(node.input)
    if not below.append_only:
        raise NotYetError("a window over rows that are updated can't be run yet; group by without the window")
    plan = GroupPlan(node.keys, node.calls, tuple(field.type for field in below.fields), retracting=False)
    operator = partial(EmittingWindowAggregate, plan, node.keys.index(end), emit)
    return Step("GroupWindowAggregate", f"{node.detail}, emit=[{emit}]", node.fields, append_only=False,
                inputs=(below,), operator=operator, exchanges=(hashed(node.keys),))  # fmt: skip


def _check_retraction(node: n.Aggregate, below: Step) -> None:
    for call in node.calls:
        if call.user is not None and not below.append_only and not call.user.retracts:
            raise NotYetError(
                f"{call.function} must take rows back here, because its input is updated: give it a method retract"
            )


def hashed(keys: tuple[int, ...]) -> Any:
    """Return the exchange that brings rows of equal keys together."""
    return ColumnsHash(KeyColumns(keys))
