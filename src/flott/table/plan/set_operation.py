"""INTERSECT and EXCEPT: rows that are in two inputs, or only in the first."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flott.table.plan.nodes import Node

INTERSECT, EXCEPT = "INTERSECT", "EXCEPT"


@dataclass(frozen=True, slots=True)
class SetOperation(Node):
    """Compares whole rows of two inputs; NULL is equal to NULL."""

    left: Node
    right: Node
    kind: str
    """INTERSECT or EXCEPT."""
    every: bool
    """Whether equal rows count each (ALL), or only once."""

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.left, self.right)

    def with_inputs(self, *inputs: Node) -> Node:
        return replace(self, left=inputs[0], right=inputs[1])

    @property
    def detail(self) -> str:
        return f"kind=[{self.kind}{' ALL' if self.every else ''}], fields=[{', '.join(f.name for f in self.fields)}]"
