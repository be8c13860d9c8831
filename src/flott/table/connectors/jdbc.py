"""Tables of PostgreSQL under Flink's name for it, 'jdbc': read, written, and rows looked up by key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.connectors.postgres_connection import psycopg_module
from flott.connectors.postgres_settings import quoted
from flott.table.arrow_types import column_of_plain, plain_values, to_arrow_type
from flott.table.connectors.jdbc_options import SCAN_OPTIONS, SINK_OPTIONS, address_of, quoted_path
from flott.table.connectors.jdbc_sink import sink
from flott.table.connectors.jdbc_source import source
from flott.table.connectors.lookup import CachedLookup, CacheOptions, WholeTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flott.connectors.postgres_connection import PostgresAddress
    from flott.table.catalog import CatalogTable
    from flott.table.connectors.lookup import Found, Key, LookupTable
    from flott.table.connectors.options import Options
    from flott.table.plan.nodes import Field

__all__ = ["lookup", "sink", "source"]

KEYS_AT_ONCE = 1000
ROWS_AT_ONCE = 10_000


def lookup(options: Options, fields: tuple[Field, ...], table: CatalogTable, keys: tuple[int, ...]) -> LookupTable:
    """Return what finds rows by key, with the cache that the options name."""
    address = address_of(options)
    name = options.text("table-name", required=True) or ""
    for key in (*SCAN_OPTIONS, *SINK_OPTIONS):
        options.text(key)
    cache = CacheOptions.of(options)
    retries = options.whole("lookup.max-retries", 3)
    found = PostgresLookup(address, name, fields, keys, 3 if retries is None else retries)
    if cache.kind == "FULL":
        return WholeTable(found.batches, keys, cache.reload)
    return CachedLookup(found, cache) if cache.kind == "PARTIAL" else found


class PostgresLookup:
    """Asks for the rows of many keys in one statement."""

    def __init__(
        self, address: PostgresAddress, table: str, fields: tuple[Field, ...], keys: tuple[int, ...], retries: int
    ) -> None:
        self.address = address
        self.types = [to_arrow_type(field.type) for field in fields]
        self.keys = keys
        self.retries = retries
        names = [quoted(field.name, f"table '{table}'") for field in fields]
        path = quoted_path(table)
        self.whole = f"SELECT {', '.join(names)} FROM {path}"  # noqa: S608 - all names are quoted
        self.some = f"{self.whole} WHERE ({', '.join(names[key] for key in keys)}) IN "

    def open(self) -> None:
        self._connection: Any = None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def lookup(self, keys: Sequence[Key], now: int) -> Found:
        found: Found = {}
        for start in range(0, len(keys), KEYS_AT_ONCE):
            some = keys[start : start + KEYS_AT_ONCE]
            kinds = [self.types[place] for place in self.keys]
            asked = [
                column_of_plain(list(values), kind).to_pylist()
                for values, kind in zip(zip(*some, strict=True), kinds, strict=True)
            ]
            row = f"({', '.join(['%s'] * len(self.keys))})"
            statement = f"{self.some}({', '.join([row] * len(some))})"
            parameters = [value for values in zip(*asked, strict=True) for value in values]
            for one in self._plain(self._asked(statement, parameters)):
                found.setdefault(tuple(one[place] for place in self.keys), []).append(one)
        return found

    def _asked(self, statement: str, parameters: list[Any]) -> list[tuple[Any, ...]]:
        """Return the rows of a query; a connection that was lost is opened again, a few times."""
        psycopg = psycopg_module()
        for left in range(self.retries, -1, -1):
            try:
                if self._connection is None or self._connection.closed:
                    self._connection = self.address.connect(autocommit=True)
                rows: list[tuple[Any, ...]] = self._connection.execute(statement, parameters).fetchall()
            except psycopg.Error as error:
                if left and isinstance(error, psycopg.OperationalError):
                    continue
                raise self.address.explain(error, "a row was looked up", self._connection) from None
            return rows
        raise AssertionError

    def _plain(self, rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Return rows as stateful operators see them."""
        return list(zip(*map(plain_values, self._columns(rows)), strict=True)) if rows else []

    def _columns(self, rows: Sequence[tuple[Any, ...]]) -> list[Any]:
        return [pa.array(values, kind) for values, kind in zip(zip(*rows, strict=True), self.types, strict=True)]

    def batches(self) -> Iterator[list[Any]]:
        """Give out the whole table in columns."""
        with self.address.connect(autocommit=False) as connection, connection.cursor("flott") as cursor:
            cursor.execute(self.whole)
            while rows := cursor.fetchmany(ROWS_AT_ONCE):
                yield self._columns(rows)
