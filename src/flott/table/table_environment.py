"""TableEnvironment: tables, SQL and what executes it."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from flott.common.configuration import Configuration
from flott.datastream import StreamExecutionEnvironment
from flott.table.catalog import Catalog, CatalogTable, CatalogView
from flott.table.catalog_manager import CatalogManager
from flott.table.environment_settings import EnvironmentSettings
from flott.table.errors import TableError
from flott.table.execute_statement import execute_statement, run_inserts, run_query
from flott.table.explain_detail import shows_changes
from flott.table.from_pandas import columns_node
from flott.table.from_values import values_node
from flott.table.planner import Planner, unknown_statement
from flott.table.sql.parse import parse_statement
from flott.table.sql.statements import Insert, Query
from flott.table.statement_set import StatementSet
from flott.table.table import Table
from flott.table.table_config import TableConfig
from flott.table.udf import AsyncScalarFunction, ScalarFunction, udf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flott.table.explain_detail import ExplainDetail
    from flott.table.plan.nodes import SinkNode
    from flott.table.table_descriptor import TableDescriptor
    from flott.table.table_result import TableResult
    from flott.table.types import DataType, RowType

__all__ = ["TableEnvironment"]


class TableEnvironment:
    """Where tables are made and queries are run.

    >>> from flott.common import Configuration
    >>> config = Configuration().set_string("flott.execution.target", "in-process")
    >>> t_env = TableEnvironment.create(EnvironmentSettings.new_instance().with_configuration(config).build())
    >>> with t_env.execute_sql(
    ...     "SELECT name, price * 2 AS twice FROM (VALUES ('tea', 3)) AS t(name, price)"
    ... ).collect() as rows:
    ...     list(rows)
    [Row(name='tea', twice=6)]
    """

    def __init__(self, environment: StreamExecutionEnvironment, settings: EnvironmentSettings) -> None:
        self._environment = environment
        # The same object: what is set for tables holds for the job, and the other way round.
        self._config = TableConfig(environment._configuration)  # noqa: SLF001 - ours
        self._first_options = environment._configuration.to_dict()  # noqa: SLF001 - ours
        self._manager = CatalogManager()
        self._planner = Planner(self._manager, self._config, environment)
        self._settings = settings
        self._unnamed = count()

    @staticmethod
    def create(environment_settings: EnvironmentSettings | Configuration | None = None) -> TableEnvironment:
        """Returns a new environment."""
        if isinstance(environment_settings, Configuration):
            environment_settings = EnvironmentSettings(environment_settings)
        settings = environment_settings or EnvironmentSettings()
        environment = StreamExecutionEnvironment.get_execution_environment(settings.get_configuration())
        return TableEnvironment(environment, settings)

    @property
    def planner(self) -> Planner:
        """What plans the queries of this environment."""
        return self._planner

    def get_config(self) -> TableConfig:
        """Returns the options."""
        return self._config

    def reset_options(self, key: str | None = None) -> None:
        """Sets an option, or all of them, to what it was when this environment was made: RESET in SQL."""
        configuration = self._config.get_configuration()
        for one in [key] if key is not None else list(configuration.to_dict()):
            if one in self._first_options:
                self._config.set(one, self._first_options[one])
            else:
                configuration.remove_config(one)

    # -- SQL ---------------------------------------------------------------------------------------

    def sql_query(self, query: str) -> Table:
        """Returns the table that a SELECT describes; nothing runs yet."""
        statement = parse_statement(query)
        if not isinstance(statement, Query):
            raise unknown_statement(statement)
        return Table(self._planner.query(statement), self)

    def execute_sql(self, stmt: str) -> TableResult:
        """Executes one statement; an INSERT starts a job and returns, a SELECT gives its rows as they come."""
        return execute_statement(parse_statement(stmt), self)

    def explain_sql(self, stmt: str, *extra_details: ExplainDetail) -> str:
        """Returns the plans of a SELECT or INSERT as text."""
        statement = parse_statement(stmt)
        if isinstance(statement, Query):
            return self._planner.explain([self._planner.query(statement)], changes=shows_changes(extra_details))
        if isinstance(statement, Insert):
            return self._planner.explain([self._planner.insert(statement)], changes=shows_changes(extra_details))
        raise unknown_statement(statement)

    def create_statement_set(self) -> StatementSet:
        """Returns a set of INSERTs that run as one job."""
        return StatementSet(self)

    def run_inserts(self, nodes: Sequence[SinkNode], name: str) -> TableResult:
        """Start one job for some INSERTs."""
        return run_inserts(list(nodes), self, name)

    def run_query(self, table: Table) -> TableResult:
        """Start a job for a query; its rows come back."""
        return run_query(table.plan, self)

    # -- tables ------------------------------------------------------------------------------------

    def from_path(self, path: str) -> Table:
        """Returns a table of the catalog."""
        return Table(self._planner.table(self._manager.path(path)), self)

    def from_descriptor(self, descriptor: TableDescriptor) -> Table:
        """Returns the table that a descriptor describes."""
        from flott.table.bind.tables import table_plan

        return Table(table_plan("(unnamed)", _catalog_table(descriptor), self._manager.functions), self)

    def from_elements(self, elements: Iterable[Any], schema: DataType | Sequence[str] | None = None) -> Table:
        """Returns a table of given rows.

        Args:
            elements: The rows: tuples, lists or Rows.
            schema: A DataTypes.ROW, or the names of the columns, whose types are then taken from the rows.
        """
        return Table(values_node(list(elements), schema), self)

    def from_pandas(
        self,
        pdf: Any,
        schema: RowType | Sequence[str] | Sequence[DataType] | None = None,
        splits_num: int = 1,
    ) -> Table:
        """Returns a table of the rows of a pandas DataFrame.

        Args:
            pdf: The DataFrame; its index is left out.
            schema: A DataTypes.ROW, or names, or types of the columns; by default those of the DataFrame.
            splits_num: As in PyFlink; the rows are dealt out to as many subtasks as there are in any case.
        """
        return Table(columns_node(pdf, schema), self)

    def create_temporary_view(self, view_path: str, table: Any) -> None:
        """Gives a table a name; it lives as long as this environment."""
        if not isinstance(table, Table):
            raise TableError(f"create_temporary_view('{view_path}', {table!r:.80}): give a Table")
        identifier = self._manager.identify(self._manager.path(view_path))
        self._manager.create(identifier, CatalogView(plan=table.plan), temporary=True)

    def unnamed(self, table: Table) -> str:
        """Gives a table a name of ours, and returns it as SQL writes it: what ``str(table)`` is."""
        name = f"`UnnamedTable${next(self._unnamed)}`"
        self.create_temporary_view(name, table)
        return name

    def create_view(self, view_path: str, table: Table, ignore_if_exists: bool = False) -> None:
        """Gives a table a name in the catalog."""
        identifier = self._manager.identify(self._manager.path(view_path))
        self._manager.create(identifier, CatalogView(plan=table.plan), temporary=False, if_not_exists=ignore_if_exists)

    def create_temporary_table(self, path: str, descriptor: TableDescriptor, ignore_if_exists: bool = False) -> None:
        """Makes a table that lives as long as this environment."""
        self._create(path, descriptor, temporary=True, if_not_exists=ignore_if_exists)

    def create_table(self, path: str, descriptor: TableDescriptor, ignore_if_exists: bool = False) -> None:
        """Makes a table in the catalog."""
        self._create(path, descriptor, temporary=False, if_not_exists=ignore_if_exists)

    def _create(self, path: str, descriptor: TableDescriptor, *, temporary: bool, if_not_exists: bool) -> None:
        identifier = self._manager.identify(self._manager.path(path))
        table = _catalog_table(descriptor)
        self._manager.create(identifier, table, temporary=temporary, if_not_exists=if_not_exists)

    def drop_temporary_table(self, table_path: str) -> bool:
        """Removes a temporary table; says whether there was one."""
        return self._manager.drop(self._identifier(table_path), temporary=True, if_exists=True)

    drop_temporary_view = drop_temporary_table

    def drop_table(self, table_path: str, ignore_if_not_exists: bool = True) -> bool:
        """Removes a table from the catalog; says whether there was one."""
        return self._manager.drop(self._identifier(table_path), temporary=False, if_exists=ignore_if_not_exists)

    drop_view = drop_table

    def _identifier(self, path: str) -> Any:
        return self._manager.identify(self._manager.path(path))

    # -- catalogs ----------------------------------------------------------------------------------

    @property
    def manager(self) -> CatalogManager:
        """What finds tables and functions by name."""
        return self._manager

    def register_catalog(self, catalog_name: str, catalog: Catalog) -> None:
        """Adds a catalog."""
        if catalog_name in self._manager.catalogs:
            raise TableError(f"there is a catalog '{catalog_name}' already")
        self._manager.catalogs[catalog_name] = catalog

    def get_catalog(self, catalog_name: str) -> Catalog | None:
        """Returns a catalog; None if there is none."""
        return self._manager.catalogs.get(catalog_name)

    def use_catalog(self, catalog_name: str) -> None:
        """Uses a catalog from now on."""
        self._manager.use_catalog(catalog_name)

    def use_database(self, database_name: str) -> None:
        """Uses a database from now on."""
        self._manager.use_database(database_name)

    def get_current_catalog(self) -> str:
        """Returns the catalog in use."""
        return self._manager.current_catalog

    def get_current_database(self) -> str:
        """Returns the database in use."""
        return self._manager.current_database

    def list_catalogs(self) -> list[str]:
        """Returns the names of the catalogs."""
        return sorted(self._manager.catalogs)

    def list_databases(self) -> list[str]:
        """Returns the names of the databases of the current catalog."""
        return self._manager.catalog(self._manager.current_catalog).list_databases()

    def list_tables(self) -> list[str]:
        """Returns the names of the tables and views of the current database."""
        return self._manager.table_names()

    def list_views(self) -> list[str]:
        """Returns the names of the views of the current database."""
        return self._manager.view_names()

    # -- functions ---------------------------------------------------------------------------------

    def create_temporary_system_function(self, name: str, function: Any) -> None:
        """Makes a function known under a name: one made by udf or udaf, or a ScalarFunction."""
        if isinstance(function, (ScalarFunction, AsyncScalarFunction)) or (
            callable(function) and not hasattr(function, "kind")
        ):
            function = udf(function)
        if not hasattr(function, "kind"):
            raise TableError(
                f"create_temporary_system_function('{name}', {function!r:.80}): "
                f"make it with udf(…), udtf(…), udaf(…) or udtaf(…)"
            )
        self._manager.functions[name.upper()] = function

    def create_temporary_function(self, path: str, function: Any) -> None:
        """Makes a function known under a name."""
        self.create_temporary_system_function(self._manager.path(path)[-1], function)

    def drop_temporary_system_function(self, name: str) -> bool:
        """Forgets a function; says whether there was one."""
        return self._manager.functions.pop(name.upper(), None) is not None

    drop_temporary_function = drop_temporary_system_function

    def list_user_defined_functions(self) -> list[str]:
        """Returns the names of the functions that were made known."""
        return sorted(name.lower() for name in self._manager.functions)


def _catalog_table(descriptor: TableDescriptor) -> CatalogTable:
    return CatalogTable(
        descriptor.schema, dict(descriptor.options), tuple(descriptor.partition_keys), descriptor.comment
    )
