"""Executes statements: DDL at once, queries and INSERTs as jobs."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from flott.table.bind.tables import resolved_schema, table_plan
from flott.table.catalog import Catalog, CatalogDatabase, CatalogTable, CatalogView
from flott.table.errors import NotYetError, TableError, did_you_mean
from flott.table.result_kind import ResultKind
from flott.table.result_row import result_rows
from flott.table.schema import Schema
from flott.table.show_create import show_create
from flott.table.spark_catalog import SparkCatalog
from flott.table.sql import statements as s
from flott.table.table_result import TableResult, done, grid, listing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flott.table.plan.nodes import Node, SinkNode
    from flott.table.table_environment import TableEnvironment


def execute_statement(statement: s.Statement, t_env: TableEnvironment) -> TableResult:
    """Execute a statement in an environment."""
    return _EXECUTE[type(statement)](statement, t_env)


# ---------------------------------------------------------------------------- jobs


def run_query(node: Node, t_env: TableEnvironment) -> TableResult:
    """Start a job that brings the rows of a query back."""
    _, stream = t_env.planner.rows(node)
    found = stream._collect("collect")  # noqa: SLF001 - ours
    schema = resolved_schema(node)
    rows = result_rows(iter(found), schema.get_column_data_types())
    return TableResult(schema, ResultKind.SUCCESS_WITH_CONTENT, rows, found.get_job_client(), found.close, changes=True)


def run_inserts(nodes: list[SinkNode], t_env: TableEnvironment, name: str) -> TableResult:
    """Start one job for some INSERTs."""
    planner = t_env.planner
    planner.sinks(nodes)
    client = planner.environment.execute_async(name)
    result = grid([node.path for node in nodes], [[-1] * len(nodes)], ResultKind.SUCCESS_WITH_CONTENT)
    result._client = client  # noqa: SLF001 - ours
    return result


def _query(statement: s.Query, t_env: TableEnvironment) -> TableResult:
    return run_query(t_env.planner.query(statement), t_env)


def _insert(statement: s.Insert, t_env: TableEnvironment) -> TableResult:
    if statement.overwrite:
        raise NotYetError("INSERT OVERWRITE can't be run on a stream; write INSERT INTO")
    node = t_env.planner.insert(statement)
    return run_inserts([node], t_env, f"insert-into_{node.path}")


def _insert_set(statement: s.InsertSet, t_env: TableEnvironment) -> TableResult:
    nodes = [t_env.planner.insert(insert) for insert in statement.inserts]
    return run_inserts(nodes, t_env, "insert-into_" + ",".join(node.path for node in nodes))


def _explain(statement: s.Explain, t_env: TableEnvironment) -> TableResult:
    inner, planner = statement.statement, t_env.planner
    nodes: list[Any]
    if isinstance(inner, s.Query):
        nodes = [planner.query(inner)]
    elif isinstance(inner, s.Insert):
        nodes = [planner.insert(inner)]
    elif isinstance(inner, s.InsertSet):
        nodes = [planner.insert(insert) for insert in inner.inserts]
    else:
        raise TableError("EXPLAIN takes a SELECT, an INSERT or a statement set")
    return listing("result", [planner.explain(nodes)])


# ---------------------------------------------------------------------------- DDL


def _create_table(statement: s.CreateTable, t_env: TableEnvironment) -> TableResult:
    manager = t_env.manager
    schema = Schema.of(statement.columns, statement.watermark, statement.primary_key)
    options = dict(statement.options)
    partition_keys = statement.partition_keys
    if statement.like is not None:
        base = manager.find(manager.identify(statement.like))
        if not isinstance(base, CatalogTable):
            hint = did_you_mean(statement.like[-1], manager.table_names())
            raise TableError(f"LIKE {'.'.join(statement.like)}: there is no such table{hint}")
        schema = Schema.of(
            (*base.schema.columns, *schema.columns), schema.watermark or base.schema.watermark,
            schema.key or base.schema.key,
        )  # fmt: skip
        options = {**base.options, **options}
        partition_keys = partition_keys or base.partition_keys
    table = CatalogTable(schema, options, partition_keys, statement.comment, statement.text)
    identifier = manager.identify(statement.path)
    table_plan(identifier.as_summary_string(), table, manager.functions)  # finds what is wrong with it
    manager.create(identifier, table, temporary=statement.temporary, if_not_exists=statement.if_not_exists)
    return done()


def _create_view(statement: s.CreateView, t_env: TableEnvironment) -> TableResult:
    manager = t_env.manager
    t_env.planner.query(statement.query)  # finds what is wrong with it
    view = CatalogView(statement.query.tree, statement.text, columns=statement.columns)
    manager.create(
        manager.identify(statement.path), view, temporary=statement.temporary, if_not_exists=statement.if_not_exists
    )
    return done()


def _create_function(statement: s.CreateFunction, t_env: TableEnvironment) -> TableResult:
    if statement.language != "PYTHON":
        raise TableError(
            f"CREATE FUNCTION: only Python functions are known; write AS '{statement.target}' LANGUAGE PYTHON"
        )
    name = statement.path[-1]
    if name.upper() in t_env.manager.functions:
        if statement.if_not_exists:
            return done()
        raise TableError(f"there is a function '{name}' already; write IF NOT EXISTS, or drop it before")
    module, _, attribute = statement.target.rpartition(".")
    try:
        function = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise TableError(f"CREATE FUNCTION {name} AS '{statement.target}': {error}; give 'module.name'") from None
    t_env.create_temporary_system_function(name, function)
    return done()


def _create_space(statement: s.CreateSpace, t_env: TableEnvironment) -> TableResult:
    manager = t_env.manager
    *catalog, name = statement.path
    if statement.kind == "DATABASE":
        home = manager.catalog(catalog[0] if catalog else manager.current_catalog)
        home.create_database(name, CatalogDatabase(statement.options), statement.if_not_exists)
        return done()
    if name in manager.catalogs:
        if statement.if_not_exists:
            return done()
        raise TableError(f"there is a catalog '{name}' already; write IF NOT EXISTS")
    manager.catalogs[name] = _catalog(name, statement.options, t_env)
    return done()


def _catalog(name: str, options: Mapping[str, str], t_env: TableEnvironment) -> Catalog:
    kind = options.get("type", "generic_in_memory")
    if kind == "generic_in_memory":
        return Catalog(name, options.get("default-database", "default"))
    if kind == "spark":
        return SparkCatalog(name, options, t_env.get_config().get_configuration())
    raise TableError(f"CREATE CATALOG {name}: there is no catalog of type '{kind}'; generic_in_memory and spark are")


def _drop(statement: s.Drop, t_env: TableEnvironment) -> TableResult:
    manager = t_env.manager
    name = statement.path[-1]
    if statement.kind == "FUNCTION":
        if manager.functions.pop(name.upper(), None) is None and not statement.if_exists:
            raise TableError(f"there is no function '{name}'{did_you_mean(name, manager.functions)}")
    elif statement.kind == "DATABASE":
        home = statement.path[0] if len(statement.path) > 1 else manager.current_catalog
        manager.catalog(home).drop_database(name, statement.if_exists)
    elif statement.kind == "CATALOG":
        if name == manager.current_catalog:
            raise TableError(f"catalog '{name}' is in use; USE CATALOG another one before")
        if manager.catalogs.pop(name, None) is None and not statement.if_exists:
            raise TableError(f"there is no catalog '{name}'{did_you_mean(name, manager.catalogs)}")
    else:
        manager.drop(manager.identify(statement.path), temporary=statement.temporary, if_exists=statement.if_exists)
    return done()


def _use(statement: s.Use, t_env: TableEnvironment) -> TableResult:
    manager = t_env.manager
    if statement.kind == "CATALOG":
        manager.use_catalog(statement.path[0])
    else:
        if len(statement.path) > 1:
            manager.use_catalog(statement.path[0])
        manager.use_database(statement.path[-1])
    return done()


def _set(statement: s.SetOption, t_env: TableEnvironment) -> TableResult:
    config = t_env.get_config()
    if statement.reset:
        t_env.reset_options(statement.key)
        return done()
    if statement.key is None or statement.value is None:
        return grid(["key", "value"], [list(pair) for pair in sorted(config.get_configuration().to_dict().items())])
    config.set(statement.key, statement.value)
    return done()


def _show(statement: s.Show, t_env: TableEnvironment) -> TableResult:
    manager = t_env.manager
    if statement.what == "CREATE":
        return listing("result", [show_create(manager, manager.identify(statement.path))])
    if statement.what == "FUNCTIONS":
        from flott.table.functions.aggregates import AGGREGATES
        from flott.table.functions.registry import functions

        names = {name.lower() for name in (*functions(), *AGGREGATES, *manager.functions) if name[0].isalpha()}
        return listing("function name", sorted(names))
    listed: dict[str, tuple[str, Callable[[], list[str]]]] = {
        "TABLES": ("table name", t_env.list_tables),
        "VIEWS": ("view name", t_env.list_views),
        "USER FUNCTIONS": ("function name", t_env.list_user_defined_functions),
        "DATABASES": ("database name", t_env.list_databases),
        "CATALOGS": ("catalog name", t_env.list_catalogs),
        "CURRENT CATALOG": ("current catalog name", lambda: [manager.current_catalog]),
        "CURRENT DATABASE": ("current database name", lambda: [manager.current_database]),
    }
    name, found = listed[statement.what]
    return listing(name, found())


def _describe(statement: s.Describe, t_env: TableEnvironment) -> TableResult:
    manager = t_env.manager
    node = t_env.planner.table(statement.path)
    table = manager.find(manager.identify(statement.path))
    schema = resolved_schema(node, table if isinstance(table, CatalogTable) else None)
    rows = []
    for column, field in zip(schema.columns, node.fields, strict=True):
        role = f" *{field.role.upper()}*" if field.role in {"rowtime", "proctime"} else ""
        key = f"PRI({', '.join(schema.primary_key)})" if column.name in schema.primary_key else None
        mark = (
            f"`{schema.watermark[0]}` {schema.watermark[1]}"
            if schema.watermark and schema.watermark[0] == column.name
            else None
        )
        null = "TRUE" if column.data_type.is_nullable else "FALSE"
        rows.append([column.name, column.data_type.text() + role, null, key, column.extra, mark])
    return grid(["name", "type", "null", "key", "extras", "watermark"], rows)


_EXECUTE: dict[type[s.Statement], Callable[[Any, TableEnvironment], TableResult]] = {
    s.Query: _query, s.Insert: _insert, s.InsertSet: _insert_set, s.Explain: _explain, s.CreateTable: _create_table,
    s.CreateView: _create_view, s.CreateFunction: _create_function, s.CreateSpace: _create_space, s.Drop: _drop,
    s.Use: _use, s.SetOption: _set, s.Show: _show, s.Describe: _describe,
}  # fmt: skip
