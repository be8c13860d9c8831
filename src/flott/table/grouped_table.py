"""Tables that are grouped, and wait to be told what to select."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.errors import NotYetError, TableError
from flott.table.row_functions import AggregatedTable, FlatAggregateTable, aggregated, flat_aggregated
from flott.table.select_from import column_tree, select_from

if TYPE_CHECKING:
    from flott.table.over_window import OverWindow
    from flott.table.table import Table
    from flott.table.window import GroupWindow

__all__ = ["GroupWindowedTable", "GroupedTable", "OverWindowedTable", "WindowGroupedTable"]


class GroupedTable:
    """A table whose rows are grouped: ``table.group_by(col("user")).select(col("user"), col("price").sum)``."""

    def __init__(self, table: Table, keys: tuple[Any, ...]) -> None:
        self._table = table
        self._keys = keys

    def select(self, *fields: Any) -> Table:
        """Computes one row for each group."""
        return select_from(self._table, fields, group=[column_tree(key) for key in self._keys])

    def aggregate(self, func: Any) -> AggregatedTable:
        """Computes a row of each group with a function that udaf made; say with select which columns to keep."""
        return aggregated(self._table, [column_tree(key) for key in self._keys], func)

    def flat_aggregate(self, func: Any) -> FlatAggregateTable:
        """Computes several rows of each group with a function that udtaf made; then say which columns to keep."""
        return flat_aggregated(self._table, [column_tree(key) for key in self._keys], func)


class GroupWindowedTable:
    """A table with a window, which waits for group_by."""

    def __init__(self, table: Table, window: GroupWindow) -> None:
        self._table = table
        self._window = window

    def group_by(self, *fields: Any) -> WindowGroupedTable:
        """Groups by the window, and by columns."""
        trees = [column_tree(field) for field in fields]
        keys = [tree for tree in trees if not (isinstance(tree, exp.Column) and tree.name == self._window.name)]
        if len(keys) == len(trees):
            raise TableError(f"group_by(…): group by the window too, as in group_by(col('{self._window.name}'), …)")
        return WindowGroupedTable(self._table, self._window, keys)


class WindowGroupedTable:
    """A table that is grouped by a window, and waits for select."""

    def __init__(self, table: Table, window: GroupWindow, keys: list[exp.Expr]) -> None:
        self._table = table
        self._window = window
        self._keys = keys

    def select(self, *fields: Any) -> Table:
        """Computes one row for each group and window."""
        bounds = [exp.column("window_start"), exp.column("window_end")]
        time = [exp.column("window_time")]
        asked = any(
            column.name == "window_time" for field in fields for column in column_tree(field).find_all(exp.Column)
        )
        group = [*self._keys, *bounds, *(time if asked else [])]
        return select_from(self._table, fields, group=group, window=self._with_partition())

    def aggregate(self, func: Any) -> AggregatedTable:
        """Computes a row of each group and window with a function that udaf made; then say which columns to keep."""
        bounds = [exp.column(name) for name in ("window_start", "window_end", "window_time")]
        return aggregated(self._table, [*self._keys, *bounds], func, window=self._with_partition())

    def flat_aggregate(self, func: Any) -> FlatAggregateTable:
        """Refuses: there are no table aggregates of windows yet."""
        raise NotYetError(f"flat_aggregate({func!r:.50}) of windows can't be run yet; use aggregate(…), or no window")

    def _with_partition(self) -> GroupWindow:
        """Return the window; sessions are cut for each group apart."""
        if self._window.function != "SESSION":
            return self._window
        if any(not isinstance(key, exp.Column) for key in self._keys):
            raise TableError("group_by(…): sessions are grouped by columns; add_columns(…) what is computed before")
        return replace(self._window, partition=tuple(self._keys))


class OverWindowedTable:
    """A table with OVER windows: ``table.over_window(w).select(col("price").sum.over(col("w")))``."""

    def __init__(self, table: Table, windows: tuple[OverWindow, ...]) -> None:
        self._table = table
        self._windows = windows

    def select(self, *fields: Any) -> Table:
        """Computes columns of each row, and aggregates of the rows before it."""
        return select_from(self._table, fields, over=self._windows)
