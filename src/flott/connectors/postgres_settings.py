"""What a PostgreSQL sink writes: the statement, and the parameters of a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.common.types import Row
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flott.connectors.postgres_connection import PostgresAddress

LONGEST_NAME = 63
"""Bytes; PostgreSQL cuts longer names off, and two of them may become one."""


@dataclass(frozen=True, slots=True)
class PostgresSettings:
    """All that the writers and the committer of a PostgreSQL sink need to know."""

    address: PostgresAddress
    statement: str
    copies: bool
    """The statement is a COPY: rows are streamed to it."""
    parameters: Callable[[Any], Any]
    batch_size: int
    exactly_once: bool
    lock_timeout: int


def copy_statement(table: str, columns: Sequence[str]) -> str:
    """Return a COPY that takes rows of these columns; all names are quoted.

    COPY is many times as fast as INSERT, and like it part of a transaction.

    >>> copy_statement("shop.orders", ["id", "Amount"])
    'COPY "shop"."orders" ("id", "Amount") FROM STDIN'
    """
    path = [quoted(part, f"table '{table}'") for part in table.split(".")]
    names = [quoted(column, f"columns of '{table}'") for column in columns]
    if not names or len(set(names)) < len(names):
        raise GraphError(f"set_table('{table}', {list(columns)}): give at least one column, and each only once")
    return f"COPY {'.'.join(path)} ({', '.join(names)}) FROM STDIN"


def quoted(name: Any, where: str) -> str:
    """Return a name as it stands in a statement, or refuse one that PostgreSQL can't have.

    psycopg before 3.2 quotes names only with a connection at hand, and there is none while the graph is built.
    """
    if not isinstance(name, str) or not name or "\0" in name:
        raise GraphError(f"{where}: {name!r} is no name")
    if len(name.encode()) > LONGEST_NAME:
        raise GraphError(f"{where}: '{name}' is longer than the {LONGEST_NAME} bytes that a name may have")
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


class ByPosition:
    """Takes tuples, lists and Rows as they are."""

    def __call__(self, record: Any) -> Any:
        """Return the values of a record."""
        if isinstance(record, (tuple, list)):
            return record
        if isinstance(record, Row):
            return list(record)
        message = (
            f"PostgresSink got a {type(record).__qualname__}; say what its values are: set_parameters(lambda r: ...)"
        )
        raise TypeError(message)


class ByColumn(ByPosition):
    """Takes dicts and Rows by the names of the columns, other records by position."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)

    def __call__(self, record: Any) -> Any:
        """Return the values of a record."""
        if isinstance(record, dict):
            return [record[column] for column in self.columns]
        if isinstance(record, Row):
            return record.get_fields_by_names(self.columns)
        return super().__call__(record)
