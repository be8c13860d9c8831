"""Tables and SQL over streams, with the names of pyflink.table."""

from __future__ import annotations

from flott.common.types import Row, RowKind
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
    "AggregateFunction", "AsyncScalarFunction", "DataTypes", "EnvironmentSettings", "ExplainDetail", "Expression",
    "FormatDescriptor", "FunctionContext", "GroupWindowedTable", "GroupedTable", "OverWindowedTable", "ResultKind",
    "Row", "RowKind", "ScalarFunction", "Schema", "StatementSet", "StreamTableEnvironment", "Table",
    "TableAggregateFunction", "TableConfig", "TableDescriptor", "TableEnvironment", "TableFunction", "TableResult",
    "WindowGroupedTable",
]  # fmt: skip
