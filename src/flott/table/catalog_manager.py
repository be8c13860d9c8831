"""Finds tables and functions by the names that statements use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.table.catalog import Catalog, CatalogView, GenericInMemoryCatalog, ObjectIdentifier
from flott.table.errors import TableError, did_you_mean
from flott.table.sql.cursor import Cursor

if TYPE_CHECKING:
    from flott.table.catalog import CatalogBaseTable

DEFAULT_CATALOG, DEFAULT_DATABASE = "default_catalog", "default_database"


class CatalogManager:
    """Catalogs, temporary objects, and which catalog and database are in use.

    >>> manager = CatalogManager()
    >>> manager.identify(("orders",)).as_summary_string()
    'default_catalog.default_database.orders'
    """

    def __init__(self) -> None:
        self.catalogs: dict[str, Catalog] = {DEFAULT_CATALOG: GenericInMemoryCatalog(DEFAULT_CATALOG, DEFAULT_DATABASE)}
        self.current_catalog = DEFAULT_CATALOG
        self.current_database = DEFAULT_DATABASE
        self.temporary: dict[ObjectIdentifier, CatalogBaseTable] = {}
        self.functions: dict[str, Any] = {}
        """Functions of the user's, by name in capital letters."""

    # Names

    def identify(self, path: tuple[str, ...]) -> ObjectIdentifier:
        """Return the full name of a path of one to three parts."""
        if len(path) > 3:  # noqa: PLR2004 - counted on one hand
            raise TableError(f"'{'.'.join(path)}': a table is named by catalog, database and name, or less")
        whole = (self.current_catalog, self.current_database)[: 3 - len(path)] + path
        return ObjectIdentifier(*whole)

    @staticmethod
    def path(text: str) -> tuple[str, ...]:
        """Read a path from text: names with dots between them."""
        cursor = Cursor(text)
        found = cursor.path()
        cursor.end()
        return found

    def catalog(self, name: str) -> Catalog:
        """Return a catalog."""
        if name not in self.catalogs:
            raise TableError(f"there is no catalog '{name}'{did_you_mean(name, self.catalogs)}")
        return self.catalogs[name]

    def use_catalog(self, name: str) -> None:
        """Use a catalog from now on, and its default database."""
        self.current_database = self.catalog(name).get_default_database()
        self.current_catalog = name

    def use_database(self, name: str) -> None:
        """Use a database of the current catalog from now on."""
        self.catalog(self.current_catalog).get_database(name)
        self.current_database = name

    # Tables

    def find(self, identifier: ObjectIdentifier) -> CatalogBaseTable | None:
        """Return a table or view, a temporary one first; None if there is none."""
        found = self.temporary.get(identifier)
        if found is not None:
            return found
        catalog = self.catalogs.get(identifier.catalog_name)
        path = identifier.to_object_path()
        return catalog.get_table(path) if catalog is not None and catalog.table_exists(path) else None

    def table_names(self) -> list[str]:
        """Return the names of all tables and views that can be used without a database."""
        here = {
            one.object_name
            for one in self.temporary
            if (one.catalog_name, one.database_name) == (self.current_catalog, self.current_database)
        }
        return sorted(here | set(self.catalog(self.current_catalog).list_tables(self.current_database)))

    def view_names(self) -> list[str]:
        """Return the names of all views that can be used without a database."""
        stored = set(self.catalog(self.current_catalog).list_views(self.current_database))
        temporary = {name: self.temporary.get(self.identify((name,))) for name in self.table_names()}
        return [
            name for name, one in temporary.items() if isinstance(one, CatalogView) or (one is None and name in stored)
        ]

    def create(
        self, identifier: ObjectIdentifier, table: CatalogBaseTable, *, temporary: bool, if_not_exists: bool = False
    ) -> None:
        """Make a table or view."""
        if not temporary:
            self.catalog(identifier.catalog_name).create_table(identifier.to_object_path(), table, if_not_exists)
        elif identifier not in self.temporary:
            self.temporary[identifier] = table
        elif not if_not_exists:
            raise TableError(f"there is a temporary table '{identifier.as_summary_string()}' already; drop it before")

    def drop(self, identifier: ObjectIdentifier, *, temporary: bool, if_exists: bool) -> bool:
        """Remove a table or view; say whether there was one."""
        if temporary or identifier in self.temporary:
            found = self.temporary.pop(identifier, None)
            if found is None and not if_exists:
                raise TableError(f"there is no temporary table '{identifier.as_summary_string()}'")
            return found is not None
        catalog, path = self.catalog(identifier.catalog_name), identifier.to_object_path()
        there = catalog.table_exists(path)
        catalog.drop_table(path, if_exists)
        return there
