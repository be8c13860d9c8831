"""Table: a query, and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.bind.query import renamed
from flott.table.bind.set_operations import distinct, set_operation, union
from flott.table.bind.tables import resolved_schema
from flott.table.errors import TableError, did_you_mean
from flott.table.explain_detail import shows_changes
from flott.table.expression import tree_of
from flott.table.grouped_table import GroupedTable, GroupWindowedTable, OverWindowedTable
from flott.table.plan.nodes import PROCTIME
from flott.table.plan.set_operation import EXCEPT, INTERSECT
from flott.table.row_functions import (
    AggregatedTable,
    FlatAggregateTable,
    aggregated,
    flat_aggregated,
    flat_mapped,
    mapped,
    with_table_function,
)
from flott.table.select_from import column_tree, join_of, select_from

if TYPE_CHECKING:
    from flott.table.explain_detail import ExplainDetail
    from flott.table.expression import Expression
    from flott.table.over_window import OverWindow
    from flott.table.plan.nodes import Field, Node
    from flott.table.resolved_schema import ResolvedSchema
    from flott.table.table_environment import TableEnvironment
    from flott.table.table_result import TableResult
    from flott.table.window import GroupWindow

__all__ = ["Table"]


class Table:
    """The rows that a query gives, as they change; nothing runs until they are asked for."""

    def __init__(self, plan: Node, t_env: TableEnvironment) -> None:
        self.plan = plan
        self.t_env = t_env
        self._name: str | None = None

    def derived(self, plan: Node) -> Table:
        """Return another table of the same environment."""
        return Table(plan, self.t_env)

    # -- rows and columns ----------------------------------------------------------------------------

    def select(self, *fields: Any) -> Table:
        """Computes columns; with aggregates, one row of all rows."""
        return select_from(self, fields)

    def where(self, predicate: Any) -> Table:
        """Keeps the rows for which a condition holds."""
        return select_from(self, ["*"], where=predicate)

    filter = where

    def alias(self, field: str, *fields: str) -> Table:
        """Gives the columns other names."""
        return self.derived(renamed(self.plan, (field, *fields)))

    def add_columns(self, *fields: Any) -> Table:
        """Adds columns."""
        return select_from(self, ["*", *fields])

    def add_or_replace_columns(self, *fields: Any) -> Table:
        """Adds columns; one that has the name of another takes its place."""
        given = {column_tree(field).alias_or_name: field for field in fields}
        own = [field.name for field in self.plan.fields]
        kept = [given.pop(name, name) for name in own]
        return select_from(self, [*kept, *given.values()])

    def drop_columns(self, *fields: Any) -> Table:
        """Leaves columns out."""
        gone = {column_tree(field).name for field in fields}
        names = [field.name for field in self.plan.fields]
        for name in gone:
            if name not in names:
                raise TableError(f"drop_columns('{name}'): there is no such column{did_you_mean(name, names)}")
        return select_from(self, [name for name in names if name not in gone])

    def rename_columns(self, *fields: Any) -> Table:
        """Gives some columns other names: ``rename_columns(col("a").alias("b"))``."""
        names = {}
        for field in fields:
            tree = column_tree(field)
            if not isinstance(tree, exp.Alias):
                raise TableError("rename_columns(…): give col('old').alias('new')")
            names[tree.this.name] = tree.alias
        return self.derived(renamed(self.plan, tuple(names.get(one.name, one.name) for one in self.plan.fields)))

    def distinct(self) -> Table:
        """Keeps one of equal rows."""
        return select_from(self, ["*"], distinct=True)

    def group_by(self, *fields: Any) -> GroupedTable:
        """Groups the rows; say with select what to compute of each group."""
        return GroupedTable(self, fields)

    def window(self, window: GroupWindow) -> GroupWindowedTable:
        """Puts the rows into windows, to group by."""
        return GroupWindowedTable(self, window)

    def over_window(self, *over_windows: OverWindow) -> OverWindowedTable:
        """Lets aggregates look at the rows before each row; say with select at which."""
        return OverWindowedTable(self, over_windows)

    def order_by(self, *fields: Any) -> Table:
        """Sorts the rows; on a stream by time first, or only the first ones can be had: ``order_by(…).limit(10)``."""
        return OrderedTable(self, fields)

    def limit(self, fetch: int, offset: int = 0) -> Table:
        """Keeps so many rows."""
        return select_from(self, ["*"], limit=(offset, fetch))

    fetch = limit

    def map(self, func: Any) -> Table:
        """Computes a row of each row with a function that udf made; without arguments it gets the whole row."""
        return mapped(self, func)

    def flat_map(self, func: Any) -> Table:
        """Computes several rows of each row with a function that udtf made."""
        return flat_mapped(self, func)

    def aggregate(self, func: Any) -> AggregatedTable:
        """Computes a row of all rows with a function that udaf made; say with select which columns to keep."""
        return aggregated(self, [], func)

    def flat_aggregate(self, func: Any) -> FlatAggregateTable:
        """Computes several rows of all rows with a function that udtaf made; say with select which columns to keep."""
        return flat_aggregated(self, [], func)

    # -- several tables ------------------------------------------------------------------------------

    def join(self, right: Table, join_predicate: Any = None) -> Table:
        """Puts rows of two tables together that belong together."""
        return join_of(self, right, "", join_predicate)

    def left_outer_join(self, right: Table, join_predicate: Any = None) -> Table:
        """Puts rows together; those of the left without a partner stay, with NULLs."""
        return join_of(self, right, "LEFT", join_predicate)

    def right_outer_join(self, right: Table, join_predicate: Any) -> Table:
        """Puts rows together; those of the right without a partner stay, with NULLs."""
        return join_of(self, right, "RIGHT", join_predicate)

    def full_outer_join(self, right: Table, join_predicate: Any) -> Table:
        """Puts rows together; those of both sides without a partner stay, with NULLs."""
        return join_of(self, right, "FULL", join_predicate)

    def join_lateral(self, table_function_call: Any, join_predicate: Any = None) -> Table:
        """Puts each row together with the rows that a table function makes of it."""
        made = with_table_function(self, table_function_call, outer=False)
        return made if join_predicate is None else made.where(join_predicate)

    def left_outer_join_lateral(self, table_function_call: Any, join_predicate: Any = None) -> Table:
        """Puts each row together with the rows that a table function makes of it; if there are none, with NULLs."""
        if join_predicate is not None and tree_of(join_predicate) != exp.true():
            raise TableError("left_outer_join_lateral(…): a table function takes no condition but lit(True)")
        return with_table_function(self, table_function_call, outer=True)

    def union_all(self, right: Table) -> Table:
        """Takes the rows of two tables as one."""
        return self.derived(union([self.plan, right.plan], ""))

    def union(self, right: Table) -> Table:
        """Takes the different rows of two tables as one."""
        return self.derived(distinct(union([self.plan, right.plan], "")))

    def intersect(self, right: Table) -> Table:
        """Keeps the different rows that are in both tables."""
        return self._compared(right, INTERSECT, every=False)

    def intersect_all(self, right: Table) -> Table:
        """Keeps the rows that are in both tables, each as often as in the one that has fewer of it."""
        return self._compared(right, INTERSECT, every=True)

    def minus(self, right: Table) -> Table:
        """Keeps the different rows that are not in another table."""
        return self._compared(right, EXCEPT, every=False)

    def minus_all(self, right: Table) -> Table:
        """Takes the rows of another table away, each as often as it is there."""
        return self._compared(right, EXCEPT, every=True)

    def _compared(self, right: Table, kind: str, *, every: bool) -> Table:
        return self.derived(set_operation(kind, self.plan, right.plan, "", every=every))

    # -- what becomes of it --------------------------------------------------------------------------

    def get_resolved_schema(self) -> ResolvedSchema:
        """Returns the columns."""
        return resolved_schema(self.plan)

    def print_schema(self) -> None:
        """Prints the columns."""
        import sys

        lines = ",\n".join(f"  `{field.name}` {field.type!r}{_role(field)}" for field in self.plan.fields)
        sys.stdout.write(f"(\n{lines}\n)\n")

    def execute(self) -> TableResult:
        """Runs the query; its rows come back as they change."""
        return self.t_env.run_query(self)

    def execute_insert(self, table_path: str, overwrite: bool = False) -> TableResult:
        """Starts a job that writes the rows into a table."""
        return self.t_env.create_statement_set().add_insert(table_path, self, overwrite).execute()

    def explain(self, *extra_details: ExplainDetail) -> str:
        """Returns the plans of the query as text."""
        return self.t_env.planner.explain([self.plan], changes=shows_changes(extra_details))

    def print_explain(self, *extra_details: ExplainDetail) -> None:
        """Prints the plans of the query."""
        import sys

        sys.stdout.write(self.explain(*extra_details))

    def to_pandas(self) -> Any:
        """Runs the query to its end, and returns the rows it ends with."""
        import pandas as pd

        from flott.table.final_rows import final_rows

        with self.execute().collect() as changes:
            rows = final_rows(changes)
        return pd.DataFrame([list(row) for row in rows], columns=self.get_resolved_schema().get_column_names())

    def __str__(self) -> str:
        """Return a name for this table inside SQL text: ``f"SELECT * FROM {table}"``."""
        if self._name is None:
            self._name = self.t_env.unnamed(self)
        return self._name

    def __getattr__(self, name: str) -> Expression:
        """Return a column: ``table.price`` is ``col("price")``."""
        from flott.table.expressions import col

        plan = self.__dict__.get("plan")  # not there yet in a copy that is being made
        if plan is None or name not in {field.name for field in plan.fields}:
            raise AttributeError(f"'Table' object has no attribute '{name}', and no column of that name")
        return col(name)

    def __repr__(self) -> str:
        return f"Table({', '.join(field.name for field in self.plan.fields)})"


def _role(field: Field) -> str:
    return " *ROWTIME*" if field.is_rowtime else " *PROCTIME*" if field.role == PROCTIME else ""


class OrderedTable(Table):
    """A table in an order, of which the first rows can be had."""

    def __init__(self, table: Table, order: tuple[Any, ...]) -> None:
        super().__init__(select_from(table, ["*"], order=order).plan, table.t_env)
        self._table = table
        self._order = order

    def limit(self, fetch: int, offset: int = 0) -> Table:
        """Keeps so many rows, the first in the order."""
        return select_from(self._table, ["*"], order=self._order, limit=(offset, fetch))

    fetch = limit
