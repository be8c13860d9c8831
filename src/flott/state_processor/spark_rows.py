"""State for Spark: a schema that Spark understands, and values that fit it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from flott.common.types import Row
from flott.runtime.state.savepoint_file import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BASIC = {
    "STRING": "STRING", "CHAR": "STRING", "BOOLEAN": "BOOLEAN", "BYTE": "TINYINT", "SHORT": "SMALLINT", "INT": "INT",
    "LONG": "BIGINT", "FLOAT": "FLOAT", "DOUBLE": "DOUBLE",
}  # fmt: skip
PYTHON = {str: "STRING", bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}


def as_spark_rows(
    columns: Sequence[str], rows: list[tuple[Any, ...]], schemas: dict[str, str]
) -> tuple[list[tuple[Any, ...]], str]:
    """Return rows as Spark takes them, and the schema in Spark's own words.

    >>> as_spark_rows(["key", "value"], [("ann", 3), ("bob", None)], {})
    ([('ann', 3), ('bob', None)], '`key` STRING, `value` BIGINT')
    >>> as_spark_rows(["key", "value"], [(1, 3), ("bob", 4)], {})
    ([('1', 3), ('"bob"', 4)], '`key` STRING, `value` BIGINT')
    """
    types: list[str] = []
    shapes: list[Callable[[Any], Any]] = []
    for place, name in enumerate(columns):
        ddl = spark_type(json.loads(schemas[name])) if schemas.get(name) else None
        kinds = {type(row[place]) for row in rows} - {type(None)}
        if ddl is not None:
            types.append(ddl)
            shapes.append(plain)
        elif len(kinds) == 1 and (kind := next(iter(kinds))) in PYTHON:
            types.append(PYTHON[kind])
            shapes.append(lambda value: value)
        else:
            types.append("STRING")
            shapes.append(lambda value: None if value is None else text_of(value))
    shaped = [tuple(shape(value) for shape, value in zip(shapes, row, strict=True)) for row in rows]
    return shaped, ", ".join(f"`{name}` {kind}" for name, kind in zip(columns, types, strict=True))


def spark_type(schema: Any) -> str | None:
    """Return the Spark type that holds any value of a schema; None if there is none.

    >>> spark_type({"row": {"name": "STRING", "scores": {"list": "INT"}}})
    'STRUCT<`name`: STRING, `scores`: ARRAY<INT>>'
    """
    if isinstance(schema, str):
        return BASIC.get(schema)
    [(kind, inner)] = schema.items()
    if kind in {"list", "array"}:
        element = spark_type(inner)
        return element and f"ARRAY<{element}>"
    if kind == "map":
        key, value = map(spark_type, inner)
        return f"MAP<{key}, {value}>" if key and value else None
    names = list(inner) if isinstance(inner, dict) else [f"f{place}" for place in range(len(inner))]
    types = [spark_type(one) for one in (inner.values() if isinstance(inner, dict) else inner)]
    if None in types:
        return None
    return f"STRUCT<{', '.join(f'`{name}`: {one}' for name, one in zip(names, types, strict=True))}>"


def plain(value: Any) -> Any:
    """Return a value with rows as tuples, which is how Spark takes them."""
    if isinstance(value, Row):
        return tuple(map(plain, value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value))
    return {key: plain(one) for key, one in value.items()} if isinstance(value, dict) else value
