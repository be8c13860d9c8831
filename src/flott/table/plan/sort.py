"""ORDER BY without LIMIT: all rows in an order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flott.table.plan.nodes import OneInput, Project

if TYPE_CHECKING:
    from flott.table.plan.nodes import Node, SortKey


@dataclass(frozen=True, slots=True)
class Sort(OneInput):
    """Hands on all rows in an order; on a stream that is an order by time first."""

    order: tuple[SortKey, ...]
    text: str | None = field(default=None, compare=False)
    place: int | None = field(default=None, compare=False)
    """Where ORDER BY stands in the text of the query, for the message if it can't be run."""

    @property
    def detail(self) -> str:
        names = [one.name for one in self.input.fields]
        order = ", ".join(f"{names[key.index]} {'DESC' if key.descending else 'ASC'}" for key in self.order)
        return f"orderBy=[{order}]"


def last_sort(node: Node) -> Sort | None:
    """Return the order in which a plan gives its rows; None if it has none.

    Columns that are computed, or left out, behind the order do not change it.
    """
    while isinstance(node, Project):
        node = node.input
    return node if isinstance(node, Sort) else None
