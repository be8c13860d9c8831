"""MATCH_RECOGNIZE in plans: which rows, in which order, make a match, and what is told of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.table.plan.nodes import OneInput, SortKey, named

if TYPE_CHECKING:
    from flott.table.expr import AggregateCall, Expr
    from flott.table.types import DataType


@dataclass(frozen=True, slots=True)
class PatternPart:
    """A variable of a pattern, and how many rows in a row it takes."""

    variable: str
    least: int = 1
    most: int | None = 1
    """None: there is no limit."""
    greedy: bool = True
    """Whether it takes as many rows as it can, before the next variable takes one."""

    def __str__(self) -> str:
        times = {(1, 1): "", (0, 1): "?", (0, None): "*", (1, None): "+"}.get((self.least, self.most))
        if times is None:
            most = "" if self.most is None else self.most
            times = f"{{{self.least}}}" if self.least == self.most else f"{{{self.least},{most}}}"
        return f"{self.variable}{times}{'' if self.greedy else '?'}"


@dataclass(frozen=True, slots=True)
class Glance:
    """One value taken from the rows that a match holds: of the first or last rows of a variable, or an aggregate."""

    type: DataType
    variable: str | None
    """None: of all rows."""
    column: int | None
    """None: of COUNT(*)."""
    first: bool = False
    offset: int = 0
    """How many rows after the first, or before the last."""
    call: AggregateCall | None = None

    def of_current_row(self, variable: str) -> bool:
        """Say whether it is a value of the row at hand, while that is tried for a variable."""
        return self.call is None and not self.first and self.offset == 0 and self.variable in {variable, None}

    def text(self, names: list[str]) -> str:
        """Write it as in the query."""
        column = "*" if self.column is None else names[self.column]
        inner = column if self.variable is None else f"{self.variable}.{column}"
        if self.call is not None:
            return f"{self.call.function}({inner})"
        return f"{'FIRST' if self.first else 'LAST'}({inner}, {self.offset})"


@dataclass(frozen=True, slots=True)
class Definition:
    """When a row may be taken by a variable."""

    variable: str
    tests: tuple[int, ...]
    """Columns that must be TRUE in the row itself."""
    condition: Expr | None = None
    """What must be TRUE besides, over the glances."""
    glances: tuple[Glance, ...] = ()

    def text(self, names: list[str]) -> str:
        """Write it as in the query."""
        parts = [names[test] for test in self.tests]
        if self.condition is not None:
            parts.append(named(self.condition, [one.text(names) for one in self.glances]))
        return f"{self.variable} AS {' AND '.join(parts)}"


@dataclass(frozen=True, slots=True)
class Skip:
    """Where the search goes on behind a match."""

    kind: str
    """NEXT (row), PAST (the last row), FIRST or LAST (row of a variable)."""
    variable: str | None = None

    def __str__(self) -> str:
        if self.variable is None:
            return "TO NEXT ROW" if self.kind == "NEXT" else "PAST LAST ROW"
        return f"TO {self.kind} {self.variable}"


@dataclass(frozen=True, slots=True)
class Match(OneInput):
    """Finds a pattern in the rows of each partition, in the order of time; hands on the glances of each match."""

    partition: tuple[int, ...]
    order: tuple[SortKey, ...]
    """The first is the time."""
    pattern: tuple[PatternPart, ...]
    definitions: tuple[Definition, ...]
    measures: tuple[Glance, ...]
    skip: Skip
    within: int | None
    """Most milliseconds from the first to the last row."""

    @property
    def detail(self) -> str:
        names = [field.name for field in self.input.fields]
        within = "" if self.within is None else f", within=[{self.within} ms]"
        return (
            f"partitionBy=[{', '.join(names[key] for key in self.partition)}], "
            f"orderBy=[{', '.join(names[key.index] for key in self.order)}], "
            f"pattern=[{' '.join(map(str, self.pattern))}]{within}, skip=[{self.skip}], "
            f"define=[{', '.join(one.text(names) for one in self.definitions)}], "
            f"measures=[{', '.join(one.text(names) for one in self.measures)}]"
        )
