"""Reads a table or a query of PostgreSQL, in partitions if a column is named to cut by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.connectors.base import Source
from flott.connectors.index_range import IndexRangeEnumerator
from flott.connectors.postgres_connection import psycopg_module
from flott.connectors.postgres_settings import quoted
from flott.table.arrow_types import to_arrow_type
from flott.table.connectors.jdbc_options import LOOKUP_OPTIONS, SINK_OPTIONS, address_of, quoted_path
from flott.table.connectors.lookup import CacheOptions
from flott.table.connectors.registry import TableSource
from flott.table.errors import TableError
from flott.table.runtime.changes import pack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flott.connectors.postgres_connection import PostgresAddress
    from flott.runtime.batch import Batch
    from flott.runtime.source import SplitRead
    from flott.table.catalog import CatalogTable
    from flott.table.connectors.options import Options
    from flott.table.plan.nodes import Field

ROWS_AT_ONCE = 10_000
PARTITION = "scan.partition."


@dataclass(frozen=True, slots=True)
class Partitions:
    """Ranges of a column of whole numbers; the first and the last also hold what lies outside."""

    column: str
    lower: int
    upper: int
    number: int

    def condition(self, index: int) -> str:
        """Return which rows are in a partition.

        >>> halves = Partitions("id", 1, 100, 2)
        >>> halves.condition(0), halves.condition(1)
        ('"id" < 51 OR "id" IS NULL', '"id" >= 51')
        """
        name = quoted(self.column, f"'{PARTITION}column'")
        width = self.upper - self.lower + 1
        low, high = (self.lower + width * place // self.number for place in (index, index + 1))
        if self.number == 1:
            return "TRUE"
        if index == 0:
            return f"{name} < {high} OR {name} IS NULL"
        return f"{name} >= {low}" if index == self.number - 1 else f"{name} >= {low} AND {name} < {high}"


class PostgresSource(Source):
    """The rows that are there when a partition is read; they must not change while the job reads them."""

    def __init__(
        self, address: PostgresAddress, select: str, types: Sequence[Any], partitions: Partitions | None, fetch: int
    ) -> None:
        self.address = address
        self.select = select
        self.types = list(types)
        self.partitions = partitions
        self.fetch = fetch

    def is_bounded(self) -> bool:
        return True

    def create_enumerator(self, parallelism: int) -> IndexRangeEnumerator:
        return IndexRangeEnumerator(0, 1 if self.partitions is None else self.partitions.number, parallelism)

    def read(self, read: SplitRead) -> Iterator[Batch]:
        for index in range(read.start, read.end):
            where = "" if self.partitions is None else f" WHERE {self.partitions.condition(index)}"
            yield from self._rows(f"{self.select}{where}")

    def _rows(self, statement: str) -> Iterator[Batch]:
        connection = self.address.connect(autocommit=False)
        try:
            with connection, connection.cursor("flott") as cursor:
                cursor.execute(statement.encode())
                while rows := cursor.fetchmany(self.fetch):
                    cells = zip(zip(*rows, strict=True), self.types, strict=True)
                    yield pack([pa.array(list(values), kind) for values, kind in cells], None)
        except psycopg_module().Error as error:
            raise self.address.explain(error, f"reading ({statement})", connection) from None


def source(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSource:
    """Return what reads 'table-name', or the rows of 'query'."""
    address = address_of(options)
    name, query = options.text("table-name"), options.text("query")
    if (name is None) == (query is None):
        raise TableError(f"table '{options.table}': give either 'table-name' or 'query'")
    columns = ", ".join(quoted(field.name, f"table '{options.table}'") for field in fields)
    rows = quoted_path(name) if name is not None else f"({query}) AS rows"
    CacheOptions.of(options)
    for key in (*LOOKUP_OPTIONS, *SINK_OPTIONS):
        options.text(key)
    fetch = options.whole("scan.fetch-size", ROWS_AT_ONCE) or ROWS_AT_ONCE
    made = PostgresSource(
        address,
        f"SELECT {columns} FROM {rows}",  # noqa: S608 - names are quoted, and the query is the user's
        [to_arrow_type(field.type) for field in fields],
        _partitions(options),
        fetch,
    )

    def stream(environment: Any) -> Any:
        from flott.common.watermark_strategy import WatermarkStrategy

        return environment.from_source(made, WatermarkStrategy.no_watermarks(), f"jdbc: {options.table}")

    return TableSource(stream, columnar=True)


def _partitions(options: Options) -> Partitions | None:
    column = options.text(f"{PARTITION}column")
    found = {key: options.whole(f"{PARTITION}{key}") for key in ("lower-bound", "upper-bound", "num")}
    if column is None and all(value is None for value in found.values()):
        return None
    missing = [key for key, value in {"column": column, **found}.items() if value is None]
    if missing:
        raise TableError(f"table '{options.table}': the option '{PARTITION}{missing[0]}' is missing")
    lower, upper, number = (value or 0 for value in found.values())
    if number < 1 or upper < lower:
        raise TableError(
            f"table '{options.table}': '{PARTITION}num' is at least 1, and '{PARTITION}upper-bound' not below the lower"
        )
    return Partitions(column or "", lower, upper, number)
