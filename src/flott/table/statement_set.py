"""StatementSet: several INSERTs as one job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.errors import TableError
from flott.table.explain_detail import shows_changes
from flott.table.planner import unknown_statement
from flott.table.sql.parse import parse_statement
from flott.table.sql.statements import Insert

if TYPE_CHECKING:
    from flott.table.explain_detail import ExplainDetail
    from flott.table.plan.nodes import SinkNode
    from flott.table.table import Table
    from flott.table.table_environment import TableEnvironment
    from flott.table.table_result import TableResult

__all__ = ["StatementSet"]


class StatementSet:
    """Collects INSERTs; what they have in common runs once."""

    def __init__(self, t_env: TableEnvironment) -> None:
        self._t_env = t_env
        self._nodes: list[SinkNode] = []

    def add_insert_sql(self, stmt: str) -> StatementSet:
        """Adds an INSERT."""
        statement = parse_statement(stmt)
        if not isinstance(statement, Insert):
            raise unknown_statement(statement)
        self._nodes.append(self._t_env.planner.insert(statement))
        return self

    def add_insert(self, target_path: str, table: Table, overwrite: bool = False) -> StatementSet:
        """Adds a table that is written into another."""
        if overwrite:
            raise TableError("add_insert(overwrite=True): a stream can't overwrite a table; leave it out")
        self._nodes.append(self._t_env.planner.into(self._t_env.manager.path(target_path), table.plan))
        return self

    def explain(self, *extra_details: ExplainDetail) -> str:
        """Returns the plans as text."""
        return self._t_env.planner.explain(list(self._nodes), changes=shows_changes(extra_details))

    def execute(self) -> TableResult:
        """Starts the job."""
        if not self._nodes:
            raise TableError("this statement set is empty; add_insert_sql(…) before execute()")
        nodes, self._nodes = self._nodes, []
        return self._t_env.run_inserts(nodes, "insert-into_" + ",".join(node.path for node in nodes))
