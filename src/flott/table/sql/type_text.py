"""Column types as SQL writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.table.column_types import MAX_LENGTH
from flott.table.errors import SqlParserError, did_you_mean
from flott.table.sql.cursor import Cursor
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from sqlglot import exp

    from flott.table import types as t

PLAIN: dict[str, t.DataType] = {
    "BOOLEAN": DataTypes.BOOLEAN(), "TINYINT": DataTypes.TINYINT(), "SMALLINT": DataTypes.SMALLINT(),
    "INT": DataTypes.INT(), "INTEGER": DataTypes.INT(), "BIGINT": DataTypes.BIGINT(), "FLOAT": DataTypes.FLOAT(),
    "DOUBLE": DataTypes.DOUBLE(), "DATE": DataTypes.DATE(), "STRING": DataTypes.STRING(), "TEXT": DataTypes.STRING(),
    "BYTES": DataTypes.BYTES(), "NULL": DataTypes.NULL(),
}  # fmt: skip
SIZED: dict[str, tuple[Any, int]] = {
    "CHAR": (DataTypes.CHAR, 1), "VARCHAR": (DataTypes.VARCHAR, MAX_LENGTH), "BINARY": (DataTypes.BINARY, 1),
    "VARBINARY": (DataTypes.VARBINARY, MAX_LENGTH), "TIME": (DataTypes.TIME, 0), "TIMESTAMP": (DataTypes.TIMESTAMP, 6),
    "TIMESTAMP_LTZ": (DataTypes.TIMESTAMP_LTZ, 6), "TIMESTAMPLTZ": (DataTypes.TIMESTAMP_LTZ, 6),
}  # fmt: skip
"""Types with one number, and what it is if it is not given: as in Flink's SQL, a VARCHAR without one is a STRING."""

DECIMALS = ("DECIMAL", "DEC", "NUMERIC")


def parse_type(text: str) -> t.DataType:
    """Read a type from text.

    >>> parse_type("ROW<id BIGINT NOT NULL, tags ARRAY<STRING>>"), parse_type("TIMESTAMP(3) WITH LOCAL TIME ZONE")
    (ROW<`id` BIGINT NOT NULL, `tags` ARRAY<STRING>>, TIMESTAMP_LTZ(3))
    """
    cursor = Cursor(text)
    kind = take_type(cursor)
    cursor.end()
    return kind


def take_type(cursor: Cursor) -> t.DataType:
    """Take a type, and whether it may be NULL."""
    kind = _bare(cursor)
    while cursor.accept("ARRAY"):
        kind = DataTypes.ARRAY(kind)
    if cursor.accept("NOT", "NULL"):
        return kind.not_null()
    cursor.accept("NULL")
    return kind


def _bare(cursor: Cursor) -> t.DataType:
    place = cursor.offset()
    name = cursor.name().upper()
    if name == "DOUBLE":
        cursor.accept("PRECISION")
    if name in PLAIN:
        return PLAIN[name]
    if name in SIZED:
        make, size = SIZED[name]
        if cursor.accept("("):
            size = cursor.number()
            least, most = (0, 9) if name.startswith("TIME") else (1, MAX_LENGTH)
            if not least <= size <= most:
                raise SqlParserError(f"{name}({size}): give a number from {least} to {most}", cursor.text, place)
            cursor.expect(")")
        if name == "TIMESTAMP" and cursor.accept("WITH"):
            cursor.expect("LOCAL").expect("TIME").expect("ZONE")
            make = DataTypes.TIMESTAMP_LTZ
        elif name in {"TIME", "TIMESTAMP"} and cursor.accept("WITHOUT"):
            cursor.expect("TIME").expect("ZONE")
        return make(size)  # type: ignore[no-any-return]
    if name in DECIMALS:
        return _decimal(cursor, place)
    if name == "ARRAY":
        cursor.expect("<")
        element = take_type(cursor)
        cursor.expect(">")
        return DataTypes.ARRAY(element)
    if name == "MAP":
        cursor.expect("<")
        key = take_type(cursor)
        cursor.expect(",")
        value = take_type(cursor)
        cursor.expect(">")
        return DataTypes.MAP(key, value)
    if name == "ROW":
        return _row(cursor)
    known = [*PLAIN, *SIZED, "DECIMAL", "ARRAY", "MAP", "ROW"]
    raise SqlParserError(f"there is no type '{name}'{did_you_mean(name, known)}", cursor.text, place)


def _decimal(cursor: Cursor, place: int) -> t.DataType:
    precision, scale = 10, 0
    if cursor.accept("("):
        precision = cursor.number()
        if cursor.accept(","):
            scale = cursor.number()
        cursor.expect(")")
    try:
        return DataTypes.DECIMAL(precision, scale)
    except ValueError as error:
        raise SqlParserError(str(error), cursor.text, place) from None


def _row(cursor: Cursor) -> t.DataType:
    round_brackets = cursor.accept("(")
    if not round_brackets:
        cursor.expect("<")
    fields = []
    while True:
        name = cursor.name()
        kind = take_type(cursor)
        fields.append(DataTypes.FIELD(name, kind))
        if not cursor.accept(","):
            break
    cursor.expect(")" if round_brackets else ">")
    return DataTypes.ROW(fields)


def type_of_cast(node: exp.DataType) -> t.DataType:
    """Return the type that a CAST names."""
    return parse_type(_written(node))


def _written(node: exp.DataType) -> str:
    name = str(node.args.get("kind") or getattr(node.this, "value", ""))
    if not name:
        raise SqlParserError(f"'{node.sql()}' is not a type", None, None)
    inner = ", ".join(_written(one) if type(one).__name__ == "DataType" else one.sql() for one in node.expressions)
    names = {"TIMESTAMPLTZ": "TIMESTAMP_LTZ", "TEXT": "STRING"}
    name = names.get(name, name)
    if not inner:
        return name
    return f"{name}<{inner}>" if node.args.get("nested") else f"{name}({inner})"
