"""Reads, exchanges and keeps only the columns that something above makes use of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from flott.table.connectors.registry import PRUNING
from flott.table.expr import AggregateCall, Expr, InputRef, shifted
from flott.table.plan import nodes as n
from flott.table.plan.sort import Sort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Moves: TypeAlias = dict[int, int]
"""Where the columns that are left stand now."""


def prune_columns(roots: Sequence[n.Node]) -> list[n.Node]:
    """Return plans with the same columns, whose parts have no more columns than all of their readers take.

    A part that is one object in several places stays one.
    """
    demand = Pruning({})
    for root in roots:
        demand.whole(root)
    pruning = Pruning(demand.wanted)
    return [pruning.whole(root) for root in roots]


class Pruning:
    """One pass over some plans: the first finds which columns of a part are read, the second drops the others."""

    def __init__(self, known: Mapping[int, set[int]]) -> None:
        self.wanted: dict[int, set[int]] = {}
        """By the identity of a part: the columns that its readers take."""
        self._known = known
        self._made: dict[tuple[int, frozenset[int]], tuple[n.Node, Moves]] = {}

    def whole(self, node: n.Node) -> n.Node:
        """Return a part with all of its columns."""
        return self.part(node, range(len(node.fields)))[0]

    def part(self, node: n.Node, wanted: Iterable[int]) -> tuple[n.Node, Moves]:
        """Return a part with at least the wanted columns, and where they are."""
        columns = frozenset(wanted).union(self._known.get(id(node), ()))
        self.wanted.setdefault(id(node), set()).update(columns)
        made = self._made.get((id(node), columns))
        if made is None:
            made = self._made[id(node), columns] = self._pruned(node, set(columns))
        return made

    def narrowed(self, node: n.Node, wanted: set[int]) -> tuple[n.Node, Moves]:
        """Return a part with the wanted columns and no others: what a stateful operator keeps and exchanges."""
        below, moves = self.part(node, wanted)
        kept = sorted(wanted) or [0]
        if len(kept) == len(below.fields):
            return below, moves
        exprs: list[Expr] = [InputRef(below.fields[moves[place]].type, moves[place]) for place in kept]
        return n.project(below, exprs, [below.fields[moves[place]].name for place in kept]), _places(kept)

    def _pruned(self, node: n.Node, wanted: set[int]) -> tuple[n.Node, Moves]:
        prune: Callable[[n.Node, set[int], Pruning], tuple[n.Node, Moves]] | None = _PRUNE.get(type(node))
        if prune is not None:
            return prune(node, wanted, self)
        inputs = [self.whole(one) for one in node.inputs]
        if any(new is not old for new, old in zip(inputs, node.inputs, strict=True)):
            node = node.with_inputs(*inputs)
        return node, {place: place for place in range(len(node.fields))}


def _scan(node: n.Scan, wanted: set[int], _: Pruning) -> tuple[n.Node, Moves]:
    if node.table.options.get("connector") not in PRUNING:
        return node, {place: place for place in range(len(node.fields))}
    # Rows without columns can't be counted.
    kept = sorted(wanted) or [0]
    return replace(node, fields=tuple(node.fields[place] for place in kept)), _places(kept)


def _project(node: n.Project, wanted: set[int], pruning: Pruning) -> tuple[n.Node, Moves]:
    kept = sorted(wanted) or [0]
    exprs = [node.exprs[place] for place in kept]
    below, moves = pruning.part(node.input, _inputs(exprs))
    fields = tuple(node.fields[place] for place in kept)
    return n.Project(fields, below, tuple(shifted(expr, moves) for expr in exprs)), _places(kept)


def _filter(node: n.Filter, wanted: set[int], pruning: Pruning) -> tuple[n.Node, Moves]:
    below, moves = pruning.part(node.input, wanted | node.condition.inputs())
    return n.Filter(_kept(node, moves), below, shifted(node.condition, moves)), moves


def _watermark(node: n.Watermark, wanted: set[int], pruning: Pruning) -> tuple[n.Node, Moves]:
    below, moves = pruning.part(node.input, wanted | {node.rowtime} | node.expr.inputs())
    return n.Watermark(_kept(node, moves), below, moves[node.rowtime], shifted(node.expr, moves)), moves


def _aggregate(node: n.Aggregate, _wanted: set[int], pruning: Pruning) -> tuple[n.Node, Moves]:
    used = {*node.keys, *(place for call in node.calls for place in (*call.args, *_filter_of(call)))}
    below, moves = pruning.part(node.input, used)
    calls = tuple(
        replace(
            call,
            args=tuple(moves[place] for place in call.args),
            filter=None if call.filter is None else moves[call.filter],
        )
        for call in node.calls
    )
    keys = tuple(moves[key] for key in node.keys)
    return n.Aggregate(node.fields, below, keys, calls, node.ttl), _places(range(len(node.fields)))


def _windows(node: n.WindowTable, wanted: set[int], pruning: Pruning) -> tuple[n.Node, Moves]:
    width = len(node.input.fields)
    needed = {place for place in wanted if place < width} | {node.time, *node.partition}
    below, moves = pruning.part(node.input, needed)
    partition = tuple(moves[place] for place in node.partition)
    for place in range(width, len(node.fields)):
        moves = {**moves, place: len(below.fields) + place - width}
    return n.WindowTable(_kept(node, moves), below, moves[node.time], node.windows, partition), moves


def _join(node: n.Join, wanted: set[int], pruning: Pruning) -> tuple[n.Node, Moves]:
    width = len(node.left.fields)
    used = wanted | (set() if node.condition is None else node.condition.inputs())
    left, moves = pruning.narrowed(node.left, {place for place in used if place < width})
    right, others = pruning.narrowed(node.right, {place - width for place in used if place >= width})
    moves = {**moves, **{place + width: len(left.fields) + new for place, new in others.items()}}
    condition = None if node.condition is None else shifted(node.condition, moves)
    shown = {place: new for place, new in moves.items() if place < len(node.fields)}
    return n.Join(_kept(node, shown), left, right, node.kind, condition, node.ttls), shown


def _rank(node: n.Rank, wanted: set[int], pruning: Pruning) -> tuple[n.Node, Moves]:
    width = len(node.input.fields)
    used = {place for place in wanted if place < width} | {*node.partition, *(key.index for key in node.order)}
    below, moves = pruning.narrowed(node.input, used)
    partition = tuple(moves[place] for place in node.partition)
    order = tuple(replace(key, index=moves[key.index]) for key in node.order)
    if node.number:
        moves = {**moves, width: len(below.fields)}
    return replace(node, fields=_kept(node, moves), input=below, partition=partition, order=order), moves


def _sort(node: Sort, wanted: set[int], pruning: Pruning) -> tuple[n.Node, Moves]:
    below, moves = pruning.narrowed(node.input, wanted | {key.index for key in node.order})
    order = tuple(replace(key, index=moves[key.index]) for key in node.order)
    return replace(node, fields=_kept(node, moves), input=below, order=order), moves


def _kept(node: n.Node, moves: Moves) -> tuple[n.Field, ...]:
    """Return the columns of a node that are left, in their new order."""
    return tuple(node.fields[place] for place in sorted(moves, key=moves.__getitem__))


def _places(kept: Iterable[int]) -> Moves:
    return {place: new for new, place in enumerate(kept)}


def _inputs(exprs: Iterable[Expr]) -> set[int]:
    return {place for expr in exprs for place in expr.inputs()}


def _filter_of(call: AggregateCall) -> tuple[int, ...]:
    return () if call.filter is None else (call.filter,)


_PRUNE: dict[type[n.Node], Callable[..., tuple[n.Node, Moves]]] = {
    n.Scan: _scan, n.Project: _project, n.Filter: _filter, n.Watermark: _watermark, n.Aggregate: _aggregate,
    n.WindowTable: _windows, n.Join: _join, n.Rank: _rank, Sort: _sort,
}  # fmt: skip
