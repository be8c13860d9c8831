"""Lets equal parts of a plan run once."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from flott.table.expr import AggregateCall, Expr
from flott.table.functions.registry import is_changing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.table.plan.nodes import Node


class SharedParts:
    """Knows the parts of some plans; a part that is equal to one that was there before becomes that one."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], list[Node]] = {}

    def share(self, node: Node) -> Node:
        """Return an equal plan in which equal parts are one object, which is what makes one step of them."""
        inputs = tuple(self.share(one) for one in node.inputs)
        if any(new is not old for new, old in zip(inputs, node.inputs, strict=True)):
            node = node.with_inputs(*inputs)
        if any(_changes(part) for part in _parts(node)):
            return node
        alike = self._known.setdefault((type(node).__name__, node.detail), [])
        for known in alike:
            if _same(known, node):
                return known
        alike.append(node)
        return node


def _same(one: Node, other: Node) -> bool:
    # Inputs that are equal are one object by now; comparing them by identity keeps this from going deep each time.
    return [*map(id, one.inputs)] == [*map(id, other.inputs)] and one == other


def _parts(node: Node) -> Iterator[object]:
    """Go over what a node computes: its expressions and its calls of aggregates."""
    for field in fields(node):
        value = getattr(node, field.name)
        yield from value if isinstance(value, tuple) else (value,)


def _changes(part: object) -> bool:
    """Return whether it gives another value each time, so that it has to be computed each time."""
    if isinstance(part, AggregateCall):
        return part.user is not None and not part.user.is_deterministic()
    return isinstance(part, Expr) and is_changing(part)
