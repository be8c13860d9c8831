"""Catalogs: databases with tables, views and functions, by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from flott.table.errors import TableError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlglot import exp

    from flott.table.plan.nodes import Node
    from flott.table.schema import Schema

__all__ = [
    "Catalog", "CatalogBaseTable", "CatalogDatabase", "CatalogTable", "CatalogView", "GenericInMemoryCatalog",
    "ObjectIdentifier", "ObjectPath",
]  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class ObjectPath:
    """A table or function in a catalog: its database and its name."""

    database_name: str
    object_name: str

    @staticmethod
    def from_string(full_name: str) -> ObjectPath:
        """Reads 'database.name'.

        >>> ObjectPath.from_string("shop.orders").get_object_name()
        'orders'
        """
        parts = full_name.split(".")
        if len(parts) != 2 or not all(parts):  # noqa: PLR2004 - counted on one hand
            raise TableError(f"ObjectPath.from_string({full_name!r}): give 'database.name'")
        return ObjectPath(*parts)

    def get_database_name(self) -> str:
        """Returns the database."""
        return self.database_name

    def get_object_name(self) -> str:
        """Returns the name in the database."""
        return self.object_name

    def get_full_name(self) -> str:
        """Returns 'database.name'."""
        return f"{self.database_name}.{self.object_name}"


@dataclass(frozen=True, slots=True)
class ObjectIdentifier:
    """A table or function: its catalog, its database and its name."""

    catalog_name: str
    database_name: str
    object_name: str

    @staticmethod
    def of(catalog_name: str, database_name: str, object_name: str) -> ObjectIdentifier:
        """Returns an identifier."""
        return ObjectIdentifier(catalog_name, database_name, object_name)

    def to_object_path(self) -> ObjectPath:
        """Returns the path in the catalog."""
        return ObjectPath(self.database_name, self.object_name)

    def as_summary_string(self) -> str:
        """Returns 'catalog.database.name'."""
        return f"{self.catalog_name}.{self.database_name}.{self.object_name}"

    def as_serializable_string(self) -> str:
        """Returns the identifier as SQL writes it."""
        return f"`{self.catalog_name}`.`{self.database_name}`.`{self.object_name}`"


@dataclass(frozen=True, slots=True)
class CatalogTable:
    """A table of a connector."""

    schema: Schema
    options: Mapping[str, str]
    partition_keys: tuple[str, ...] = ()
    comment: str | None = None
    text: str = ""
    """The statement that made it: where errors point into."""


@dataclass(frozen=True, slots=True)
class CatalogView:
    """A query under a name: its tree with the text it stands in, or the plan of a Table."""

    tree: exp.Expr | None = None
    text: str = ""
    plan: Node | None = None
    columns: tuple[str, ...] = ()


CatalogBaseTable: TypeAlias = "CatalogTable | CatalogView"


@dataclass(slots=True)
class CatalogDatabase:
    """A database: tables and views by name, functions by name."""

    properties: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    tables: dict[str, CatalogBaseTable] = field(default_factory=dict)
    functions: dict[str, Any] = field(default_factory=dict)


class Catalog:
    """Databases by name, in memory."""

    def __init__(self, name: str, default_database: str = "default") -> None:
        self.name = name
        self._default = default_database
        self._databases = {default_database: CatalogDatabase()}

    # Databases

    def get_default_database(self) -> str:
        """Returns the database that is used if none is named."""
        return self._default

    def list_databases(self) -> list[str]:
        """Returns the names of the databases."""
        return sorted(self._databases)

    def database_exists(self, database_name: str) -> bool:
        """Says whether there is such a database."""
        return database_name in self._databases

    def get_database(self, database_name: str) -> CatalogDatabase:
        """Returns a database."""
        if database_name not in self._databases:
            hint = did_you_mean(database_name, self._databases)
            raise TableError(f"catalog '{self.name}' has no database '{database_name}'{hint}")
        return self._databases[database_name]

    def create_database(self, name: str, database: CatalogDatabase, ignore_if_exists: bool) -> None:
        """Makes a database."""
        if name in self._databases:
            if not ignore_if_exists:
                raise TableError(f"catalog '{self.name}' has a database '{name}' already; write IF NOT EXISTS")
            return
        self._databases[name] = database

    def drop_database(self, name: str, ignore_if_exists: bool) -> None:
        """Removes a database that has nothing in it."""
        if name not in self._databases and ignore_if_exists:
            return
        if self.get_database(name).tables:
            raise TableError(f"database '{name}' holds tables; drop them before")
        del self._databases[name]

    # Tables

    def list_tables(self, database_name: str) -> list[str]:
        """Returns the names of the tables and views of a database."""
        return sorted(self.get_database(database_name).tables)

    def list_views(self, database_name: str) -> list[str]:
        """Returns the names of the views of a database."""
        tables = self.get_database(database_name).tables
        return sorted(name for name, table in tables.items() if isinstance(table, CatalogView))

    def table_exists(self, table_path: ObjectPath) -> bool:
        """Says whether there is such a table or view."""
        database = self._databases.get(table_path.database_name)
        return database is not None and table_path.object_name in database.tables

    def get_table(self, table_path: ObjectPath) -> CatalogBaseTable:
        """Returns a table or view."""
        tables = self.get_database(table_path.database_name).tables
        if table_path.object_name not in tables:
            hint = did_you_mean(table_path.object_name, tables)
            raise TableError(f"there is no table '{table_path.get_full_name()}'{hint}")
        return tables[table_path.object_name]

    def create_table(self, table_path: ObjectPath, table: CatalogBaseTable, ignore_if_exists: bool) -> None:
        """Makes a table or view."""
        tables = self.get_database(table_path.database_name).tables
        if table_path.object_name in tables:
            if not ignore_if_exists:
                raise TableError(f"there is a table '{table_path.get_full_name()}' already; write IF NOT EXISTS")
            return
        tables[table_path.object_name] = table

    def drop_table(self, table_path: ObjectPath, ignore_if_not_exists: bool) -> None:
        """Removes a table or view."""
        if not self.table_exists(table_path) and ignore_if_not_exists:
            return
        self.get_table(table_path)
        del self.get_database(table_path.database_name).tables[table_path.object_name]

    def rename_table(self, table_path: ObjectPath, new_table_name: str, ignore_if_not_exists: bool) -> None:
        """Gives a table another name."""
        if not self.table_exists(table_path) and ignore_if_not_exists:
            return
        table = self.get_table(table_path)
        self.create_table(ObjectPath(table_path.database_name, new_table_name), table, ignore_if_exists=False)
        self.drop_table(table_path, ignore_if_not_exists=False)


class GenericInMemoryCatalog(Catalog):
    """The catalog of every session: what is in it lives as long as the program."""
