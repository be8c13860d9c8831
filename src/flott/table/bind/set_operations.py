"""Queries side by side: UNION, INTERSECT, EXCEPT, and the different rows of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.bind.grouping import aggregate_node
from flott.table.errors import ValidationError
from flott.table.functions.registry import cast_to
from flott.table.functions.result_types import common_type
from flott.table.plan.nodes import Field, Union, project
from flott.table.plan.set_operation import EXCEPT, INTERSECT, SetOperation

if TYPE_CHECKING:
    from flott.table.plan.nodes import Node


def by_precedence(tree: exp.SetOperation) -> exp.SetOperation:
    """Return queries put together as SQL says: INTERSECT comes before UNION and EXCEPT.

    >>> from flott.table.sql.dialect import parse_tokens, tokenize
    >>> text = "SELECT 1 UNION SELECT 2 INTERSECT SELECT 3"
    >>> by_precedence(parse_tokens(tokenize(text), text)).expression.unnest().sql()
    'SELECT 2 INTERSECT SELECT 3'
    """
    first = tree.this
    if not isinstance(tree, exp.Intersect) or not isinstance(first, (exp.Union, exp.Except)):
        return tree
    inner = exp.Intersect(this=first.expression, expression=tree.expression, distinct=tree.args.get("distinct"))
    made = type(first)(this=first.this, expression=by_precedence(inner), distinct=first.args.get("distinct"))
    for part in ("with_", "order", "limit", "offset"):
        if tree.args.get(part):
            made.set(part, tree.args[part])
    return by_precedence(made)


def combined(tree: exp.SetOperation, left: Node, right: Node, text: str) -> Node:
    """Return what UNION, INTERSECT or EXCEPT makes of two queries."""
    if isinstance(tree, exp.Union):
        node = union([left, right], text)
        return distinct(node) if tree.args.get("distinct") else node
    kind = INTERSECT if isinstance(tree, exp.Intersect) else EXCEPT
    return set_operation(kind, left, right, text, every=not tree.args.get("distinct"))


def distinct(node: Node) -> Node:
    """Return the different rows."""
    return aggregate_node(node, tuple(range(len(node.fields))), ())


def set_operation(kind: str, left: Node, right: Node, text: str, *, every: bool) -> Node:
    """Return the rows that are in both plans, or only in the first."""
    left, right = _alike(kind, [left, right], text)
    fields = tuple(field.plain() for field in left.fields)
    return SetOperation(fields, left, right, kind, every)


def union(parts: list[Node], text: str) -> Node:
    """Return plans as one, their columns cast to types in common."""
    cast = _alike("UNION", parts, text)
    fields = []
    for position, field in enumerate(cast[0].fields):
        columns = [part.fields[position] for part in cast]
        same = all(column.role == field.role and column.windows == field.windows for column in columns)
        kind = common_type([column.type for column in columns]) or field.type
        fields.append(Field(field.name, kind, field.role if same else None, field.windows if same else None))
    return Union(tuple(fields), tuple(cast))


def _alike(what: str, parts: list[Node], text: str) -> list[Node]:
    """Return plans whose columns have the types that they have in common, and the names of the first."""
    width = len(parts[0].fields)
    if any(len(part.fields) != width for part in parts):
        raise ValidationError(f"{what}: one query has {width} columns, another {len(parts[-1].fields)}", text, 0)
    kinds = []
    for position in range(width):
        kind = common_type([part.fields[position].type for part in parts])
        if kind is None:
            shown = " and ".join(repr(part.fields[position].type) for part in parts)
            raise ValidationError(f"{what}: column {position + 1} is {shown}; CAST one of them", text, 0)
        kinds.append(kind)
    names = [field.name for field in parts[0].fields]
    return [_cast_all(part, kinds, names) for part in parts]


def _cast_all(node: Node, kinds: list[Any], names: list[str]) -> Node:
    if all(field.type.same_as(kind) for field, kind in zip(node.fields, kinds, strict=True)):
        return node
    return project(node, [cast_to(ref, kind) for ref, kind in zip(node.refs(), kinds, strict=True)], names)
