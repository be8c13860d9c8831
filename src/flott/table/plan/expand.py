"""Rows once for each of several groupings."""

from __future__ import annotations

from dataclasses import dataclass

from flott.table.plan.nodes import Field, Node, OneInput
from flott.table.types import DataTypes

NUMBER = DataTypes.BIGINT().not_null()


@dataclass(frozen=True, slots=True)
class Expand(OneInput):
    """Hands on each row once for each grouping: with NULL in the keys that are not in it, and with its number."""

    keys: int
    """The first so many columns are keys; behind them comes the number of the grouping, then the other columns."""
    sets: tuple[frozenset[int], ...]

    @property
    def detail(self) -> str:
        names = [field.name for field in self.input.fields]
        shown = ", ".join(f"({', '.join(names[key] for key in sorted(one))})" for one in self.sets)
        return f"groupings=[{shown}]"


def expand(node: Node, keys: int, sets: tuple[frozenset[int], ...]) -> Expand:
    """Return rows once for each grouping; a key that is not in all of them may be NULL, and is no time any more."""
    heads = [
        field if all(place in one for one in sets) else Field(field.name, field.type.nullable())
        for place, field in enumerate(node.fields[:keys])
    ]
    return Expand((*heads, Field("$grouping", NUMBER), *node.fields[keys:]), node, keys, sets)
