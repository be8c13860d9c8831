"""A catalog of Spark's: tables of the cluster, under the names they have there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.table.arrow_types import from_arrow_type, to_arrow_type
from flott.table.catalog import Catalog, CatalogDatabase, CatalogTable, CatalogView, ObjectPath
from flott.table.errors import TableError, did_you_mean
from flott.table.schema import Schema
from flott.table.unresolved_column import UnresolvedColumn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flott.common.configuration import Configuration
    from flott.table.catalog import CatalogBaseTable

__all__ = ["SparkCatalog"]

OPTIONS = frozenset({"connector", "format", "path"})
"""What a table that is made in the catalog can say of itself."""


class SparkCatalog(Catalog):
    """The tables of one of Spark's catalogs: each is a table of the connector 'spark'."""

    def __init__(self, name: str, options: Mapping[str, str], configuration: Configuration) -> None:
        from flott.spark.catalog import SparkTables

        unknown = sorted(set(options) - {"type", "catalog", "default-database"})
        if unknown:
            hint = did_you_mean(unknown[0], ["catalog", "default-database"])
            raise TableError(f"catalog '{name}': there is no option '{unknown[0]}'{hint}")
        self.name = name
        self._tables: Any = SparkTables(options.get("catalog"), configuration)
        self._default = options.get("default-database") or self._tables.current_database()
        self._require(self._default)

    def _require(self, database_name: str) -> None:
        if not self.database_exists(database_name):
            hint = did_you_mean(database_name, self.list_databases())
            raise TableError(f"catalog '{self.name}' has no database '{database_name}'{hint}")

    # Databases

    def list_databases(self) -> list[str]:
        """Returns the names of the databases."""
        found: list[str] = self._tables.databases()
        return found

    def database_exists(self, database_name: str) -> bool:
        """Says whether there is such a database."""
        return database_name in self.list_databases()

    def get_database(self, database_name: str) -> CatalogDatabase:
        """Returns a database, with its tables."""
        paths = [ObjectPath(database_name, name) for name in self.list_tables(database_name)]
        return CatalogDatabase(tables={path.object_name: self.get_table(path) for path in paths})

    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> None:
        """Makes a database in Spark's catalog."""
        if not self.database_exists(name):
            self._tables.create_database(name)
        elif not ignore_if_exists:
            raise TableError(f"catalog '{self.name}' has a database '{name}' already; write IF NOT EXISTS")

    def drop_database(self, name: str, ignore_if_exists: bool) -> None:
        """Removes a database that has nothing in it."""
        if self.database_exists(name) or not ignore_if_exists:
            self._require(name)
            self._tables.drop_database(name)

    # Tables

    def list_tables(self, database_name: str) -> list[str]:
        """Returns the names of the tables and views of a database, and of the session's temporary views."""
        self._require(database_name)
        found: list[str] = self._tables.tables(database_name)
        return found

    def list_views(self, database_name: str) -> list[str]:
        """Returns the names of the views of a database."""
        self._require(database_name)
        found: list[str] = self._tables.views(database_name)
        return found

    def table_exists(self, table_path: ObjectPath) -> bool:
        """Says whether there is such a table or view."""
        database = table_path.database_name
        return self.database_exists(database) and self._tables.name_of(database, table_path.object_name) is not None

    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        """Returns a table or view as a table of the connector 'spark'."""
        name = self._tables.name_of(table_path.database_name, table_path.object_name)
        if name is None:
            hint = did_you_mean(table_path.object_name, self.list_tables(table_path.database_name))
            raise TableError(f"there is no table '{table_path.get_full_name()}'{hint}")
        columns = [UnresolvedColumn(one.name, _column_type(one)) for one in self._tables.schema(name)]
        options = {"connector": "spark", "table": name}
        return CatalogTable(Schema(tuple(columns)), options, self._tables.partition_keys(name))

    def create_table(self, table_path: ObjectPath, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        """Makes a table in Spark's catalog."""
        if self.table_exists(table_path):
            if not ignore_if_exists:
                raise TableError(f"there is a table '{table_path.get_full_name()}' already; write IF NOT EXISTS")
            return
        self._refuse(table_path, table)
        columns = [(one.name, to_arrow_type(one.type)) for one in table.schema.columns]  # type: ignore[union-attr, arg-type]
        form, path = table.options.get("format", "parquet"), table.options.get("path")  # type: ignore[union-attr]
        keys = table.partition_keys  # type: ignore[union-attr]
        self._tables.create_table(*_names(table_path), pa.schema(columns), form, path, keys)

    def _refuse(self, table_path: ObjectPath, table: CatalogBaseTable) -> None:
        where = f"'{self.name}.{table_path.get_full_name()}'"
        if isinstance(table, CatalogView):
            raise TableError(f"{where}: Spark can't keep a view of Flott's; write CREATE TEMPORARY VIEW")
        foreign = sorted(set(table.options) - OPTIONS) or table.options.get("connector", "spark") != "spark"
        schema = table.schema
        if foreign or schema.watermark or schema.key or len(schema.stored()) < len(schema.columns):
            raise TableError(
                f"{where}: a table in a catalog of Spark's has only columns, PARTITIONED BY, 'format' and 'path'; "
                "make others in default_catalog, or with CREATE TEMPORARY TABLE, where LIKE takes over the columns"
            )

    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """Removes a table or view from Spark's catalog."""
        if self.table_exists(table_path) or not ignore_if_not_exists:
            self.get_table(table_path)
            self._tables.drop_table(*_names(table_path))

    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> None:
        """Gives a table another name."""
        if self.table_exists(table_path) or not ignore_if_not_exists:
            self.get_table(table_path)
            self._tables.rename_table(*_names(table_path), new_table_name)


def _names(path: ObjectPath) -> tuple[str, str]:
    return path.database_name, path.object_name


def _column_type(field: Any) -> Any:
    kind = from_arrow_type(field.type)
    return kind if field.nullable else kind.not_null()
