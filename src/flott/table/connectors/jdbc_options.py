"""Where a table of PostgreSQL is, by the options that Flink's 'jdbc' has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.connectors.postgres_connection import PostgresAddress
from flott.connectors.postgres_settings import quoted
from flott.table.errors import TableError

if TYPE_CHECKING:
    from flott.table.connectors.options import Options

PREFIX = "jdbc:postgresql://"

# A table may be read, written and looked up, so all of its options are known whatever is done with it.
SCAN_OPTIONS = (
    "query",
    "scan.fetch-size",
    *(f"scan.partition.{key}" for key in ("column", "lower-bound", "upper-bound", "num")),
)
SINK_OPTIONS = ("sink.delivery-guarantee", "sink.buffer-flush.max-rows")
LOOKUP_OPTIONS = ("lookup.max-retries",)


def address_of(options: Options) -> PostgresAddress:
    """Return the server that the options 'url', 'username' and 'password' name."""
    url = options.text("url", required=True) or ""
    if not url.startswith(PREFIX):
        raise TableError(f"table '{options.table}': 'url' = '{url}' is not known; write '{PREFIX}host:5432/database'")
    given = {"user": options.text("username"), "password": options.text("password")}
    return PostgresAddress.parse(
        url.removeprefix("jdbc:"), {key: value for key, value in given.items() if value is not None}
    )


def quoted_path(table: str) -> str:
    """Return the name of a table as it stands in a statement.

    >>> quoted_path("shop.orders")
    '"shop"."orders"'
    """
    return ".".join(quoted(part, f"table '{table}'") for part in table.split("."))
