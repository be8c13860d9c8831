"""Windows of the Table API: Tumble, Slide and Session."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from flott.table.errors import TableError
from flott.table.over_window import Over, OverWindow
from flott.table.sql.dialect import PARTITIONED

if TYPE_CHECKING:
    from flott.table.expression import Expression

__all__ = ["GroupWindow", "Over", "OverWindow", "Session", "Slide", "Tumble"]


@dataclass(frozen=True, slots=True)
class GroupWindow:
    """A window that rows can be grouped by."""

    function: str
    sizes: tuple[Expression, ...]
    time: Expression | None = None
    name: str | None = None
    partition: tuple[exp.Expr, ...] = ()
    """Of sessions: what else rows are grouped by."""

    def every(self, slide: Expression) -> GroupWindow:
        """Says how often a sliding window starts."""
        return replace(self, sizes=(slide, *self.sizes))

    def on(self, time_field: Expression) -> GroupWindow:
        """Says which column is the time."""
        return replace(self, time=time_field)

    def alias(self, alias: str) -> GroupWindow:
        """Gives the window a name, to group by."""
        return replace(self, name=alias)

    def table_function(self, table: str) -> exp.Expr:
        """Return the window table function over a table."""
        if self.time is None or self.name is None or (self.function == "HOP" and len(self.sizes) != 2):  # noqa: PLR2004 - counted on one hand
            raise TableError("a window is not complete; write Tumble.over(lit(10).minutes).on(col('at')).alias('w')")
        descriptor = exp.Anonymous(this="DESCRIPTOR", expressions=[self.time.tree])
        args = [exp.column(table), descriptor, *(size.tree for size in self.sizes)]
        if self.partition:
            args.append(exp.Anonymous(this=PARTITIONED, expressions=list(self.partition)))
        return exp.Anonymous(this=self.function, expressions=args)


class Tumble:
    """Windows of one size, one after the other.

    >>> from flott.table.expressions import col, lit
    >>> Tumble.over(lit(10).minutes).on(col("at")).alias("w").function
    'TUMBLE'
    """

    @classmethod
    def over(cls, size: Expression) -> GroupWindow:
        """Says how long a window is."""
        return GroupWindow("TUMBLE", (size,))


class Slide:
    """Windows of one size that overlap: ``Slide.over(size).every(slide).on(time).alias(name)``."""

    @classmethod
    def over(cls, size: Expression) -> GroupWindow:
        """Says how long a window is."""
        return GroupWindow("HOP", (size,))


class Session:
    """Windows that end after a pause: ``Session.with_gap(gap).on(time).alias(name)``."""

    @classmethod
    def with_gap(cls, gap: Expression) -> GroupWindow:
        """Says how long a pause ends a session."""
        return GroupWindow("SESSION", (gap,))
