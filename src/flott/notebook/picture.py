"""A job at a moment, as a notebook shows it: its rows, and how far its operators are."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from flott.common.constants import MAX_LONG_VALUE, MIN_LONG_VALUE
from flott.table.table_result import drawn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["OperatorLine", "Picture", "moment"]

LAST_YEAR = dt.datetime(9999, 1, 1, tzinfo=dt.timezone.utc).timestamp() * 1000
HEADS = ["operator", "watermark", "in", "out", "late"]
RATES = ["in/s", "out/s"]
STARTING, RUNNING = "starting", "running"


def moment(watermark: int | None) -> str:
    """Write a watermark for people.

    >>> moment(1_767_258_000_000), moment(42), moment(None), moment(MAX_LONG_VALUE)
    ('2026-01-01 09:00:00', '1970-01-01 00:00:00.042', 'none yet', 'the end')
    """
    if watermark is None or watermark == MIN_LONG_VALUE:
        return "none yet"
    if watermark == MAX_LONG_VALUE:
        return "the end"
    if not -LAST_YEAR < watermark < LAST_YEAR:
        return f"{watermark:,} ms"
    time = dt.datetime.fromtimestamp(watermark / 1000, dt.timezone.utc).replace(tzinfo=None)
    return time.isoformat(" ", "milliseconds" if watermark % 1000 else "seconds")


@dataclass(frozen=True, slots=True)
class OperatorLine:
    """How far one vertex of the job is."""

    name: str
    watermark: int | None
    read: int
    written: int
    """Records since the job began."""
    late: int
    """Records that were dropped because they came too late."""
    reads: float
    writes: float
    """Records per second, lately."""

    def cells(self) -> list[str]:
        """Return a text for each head."""
        totals = (f"{number:,}" for number in (self.read, self.written, self.late))
        return [self.name, moment(self.watermark), *totals]

    def rates(self) -> list[str]:
        """Return a text for each head of a rate."""
        return [f"{self.reads:,.0f}", f"{self.writes:,.0f}"]


@dataclass(frozen=True, slots=True)
class Picture:
    """What is shown at a moment; a notebook shows it as HTML, a terminal as text."""

    name: str
    status: str
    epoch: int
    rate: float
    """Records per second that sources read."""
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    """The last ones."""
    total: int
    """How many rows there are."""
    operators: Sequence[OperatorLine]

    @property
    def head(self) -> str:
        """The job in one line."""
        speed = f" · {self.rate:,.0f} records/s" if self.status == RUNNING else ""
        return f"{self.name}: {self.status} · epoch {self.epoch}{speed}"

    @property
    def count(self) -> str:
        """How many rows there are, and how many of them are shown."""
        rows = f"{self.total:,} row{'' if self.total == 1 else 's'}"
        return rows if len(self.rows) == self.total else f"{len(self.rows):,} of {rows}"

    def states(self) -> tuple[list[str], list[list[str]]]:
        """Return heads and cells of the table of operators; a job that is over has no rates."""
        if self.status != RUNNING:
            return HEADS, [line.cells() for line in self.operators]
        return [*HEADS, *RATES], [[*line.cells(), *line.rates()] for line in self.operators]

    def _repr_html_(self) -> str:
        """Return the picture as HTML; whatever users wrote is text in it, never markup."""
        return (
            f'<div class="flott"><p><b>{escape(self.name)}</b>{escape(self.head[len(self.name) :])}</p>'
            f"{_table(self.columns, self.rows)}<p>{self.count}</p>{_table(*self.states())}</div>"
        )

    def __repr__(self) -> str:
        rows = _grid(list(self.columns), [list(row) for row in self.rows])
        return f"{self.head}\n{rows}\n{self.count}\n{_grid(*self.states())}"


def _grid(heads: list[str], rows: list[list[str]]) -> str:
    """Draw a table in text, without the line in which the drawing counts its rows."""
    return drawn(heads, rows).rstrip("\n").rpartition("\n")[0]


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(one)}</th>" for one in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
