"""Tables of catalogs as plans: a scan, the computed columns over it, and the watermark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.scope import Scope, wrong
from flott.table.errors import ValidationError, did_you_mean
from flott.table.expr import Expr, InputRef
from flott.table.plan.nodes import ROWTIME, Field, Node, Scan, Watermark, project, show
from flott.table.resolved_schema import Column, ResolvedSchema
from flott.table.rules.fold_constants import folded
from flott.table.types import is_timestamp

if TYPE_CHECKING:
    from sqlglot import exp

    from flott.table.catalog import CatalogTable
    from flott.table.schema import Schema

MILLISECONDS = 3


def table_plan(path: str, table: CatalogTable, users: dict[str, Any]) -> Node:
    """Return the plan that reads a table."""
    fields = [
        Field(column.name, column.type)
        for column in table.schema.columns
        if column.expression is None and column.type is not None
    ]
    scan = Scan(tuple(fields), path, table)
    return with_schema(scan, table.schema, users, table.text)


def with_schema(source: Node, schema: Schema, users: dict[str, Any], text: str) -> Node:
    """Return a plan with the computed columns and the watermark of a schema."""
    stored = [field.name for field in source.fields]
    twice = [column.name for column in schema.columns if [one.name for one in schema.columns].count(column.name) > 1]
    if twice:
        raise ValidationError(f"two columns are called '{twice[0]}'")
    node = source
    if [column.name for column in schema.columns] != stored:
        binder = ExpressionBinder(Scope.of(source, None, text), users)
        exprs: list[Expr] = []
        for column in schema.columns:
            if column.expression is not None:
                exprs.append(binder.bind(column.expression))
            else:
                index = stored.index(column.name)
                exprs.append(InputRef(source.fields[index].type, index))
        node = project(source, exprs, [column.name for column in schema.columns])
    if schema.watermark is not None:
        node = _with_watermark(node, schema.watermark, users, text)
    _check_key(schema, node)
    return node


def _with_watermark(node: Node, watermark: tuple[str, exp.Expr], users: dict[str, Any], text: str) -> Node:
    name, tree = watermark
    names = [field.name for field in node.fields]
    if name not in names:
        raise wrong(f"WATERMARK FOR {name}: there is no such column{did_you_mean(name, names)}", tree, text)
    position = names.index(name)
    kind = node.fields[position].type
    if not is_timestamp(kind) or kind.precision > MILLISECONDS:  # type: ignore[attr-defined]
        raise wrong(
            f"WATERMARK FOR {name}: event time is a TIMESTAMP(3) or TIMESTAMP_LTZ(3), and this column is {kind!r}; "
            f"declare it so, or compute one: at AS CAST({name} AS TIMESTAMP(3))", tree, text,
        )  # fmt: skip
    expr = ExpressionBinder(Scope.of(node, None, text), users).bind(tree)
    if type(expr.type) is not type(kind):
        raise wrong(f"WATERMARK FOR {name}: the watermark must be {kind.nullable()!r}, not {expr.type!r}", tree, text)
    fields = tuple(
        Field(field.name, field.type, ROWTIME) if index == position else field
        for index, field in enumerate(node.fields)
    )
    return Watermark(fields, node, position, expr)


def _check_key(schema: Schema, node: Node) -> None:
    fields = {field.name: field for field in node.fields}
    for name in schema.key:
        if name not in fields:
            raise ValidationError(f"PRIMARY KEY ({name}): there is no such column{did_you_mean(name, fields)}")


def resolved_schema(node: Node, table: CatalogTable | None = None) -> ResolvedSchema:
    """Return the schema of a plan's output; of a table's, with what the catalog knows besides."""
    if table is None:
        return ResolvedSchema(tuple(Column(field.name, field.type) for field in node.fields))
    declared = {column.name: column for column in table.schema.columns}
    below = node.inputs[0] if isinstance(node, Watermark) else node
    columns = []
    for position, field in enumerate(node.fields):
        column = declared[field.name]
        extra, kind = None, "physical"
        if column.expression is not None:
            extra, kind = f"AS {show(folded(below.exprs[position]), below.inputs[0])}", "computed"  # type: ignore[attr-defined]
        elif column.metadata is not None:
            extra, kind = f"METADATA FROM '{column.metadata}'{' VIRTUAL' if column.virtual else ''}", "metadata"
        columns.append(Column(field.name, field.type, extra, kind, column.comment))
    watermark = None
    if isinstance(node, Watermark):
        watermark = (node.fields[node.rowtime].name, show(node.expr, node.input))
    return ResolvedSchema(tuple(columns), watermark, table.schema.key)
