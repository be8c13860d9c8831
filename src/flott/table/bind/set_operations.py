"""Queries side by side: UNION, and the different rows of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.table.bind.grouping import aggregate_node
from flott.table.errors import ValidationError
from flott.table.functions.registry import cast_to
from flott.table.functions.result_types import common_type
from flott.table.plan.nodes import Field, Union, project

if TYPE_CHECKING:
    from flott.table.plan.nodes import Node


def distinct(node: Node) -> Node:
    """Return the different rows."""
    return aggregate_node(node, tuple(range(len(node.fields))), ())


def union(parts: list[Node], text: str) -> Node:
    """Return plans as one, their columns cast to types in common."""
    width = len(parts[0].fields)
    if any(len(part.fields) != width for part in parts):
        raise ValidationError(f"UNION: one query has {width} columns, another {len(parts[-1].fields)}", text, 0)
    kinds = []
    for position in range(width):
        kind = common_type([part.fields[position].type for part in parts])
        if kind is None:
            shown = " and ".join(repr(part.fields[position].type) for part in parts)
            raise ValidationError(f"UNION: column {position + 1} is {shown}; CAST one of them", text, 0)
        kinds.append(kind)
    names = [field.name for field in parts[0].fields]
    cast = [_cast_all(part, kinds, names) for part in parts]
    fields = []
    for position in range(width):
        columns = [part.fields[position] for part in cast]
        same = all(column.role == columns[0].role and column.windows == columns[0].windows for column in columns)
        kind = kinds[position]
        fields.append(
            Field(names[position], kind, columns[0].role if same else None, columns[0].windows if same else None)
        )
    return Union(tuple(fields), tuple(cast))


def _cast_all(node: Node, kinds: list[Any], names: list[str]) -> Node:
    if all(field.type.same_as(kind) for field, kind in zip(node.fields, kinds, strict=True)):
        return node
    return project(node, [cast_to(ref, kind) for ref, kind in zip(node.refs(), kinds, strict=True)], names)
