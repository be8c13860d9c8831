"""Finds the connector of a table."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from flott.table.connectors.options import Options
from flott.table.errors import TableError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.common.watermark_strategy import WatermarkStrategy
    from flott.table.catalog import CatalogTable
    from flott.table.physical.step import Step
    from flott.table.plan.nodes import Field, Scan
    from flott.table.spark_sql.sources import SparkSource
    from flott.table.types import DataType

CONNECTORS = {
    "datagen": "datagen", "values": "values", "filesystem": "filesystem", "print": "printing", "blackhole": "blackhole",
    "jdbc": "jdbc", "socket": "socket", "kafka": "kafka", "upsert-kafka": "upsert_kafka",
    "spark": "spark",
}  # fmt: skip
"""The module of each connector; it has functions ``source``, ``sink`` or ``lookup``.

A dict ``METADATA`` in it has the type of each key that a metadata column can name.
"""
PRUNING = frozenset({"filesystem", "jdbc", "spark"})
"""Connectors that read any part of a table's columns."""


@dataclass(frozen=True, slots=True)
class TableSource:
    """What reads a table."""

    stream: Callable[[Any], Any]
    """Makes the stream in an environment."""
    columnar: bool = False
    """Whether its batches are columns already, in the order of the table's."""
    changelog: bool = False
    """Whether it updates and deletes rows."""
    per_split: Callable[[Any, WatermarkStrategy], Any] | None = None
    """Makes the stream with a watermark for each split; None if the rows of all splits are one stream to event time."""
    in_spark: SparkSource | None = None
    """The same rows for a query of Spark's own; None if Spark can't read them, or would read them otherwise."""


@dataclass(frozen=True, slots=True)
class TableSink:
    """What writes a table."""

    attach: Callable[[Any], Any]
    """Puts the sink behind a stream of columns."""
    changelog: bool = False
    """Whether it takes updates and deletions."""
    upsert_keys: tuple[int, ...] = ()
    """The columns by which it takes the last row of each key, and its deletion; none if it does not."""
    hint: str = ""
    """What to do to let it take updates, if there is a way."""


class Connectors:
    """Makes sources and sinks from the options of tables."""

    def source(self, scan: Scan) -> TableSource:
        """Return what reads a table."""
        module, name = self._module(scan.path, scan.table)
        if not hasattr(module, "source"):
            use = "looked up: JOIN … FOR SYSTEM_TIME AS OF" if hasattr(module, "lookup") else "written to"
            raise TableError(f"table '{scan.path}': the connector '{name}' can only be {use}")
        _check_metadata(scan, name, getattr(module, "METADATA", {}))
        options = Options(scan.path, scan.table.options)
        options.text("connector")
        made: TableSource = module.source(options, scan.fields, scan.table)
        options.finish()
        return made

    def lookup(self, path: str, table: CatalogTable, fields: tuple[Field, ...], keys: tuple[int, ...]) -> Any:
        """Return what finds the rows of a table by some of its columns."""
        module, name = self._module(path, table)
        if not hasattr(module, "lookup"):
            able = [one for one, other in CONNECTORS.items() if hasattr(_imported(other), "lookup")]
            raise TableError(
                f"table '{path}': rows of the connector '{name}' can't be looked up; those of {', '.join(able)} can"
            )
        options = Options(path, table.options)
        options.text("connector")
        made = module.lookup(options, fields, table, keys)
        options.finish()
        return made

    def sink(self, path: str, table: CatalogTable, fields: tuple[Field, ...], step: Step) -> TableSink:
        """Return what writes a table, and check that it can take what the query gives."""
        module, name = self._module(path, table)
        if not hasattr(module, "sink"):
            raise TableError(f"table '{path}': the connector '{name}' can only be read from")
        options = Options(path, table.options)
        options.text("connector")
        made: TableSink = module.sink(options, fields, table)
        options.finish()
        if not step.append_only and not made.changelog and not made.upsert_keys:
            keyed = "write into a table with a primary key ('jdbc', 'upsert-kafka') or into 'print'"
            instead = made.hint or f"{keyed}, or aggregate in windows"
            raise TableError(
                f"table '{path}': the connector '{name}' only takes new rows, but this query updates and deletes rows "
                f"that it gave before (from {_updating(step)}); {instead}"
            )
        return made

    @staticmethod
    def _module(path: str, table: CatalogTable) -> tuple[Any, str]:
        name = table.options.get("connector")
        if name is None:
            raise TableError(f"table '{path}' has no connector; write WITH ('connector' = '…')")
        if name not in CONNECTORS:
            raise TableError(f"table '{path}': there is no connector '{name}'{did_you_mean(name, CONNECTORS)}")
        return _imported(CONNECTORS[name]), name


def _imported(module: str) -> Any:
    return import_module(f"flott.table.connectors.{module}")


def _check_metadata(scan: Scan, connector: str, known: dict[str, DataType]) -> None:
    """Refuse metadata columns that the connector can't fill."""
    read = {field.name for field in scan.fields}
    for column in scan.table.schema.columns:
        if column.metadata is None or column.type is None or column.name not in read:
            continue
        where = f"table '{scan.path}': column '{column.name}'"
        if column.metadata not in known:
            there = f"it has {', '.join(known)}" if known else "it has none"
            hint = did_you_mean(column.metadata, known)
            raise TableError(f"{where}: the connector '{connector}' has no metadata '{column.metadata}'{hint}; {there}")
        if not known[column.metadata].nullable().same_as(column.type.nullable()):
            raise TableError(
                f"{where}: the metadata '{column.metadata}' is {known[column.metadata].nullable()!r}, not "
                f"{column.type.nullable()!r}; declare it so, and CAST it in the query"
            )


def _updating(step: Step) -> str:
    """Return the step in which rows begin to be updated."""
    for below in step.inputs:
        if not below.append_only:
            return _updating(below)
    return step.name
