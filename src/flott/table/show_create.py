"""Tables and views as the statements that would make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.catalog import CatalogView
from flott.table.errors import TableError, did_you_mean

if TYPE_CHECKING:
    from flott.table.catalog import CatalogTable, ObjectIdentifier
    from flott.table.catalog_manager import CatalogManager
    from flott.table.unresolved_column import UnresolvedColumn


def show_create(manager: CatalogManager, identifier: ObjectIdentifier) -> str:
    """Return the CREATE statement of a table or view."""
    found = manager.find(identifier)
    if found is None:
        hint = did_you_mean(identifier.object_name, manager.table_names())
        raise TableError(f"there is no table '{identifier.as_summary_string()}'{hint}")
    name = identifier.as_serializable_string()
    if not isinstance(found, CatalogView):
        return _table(name, found)
    if found.tree is None:
        raise TableError(f"'{identifier.as_summary_string()}' was made from a Table, so there is no SQL that makes it")
    columns = f" ({', '.join(f'`{column}`' for column in found.columns)})" if found.columns else ""
    return f"CREATE VIEW {name}{columns} AS {found.tree.sql(dialect=None, identify=False)}"


def _table(name: str, table: CatalogTable) -> str:
    lines = [_column(column) for column in table.schema.columns]
    if table.schema.watermark is not None:
        column, tree = table.schema.watermark
        lines.append(f"WATERMARK FOR `{column}` AS {tree.sql()}")
    if table.schema.key:
        lines.append(f"PRIMARY KEY ({', '.join(f'`{key}`' for key in table.schema.key)}) NOT ENFORCED")
    body = ",\n".join(f"  {line}" for line in lines)
    partitioned = (
        f"PARTITIONED BY ({', '.join(f'`{key}`' for key in table.partition_keys)})\n" if table.partition_keys else ""
    )
    options = ",\n".join(f"  '{key}' = '{value}'" for key, value in table.options.items())
    comment = f"COMMENT '{table.comment}'\n" if table.comment else ""
    return f"CREATE TABLE {name} (\n{body}\n)\n{comment}{partitioned}WITH (\n{options}\n)\n"


def _column(column: UnresolvedColumn) -> str:
    if column.expression is not None:
        return f"`{column.name}` AS {column.expression.sql()}"
    metadata = f" METADATA FROM '{column.metadata}'" if column.metadata is not None else ""
    return f"`{column.name}` {column.type!r}{metadata}{' VIRTUAL' if column.virtual else ''}"
