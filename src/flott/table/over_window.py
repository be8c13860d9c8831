"""OVER windows of the Table API: each row with the rows before it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from flott.table.errors import TableError
from flott.table.expressions import CURRENT_RANGE, CURRENT_ROW, ROW_INTERVAL, UNBOUNDED_RANGE, UNBOUNDED_ROW

if TYPE_CHECKING:
    from flott.table.expression import Expression

__all__ = ["Over", "OverWindow"]


@dataclass(frozen=True, slots=True)
class OverWindow:
    """The rows before a row that an aggregate is computed of."""

    partition: tuple[Expression, ...] = ()
    order: Expression | None = None
    start: Expression | None = None
    """None: it starts with the first row."""
    end: Expression | None = None
    name: str | None = None

    def order_by(self, order_by: Expression) -> OverWindow:
        """Says which column is the time that rows are ordered by."""
        return replace(self, order=order_by)

    def preceding(self, preceding: Expression) -> OverWindow:
        """Says how far back the window goes: ``row_interval(5)``, ``lit(10).minutes`` or ``UNBOUNDED_ROW``."""
        return replace(self, start=preceding)

    def following(self, following: Expression) -> OverWindow:
        """Says where the window ends: with the row itself, ``CURRENT_ROW`` or ``CURRENT_RANGE``."""
        return replace(self, end=following)

    def alias(self, alias: str) -> OverWindow:
        """Gives the window a name, for ``col("price").sum.over(col("w"))``."""
        return replace(self, name=alias)

    def tree(self) -> exp.Expr:
        """Return the window as the WINDOW clause has it."""
        if self.order is None or self.name is None:
            raise TableError("an OVER window is not complete; write Over.order_by(col('at')).alias('w')")
        key = exp.Ordered(this=self.order.tree, desc=False, nulls_first=True)
        return exp.Window(
            this=exp.to_identifier(self.name),
            partition_by=[one.tree for one in self.partition],
            order=exp.Order(expressions=[key]),
            spec=self._frame(),
        )

    def _frame(self) -> exp.Expr:
        unbounded = self.start is None or self.start is UNBOUNDED_ROW or self.start is UNBOUNDED_RANGE
        start = exp.Null() if self.start is None else self.start.tree
        counted = isinstance(start, exp.Anonymous) and start.this == ROW_INTERVAL
        rows = counted or self.start is UNBOUNDED_ROW
        if not unbounded and not counted and not isinstance(start, exp.Interval):
            raise TableError(
                f"preceding({start.sql()}): give row_interval(5), lit(10).minutes, UNBOUNDED_ROW or UNBOUNDED_RANGE"
            )
        if self.end is not None and self.end is not (CURRENT_ROW if rows else CURRENT_RANGE):
            raise TableError(f"following(…): a window of {'rows' if rows else 'time'} ends with "
                             f"{'CURRENT_ROW' if rows else 'CURRENT_RANGE'}")  # fmt: skip
        return exp.WindowSpec(
            kind="ROWS" if rows else "RANGE",
            start="UNBOUNDED" if unbounded else start.expressions[0] if counted else start,
            start_side="PRECEDING",
            end="CURRENT ROW",
        )


class Over:
    """Makes OVER windows.

    >>> from flott.table.expressions import col, lit
    >>> Over.partition_by(col("user")).order_by(col("at")).preceding(lit(10).minutes).alias("w").name
    'w'
    """

    @classmethod
    def order_by(cls, order_by: Expression) -> OverWindow:
        """Says which column is the time that rows are ordered by."""
        return OverWindow(order=order_by)

    @classmethod
    def partition_by(cls, *partition_by: Expression) -> OverWindow:
        """Says whose rows are looked at together: those with equal values here."""
        return OverWindow(partition_by)
