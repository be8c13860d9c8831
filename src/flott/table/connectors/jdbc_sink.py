"""Writes a table of PostgreSQL: rows that are new exactly once, rows that change by their primary key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common.types import RowKind
from flott.connectors.base import DeliveryGuarantee
from flott.connectors.postgres_settings import quoted
from flott.connectors.postgres_sink import PostgresSink
from flott.table.connectors.jdbc_options import LOOKUP_OPTIONS, SCAN_OPTIONS, address_of, quoted_path
from flott.table.connectors.lookup import CacheOptions
from flott.table.connectors.registry import TableSink
from flott.table.errors import TableError, did_you_mean
from flott.table.physical.attach import behind
from flott.table.runtime.conversion import ColumnsToRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.catalog import CatalogTable
    from flott.table.connectors.options import Options
    from flott.table.plan.nodes import Field

GUARANTEES = {
    "exactly-once": DeliveryGuarantee.EXACTLY_ONCE,
    "at-least-once": DeliveryGuarantee.AT_LEAST_ONCE,
}
GONE = frozenset({RowKind.DELETE, RowKind.UPDATE_BEFORE})


class UpsertParameters:
    """The values of a change, as ``upsert_statement`` wants them."""

    def __init__(self, keys: Sequence[int]) -> None:
        self.keys = tuple(keys)

    def __call__(self, row: Any) -> list[Any]:
        """Return key, whether the row is gone, all values, and the same again."""
        values = list(row)
        gone = row.get_row_kind() in GONE
        return [*(values[key] for key in self.keys), gone, *values, gone]


def upsert_statement(table: str, names: Sequence[str], keys: Sequence[str]) -> str:
    """Return one statement that deletes a row, or else inserts it or updates the one with its key.

    >>> upsert_statement("t", ["id", "n"], ["id"]).split(" INSERT")[1]
    ' INTO "t" ("id", "n") SELECT %s, %s WHERE NOT %s ON CONFLICT ("id") DO UPDATE SET "n" = EXCLUDED."n"'
    """
    path = quoted_path(table)
    columns = [quoted(name, f"columns of '{table}'") for name in names]
    own = [quoted(name, f"columns of '{table}'") for name in keys]
    rest = [f"{column} = EXCLUDED.{column}" for column in columns if column not in own]
    update = f"UPDATE SET {', '.join(rest)}" if rest else "NOTHING"
    found = " AND ".join(f"{column} = %s" for column in own)
    places = ", ".join(["%s"] * len(columns))
    return (
        f"WITH gone AS (DELETE FROM {path} WHERE {found} AND %s) "  # noqa: S608 - all names are quoted
        f"INSERT INTO {path} ({', '.join(columns)}) SELECT {places} WHERE NOT %s "
        f"ON CONFLICT ({', '.join(own)}) DO {update}"
    )


def sink(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSink:
    """Return what writes rows; with a PRIMARY KEY by upserts and deletions."""
    address = address_of(options)
    name = options.text("table-name", required=True) or ""
    names, keys = [field.name for field in fields], table.schema.key
    CacheOptions.of(options)
    for key in (*LOOKUP_OPTIONS, *SCAN_OPTIONS):
        options.text(key)
    guarantee = _guarantee(options, upserts=bool(keys))
    batch = options.whole("sink.buffer-flush.max-rows", 1000) or 1000
    builder = PostgresSink.builder().set_dsn(address.conninfo).set_delivery_guarantee(guarantee).set_batch_size(batch)
    if keys:
        positions = [names.index(key) for key in keys]
        statement = upsert_statement(name, names, keys)
        built = builder.set_statement(statement).set_parameters(UpsertParameters(positions)).build()
    else:
        positions = []
        built = builder.set_table(name, names).build()

    def attach(stream: Any) -> Any:
        rows = behind(stream, "ToRows", ColumnsToRows(fields))
        return rows.sink_to(built).name(f"Sink: {options.table}")

    hint = "" if keys else "declare its PRIMARY KEY (…) NOT ENFORCED, by which rows are updated then"
    return TableSink(attach, upsert_keys=tuple(positions), hint=hint)


def _guarantee(options: Options, *, upserts: bool) -> DeliveryGuarantee:
    """Return what the options say. Upserts that come again change nothing, so that once or more is once."""
    text = options.text("sink.delivery-guarantee", "at-least-once" if upserts else "exactly-once") or ""
    if text not in GUARANTEES:
        hint = did_you_mean(text, GUARANTEES)
        raise TableError(f"table '{options.table}': there is no 'sink.delivery-guarantee' '{text}'{hint}")
    if upserts and GUARANTEES[text] is DeliveryGuarantee.EXACTLY_ONCE:
        raise TableError(
            f"table '{options.table}': rows with a PRIMARY KEY are written by upserts, each of which may come again "
            f"and then changes nothing; leave 'sink.delivery-guarantee' out, or the PRIMARY KEY"
        )
    return GUARANTEES[text]
