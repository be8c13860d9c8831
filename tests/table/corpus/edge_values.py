"""The columns that questions are about: a type, and its edge values."""

from __future__ import annotations

import datetime as dt
from base64 import b64encode
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from random import Random
from typing import Any

ROWS_OF_PAIRS = 16
UTC = dt.timezone.utc


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its type in SQL, and what its rows may hold."""

    kind: str
    values: tuple[Any, ...]


def _integers(bits: int) -> tuple[int | None, ...]:
    half = 2 ** (bits - 1)
    return (None, 0, 1, -1, 7, 60, -half, half - 1)


def _decimals(*texts: str) -> tuple[Decimal | None, ...]:
    return (None, *map(Decimal, texts))


def _moments(*texts: str) -> tuple[dt.datetime | None, ...]:
    return (None, *map(dt.datetime.fromisoformat, texts))


INFINITY = float("inf")
TEXTS = (
    None, "", " ", "a", "abc", "ABC def", " äöü ", "Straße", "😀b", "éa'\"", "a,b,,c", "100%_x", "a(b", "a.b.c", "aXbXc",
    "0", "12", " 12 ", "-1.50", "1e3", "300", "99999999999999999999", "NaN", "TRUE", "f", "no",
    "2020-02-29", "2021-02-29", "2020-02-29 12:34:56.789", "2020-3-1 1:2:3", "12:34:56", "25:00:00", "\t\n", "\\d+",
)  # fmt: skip
DOCUMENTS = (
    None, '{"a":1,"b":[1,2.50,null],"c":{"d":"x"},"e":null,"f":true,"g":"2020-01-01"}', '[1, "2", null]', "{}", "[]", "1",
    '"x"', "null", "true", "", "{", '{"a":1,"a":2}', '{"ä":"😀"}', '{"a b":"c\\"d\\u00e9"}', "1.50",
    '{"n":1e400,"m":12345678901234567890}',
)  # fmt: skip
COLUMNS = {
    "boolean": Column("BOOLEAN", (None, True, False)),
    "tinyint": Column("TINYINT", _integers(8)),
    "smallint": Column("SMALLINT", _integers(16)),
    "int": Column("INT", _integers(32)),
    "bigint": Column("BIGINT", _integers(64)),
    "decimal": Column("DECIMAL(5, 2)", _decimals("0.00", "1.25", "-1.25", "0.05", "2.50", "-7.00", "999.99", "-999.99")),
    "large_decimal": Column(
        "DECIMAL(38, 10)",
        _decimals("0", "1", "-0.0000000001", "1.5", "9999999999999999999999999999.9999999999", "-123456789012.3456789012"),
    ),
    "float": Column("FLOAT", (None, 0.0, 1.5, -2.5, 0.10000000149011612, 3.0000000054977558e38, INFINITY, 16777216.0)),
    "double": Column(
        "DOUBLE",
        (None, 0.0, -0.0, 1.5, -2.5, 0.1, 1e-10, 12345678.9, 1e300, -1e19, INFINITY, -INFINITY, float("nan")),
    ),
    "string": Column("STRING", TEXTS),
    "char": Column("CHAR(3)", (None, "abc", "a  ", "12 ", "äöü", "   ")),
    "varchar": Column("VARCHAR(5)", (None, "", "abc", "12.50", "Straß", "a b ")),
    "bytes": Column("BYTES", (None, b"", b"abc", "äö".encode(), b"12")),
    "date": Column(
        "DATE",
        (None, *map(dt.date.fromisoformat, (
            "0001-01-01", "1582-10-15", "1969-12-31", "1970-01-01", "2016-01-03", "2020-02-29", "2020-12-31",
            "2021-03-28", "2024-12-30", "9999-12-31",
        ))),
    ),
    "time": Column("TIME(0)", (None, dt.time(0), dt.time(1, 2, 3), dt.time(12, 34, 56), dt.time(23, 59, 59))),
    "timestamp": Column(
        "TIMESTAMP(3)",
        _moments(
            "0001-01-01 00:00:00", "1969-12-31 23:59:59.999", "1970-01-01 00:00:00", "2016-01-03 12:00:00.5",
            "2020-02-29 12:34:56.789", "2020-03-01 00:00:00", "2020-03-29 02:30:00", "2020-10-25 02:30:00",
            "2024-12-31 23:59:59.9", "9999-12-31 23:59:59.999",
        ),
    ),
    "fine_timestamp": Column(
        "TIMESTAMP(6)",
        _moments("1969-12-31 23:59:59.999999", "2020-02-29 12:34:56.789123", "2020-10-25 02:30:00", "2021-01-01 00:00:00"),
    ),
    "moment": Column(
        "TIMESTAMP_LTZ(3)",
        (None, *(one.replace(tzinfo=UTC) for one in _moments(
            "1970-01-01 00:00:00", "1969-12-31 23:59:59.999", "2020-02-29 12:34:56.789", "2020-03-29 00:59:59",
            "2020-03-29 01:00:00", "2020-10-25 00:30:00", "2020-10-25 01:30:00", "2020-12-31 23:30:00",
        )[1:])),
    ),
    "array": Column("ARRAY<INT>", (None, [], [1], [None], [3, 1, 2, 1], [1, None])),
    "array_of_strings": Column("ARRAY<STRING>", (None, [], [""], ["a", None, "ä"])),
    "map": Column("MAP<STRING, INT>", (None, {}, {"a": 1}, {"a": None, "b": 2})),
    "row": Column("ROW<x INT, y STRING>", (None, {"x": 1, "y": "a"}, {"x": None, "y": None}, {"x": -1, "y": ""})),
    "json": Column("STRING", DOCUMENTS),
}  # fmt: skip
"""By name."""


def rows_of(names: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Return the rows of a question over these columns: all values of one column, or some pairs of two."""
    every = list(product(*(COLUMNS[name].values for name in names)))
    if len(names) == 1 or len(every) <= ROWS_OF_PAIRS:
        return every
    return Random(",".join(names)).sample(every, ROWS_OF_PAIRS)


def as_json(value: Any) -> Any:
    """Return a value as Flink's JSON format reads it."""
    if isinstance(value, dt.datetime):
        text = value.replace(tzinfo=None).isoformat(" ", "microseconds" if value.microsecond % 1000 else "milliseconds")
        return text if value.tzinfo is None else f"{text}Z"
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, (Decimal, float)):
        return str(value).replace("inf", "Infinity").replace("nan", "NaN")
    return value
