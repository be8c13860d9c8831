"""Tables and SQL over streams, with the names of pyflink.table."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flott.common.types import Row, RowKind
    from flott.table.changelog_mode import ChangelogMode
    from flott.table.environment_settings import EnvironmentSettings
    from flott.table.explain_detail import ExplainDetail
    from flott.table.expression import Expression
    from flott.table.grouped_table import GroupedTable, GroupWindowedTable, OverWindowedTable, WindowGroupedTable
    from flott.table.result_kind import ResultKind
    from flott.table.schema import Schema
    from flott.table.statement_set import StatementSet
    from flott.table.stream_table_environment import StreamTableEnvironment
    from flott.table.table import Table
    from flott.table.table_config import TableConfig
    from flott.table.table_descriptor import FormatDescriptor, TableDescriptor
    from flott.table.table_environment import TableEnvironment
    from flott.table.table_result import TableResult
    from flott.table.types import DataTypes
    from flott.table.udf import (
        AggregateFunction,
        AsyncScalarFunction,
        FunctionContext,
        ScalarFunction,
        TableAggregateFunction,
        TableFunction,
    )

__all__ = [
    "AggregateFunction", "AsyncScalarFunction", "ChangelogMode", "DataTypes", "EnvironmentSettings",
    "ExplainDetail", "Expression", "FormatDescriptor", "FunctionContext", "GroupWindowedTable", "GroupedTable",
    "OverWindowedTable", "ResultKind", "Row", "RowKind", "ScalarFunction", "Schema", "StatementSet",
    "StreamTableEnvironment", "Table", "TableAggregateFunction", "TableConfig", "TableDescriptor",
    "TableEnvironment", "TableFunction", "TableResult", "WindowGroupedTable",
]  # fmt: skip

# Workers run the operators of queries and need none of these: to import all that stands behind them, the parser among
# it, takes half a second in each.
HOMES = {
    "common.types": ("Row", "RowKind"),
    "table.changelog_mode": ("ChangelogMode",),
    "table.environment_settings": ("EnvironmentSettings",),
    "table.explain_detail": ("ExplainDetail",),
    "table.expression": ("Expression",),
    "table.grouped_table": ("GroupedTable", "GroupWindowedTable", "OverWindowedTable", "WindowGroupedTable"),
    "table.result_kind": ("ResultKind",),
    "table.schema": ("Schema",),
    "table.statement_set": ("StatementSet",),
    "table.stream_table_environment": ("StreamTableEnvironment",),
    "table.table": ("Table",),
    "table.table_config": ("TableConfig",),
    "table.table_descriptor": ("FormatDescriptor", "TableDescriptor"),
    "table.table_environment": ("TableEnvironment",),
    "table.table_result": ("TableResult",),
    "table.types": ("DataTypes",),
    "table.udf": (
        "AggregateFunction", "AsyncScalarFunction", "FunctionContext", "ScalarFunction", "TableAggregateFunction",
        "TableFunction",
    ),
}  # fmt: skip
HOME_OF = {name: home for home, names in HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"flott.{HOME_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
