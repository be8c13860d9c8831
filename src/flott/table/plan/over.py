"""OVER aggregates: each row gets an aggregate of the rows before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.table.plan.nodes import OneInput

if TYPE_CHECKING:
    from flott.table.expr import AggregateCall


@dataclass(frozen=True, slots=True)
class Frame:
    """Which rows before a row, and the row itself, are aggregated.

    >>> str(Frame(rows=True, preceding=2)), str(Frame(rows=False, preceding=None))
    ('ROWS 2 PRECEDING', 'RANGE UNBOUNDED PRECEDING')
    """

    rows: bool
    """Whether rows are counted; else it is a stretch of time, and rows of one moment are aggregated together."""
    preceding: int | None
    """How many rows, or how many milliseconds; None for all."""

    def __str__(self) -> str:
        much = "UNBOUNDED" if self.preceding is None else self.preceding
        unit = "" if self.rows or self.preceding is None else " ms"
        return f"{'ROWS' if self.rows else 'RANGE'} {much}{unit} PRECEDING"


@dataclass(frozen=True, slots=True)
class OverAggregate(OneInput):
    """Adds columns to each row: aggregates of the rows of its partition up to itself, in the order of time."""

    partition: tuple[int, ...]
    time: int
    """The column of event time or processing time that says in which order rows come."""
    frame: Frame
    calls: tuple[AggregateCall, ...]

    @property
    def event_time(self) -> bool:
        """Whether the order is that of event time."""
        return self.input.fields[self.time].is_rowtime

    @property
    def detail(self) -> str:
        names = [field.name for field in self.input.fields]
        made = zip(self.calls, self.fields[len(names) :], strict=True)
        return (
            f"partitionBy=[{', '.join(names[key] for key in self.partition)}], orderBy=[{names[self.time]}], "
            f"window=[{self.frame}], select=[{', '.join(f'{call} AS {field.name}' for call, field in made)}]"
        )
