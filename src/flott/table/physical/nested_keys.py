"""Groups by rows, arrays and maps: strings stand for the values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flott.table.expr import AggregateCall, InputRef
from flott.table.functions.nested_values import is_nested
from flott.table.functions.registry import functions
from flott.table.plan.nodes import Aggregate, Field, project

if TYPE_CHECKING:
    from flott.table.expr import Expr
    from flott.table.plan.nodes import Node


def without_nested_keys(node: Aggregate) -> Node | None:
    """Return an aggregate without keys and distinct values that have parts; None if no key or value has parts.

    A key is the string of its value, and the value itself is the first one of the group.
    """
    fields = node.input.fields
    keys = [key for key in node.keys if is_nested(fields[key].type)]
    counted = [call.args[0] for call in node.calls if call.distinct and call.args]
    distinct = [place for place in counted if is_nested(fields[place].type)]
    nested = list(dict.fromkeys([*keys, *distinct]))
    if not nested:
        return None
    places = {key: len(fields) + number for number, key in enumerate(nested)}
    texts: list[Expr] = [functions()["$KEY"].bind("$KEY", [InputRef(fields[key].type, key)]) for key in nested]
    names = [*(field.name for field in fields), *(f"$key{number}" for number in range(len(nested)))]
    source = project(node.input, [*node.input.refs(), *texts], names)
    calls = [
        replace(call, args=tuple(places.get(arg, arg) for arg in call.args)) if call.distinct else call
        for call in node.calls
    ]
    values = [AggregateCall("FIRST_VALUE", (key,), fields[key].type.nullable()) for key in keys]
    grouped = tuple(places.get(key, key) for key in node.keys)
    heads = [source.fields[key] for key in grouped]
    made = [Field(f"$value{number}", call.type) for number, call in enumerate(values)]
    inner = Aggregate((*heads, *node.fields[len(node.keys) :], *made), source, grouped, (*calls, *values), node.ttl)
    behind = len(node.keys) + len(calls)
    refs: list[Expr] = []
    for place, field in enumerate(node.fields):
        of_key = place < len(node.keys) and node.keys[place] in keys
        refs.append(InputRef(field.type, behind + keys.index(node.keys[place]) if of_key else place))
    return replace(project(inner, refs, [field.name for field in node.fields]), fields=node.fields)
