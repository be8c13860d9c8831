"""A catalog of Spark's: which databases and tables there are, and what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from flott.errors import GraphError
from flott.spark.frame_writes import first_line
from flott.spark.session import base_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.common import Configuration


class SparkTables:
    """Databases and tables of one catalog of the Spark application that is there."""

    def __init__(self, catalog: str | None, configuration: Configuration) -> None:
        self._session = base_session(configuration)
        self.catalog = catalog or self._session.catalog.currentCatalog()

    def current_database(self) -> str:
        """Return the database that Spark uses if none is named."""
        return str(self._session.catalog.currentDatabase())

    def databases(self) -> list[str]:
        """Return the names of the databases."""
        return sorted(row[0] for row in self._sql(f"SHOW NAMESPACES IN {quoted(self.catalog)}"))

    def tables(self, database: str) -> list[str]:
        """Return the names of the tables and views of a database, and of the session's temporary views."""
        return sorted(row.tableName for row in self._sql(f"SHOW TABLES IN {self._path(database)}"))

    def views(self, database: str) -> list[str]:
        """Return the names of the views alone."""
        return sorted(row.viewName for row in self._sql(f"SHOW VIEWS IN {self._path(database)}"))

    def name_of(self, database: str, table: str) -> str | None:
        """Return the name by which Spark finds a table or view; None if there is none."""
        full = self._path(database, table)
        if self._session.catalog.tableExists(full):
            return full
        temporary = any(
            row.isTemporary and row.tableName == table for row in self._sql(f"SHOW TABLES IN {self._path(database)}")
        )
        return quoted(table) if temporary else None

    def schema(self, name: str) -> Any:
        """Return the columns of a table as an Arrow schema."""
        frame = self._session.table(name)
        try:
            return to_arrow_schema(frame.schema)
        except Exception as error:
            raise GraphError(f"{name}: {frame.schema.simpleString():.200} has no form in Arrow: {error}") from error

    def partition_keys(self, name: str) -> tuple[str, ...]:
        """Return the columns by which a table's files are in directories."""
        return tuple(column.name for column in self._session.catalog.listColumns(name) if column.isPartition)

    def create_table(
        self, database: str, table: str, schema: Any, form: str, path: str | None, partition_by: Sequence[str]
    ) -> None:
        """Make a table of Spark's."""
        columns = ", ".join(f"{quoted(one.name)} {one.dataType.simpleString()}" for one in from_arrow_schema(schema))
        text = f"CREATE TABLE {self._path(database, table)} ({columns}) USING {form}"
        if partition_by:
            text += f" PARTITIONED BY ({', '.join(map(quoted, partition_by))})"
        self._sql(text if path is None else f"{text} LOCATION '{path}'")

    def drop_table(self, database: str, table: str) -> None:
        """Remove a table or view."""
        kind = "VIEW" if table in self.views(database) else "TABLE"
        self._sql(f"DROP {kind} {self._path(database, table)}")

    def rename_table(self, database: str, table: str, name: str) -> None:
        """Give a table another name."""
        self._sql(f"ALTER TABLE {self._path(database, table)} RENAME TO {self._path(database, name)}")

    def create_database(self, name: str) -> None:
        """Make a database."""
        self._sql(f"CREATE NAMESPACE {self._path(name)}")

    def drop_database(self, name: str) -> None:
        """Remove a database that has nothing in it."""
        self._sql(f"DROP NAMESPACE {self._path(name)}")

    def _path(self, *names: str) -> str:
        return ".".join(map(quoted, (self.catalog, *names)))

    def _sql(self, text: str) -> list[Any]:
        try:
            return list(self._session.sql(text).collect())
        except PySparkException as error:
            raise GraphError(f"Spark's catalog '{self.catalog}': {first_line(error)}") from None


def quoted(name: str) -> str:
    """Return a name as Spark's SQL writes it.

    >>> quoted("a`b")
    '`a``b`'
    """
    return f"`{name.replace('`', '``')}`"
