"""Lets equal parts of a plan run once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.expr import Call, Expr
from flott.table.functions.registry import functions
from flott.table.plan.nodes import Filter, Node, Project

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class SharedParts:
    """Knows the parts of some plans; a part that is equal to one that was there before becomes that one."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], list[Node]] = {}

    def share(self, node: Node) -> Node:
        """Return an equal plan in which equal parts are one object, which is what makes one step of them."""
        inputs = tuple(self.share(one) for one in node.inputs)
        if any(new is not old for new, old in zip(inputs, node.inputs, strict=True)):
            node = node.with_inputs(*inputs)
        if any(_changes(expr) for expr in _exprs(node)):
            return node
        alike = self._known.setdefault((type(node).__name__, node.detail), [])
        for known in alike:
            if _same(known, node):
                return known
        alike.append(node)
        return node


def _same(one: Node, other: Node) -> bool:
    # Inputs that are equal are one object by now; comparing them by identity keeps this from going deep each time.
    same_inputs = all(first is second for first, second in zip(one.inputs, other.inputs, strict=True))
    return same_inputs and one == other


def _exprs(node: Node) -> Iterable[Expr]:
    if isinstance(node, Project):
        return node.exprs
    return [node.condition] if isinstance(node, Filter) else []


def _changes(expr: Expr) -> bool:
    """Say whether an expression gives another value each time, so that it has to be computed each time."""
    return any(functions()[call.function].changing for call in _calls(expr))


def _calls(expr: Expr) -> Iterator[Call]:
    return (part for part in expr.walk() if isinstance(part, Call) and part.function in functions())
