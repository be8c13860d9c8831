"""Joins with a table as it was at a time: of event time with its versions, of processing time by looking rows up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from flott.table.plan.nodes import Field, Node, OneInput, named

if TYPE_CHECKING:
    from flott.table.expr import Expr


@dataclass(frozen=True, slots=True)
class TemporalJoin(Node):
    """Puts each row of the left together with the version of a row of the right that was valid at its time."""

    left: Node
    right: Node
    kind: str
    """INNER or LEFT."""
    keys: tuple[tuple[int, ...], tuple[int, ...]]
    """The columns of left and right that are equal."""
    times: tuple[int, int]
    """Event time of left and right."""
    condition: Expr | None
    """What must hold besides, over the columns of left and right."""

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.left, self.right)

    def with_inputs(self, *inputs: Node) -> Node:
        return replace(self, left=inputs[0], right=inputs[1])

    @property
    def detail(self) -> str:
        left, right = self.left.fields, self.right.fields
        equal = " AND ".join(f"{left[one].name} = {right[other].name}" for one, other in zip(*self.keys, strict=True))
        extra = "" if self.condition is None else f" AND {named(self.condition, [f.name for f in (*left, *right)])}"
        return f"joinType=[{self.kind}], asOf=[{left[self.times[0]].name}], where=[{equal}{extra}]"


@dataclass(frozen=True, slots=True)
class LookupJoin(OneInput):
    """Looks up, for each row, the rows of a table of a connector that have its keys."""

    kind: str
    """INNER or LEFT."""
    path: str
    table: Any
    """The catalog's table."""
    looked_up: tuple[Field, ...]
    """The columns of the table."""
    keys: tuple[tuple[int, ...], tuple[int, ...]]
    """The columns of the input and of the table that are equal."""
    condition: Expr | None
    """What must hold besides, over the columns of input and table."""

    @property
    def detail(self) -> str:
        names = [field.name for field in (*self.input.fields, *self.looked_up)]
        width = len(self.input.fields)
        equal = ", ".join(f"{names[width + other]}={names[one]}" for one, other in zip(*self.keys, strict=True))
        extra = "" if self.condition is None else f", where=[{named(self.condition, names)}]"
        return f"table=[{self.path}], joinType=[{self.kind}], lookup=[{equal}]{extra}"
