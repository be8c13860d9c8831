"""Canonical keys that are neither plain values nor tuples: what their bytes are made of.

The first byte says what a key is; behind it stand bytes, or the items of a tuple.
"""

from __future__ import annotations

import pickle
from dataclasses import fields
from datetime import date, datetime, time, timedelta, timezone
from decimal import Context, Decimal
from enum import Enum, Flag
from fractions import Fraction
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from flott.common.types import Row, RowKind
from flott.runtime.canonical_keys import canonical_key, of_fields
from flott.runtime.key_classes import class_named
from flott.runtime.key_times import NAT

if TYPE_CHECKING:
    from collections.abc import Callable

    Content = bytes | tuple[Any, ...]

FINEST = 26
"""A time as text that is longer than this has nanoseconds."""


def taken_apart(key: Any) -> tuple[bytes, Content]:
    """Return what a canonical key is, and what it consists of.

    >>> taken_apart(date(2024, 5, 1))
    (b'D', b'2024-05-01')
    """
    kind = type(key)
    known = OF_CLASS.get(kind)
    if known is not None:
        return known(key)
    if kind.__module__.startswith("pandas."):
        return b"Z", key.isoformat()[: -len("+00:00")].encode()
    if isinstance(key, Enum):
        return b"e", (kind.__module__, kind.__qualname__, key.value if isinstance(key, Flag) else key.name)
    values = (getattr(key, field.name) for field in fields(key))
    return b"o", (kind.__module__, kind.__qualname__, *values)


def _decimal(key: Decimal) -> tuple[bytes, Content]:
    return b"d", str(key.normalize(Context(prec=max(28, len(key.as_tuple().digits))))).encode()


def _datetime(key: datetime) -> tuple[bytes, Content]:
    return (b"T" if key.tzinfo is None else b"Z"), key.replace(tzinfo=None).isoformat().encode()


def _numpy_time(key: Any) -> tuple[bytes, Content]:
    return (b"N", b"") if np.isnat(key) else (b"T", str(key).encode())


def _span(key: timedelta) -> tuple[bytes, Content]:
    return b"l", b"%d" % (key // timedelta(microseconds=1) * 1000)


def _row(key: Row) -> tuple[bytes, Content]:
    names = key.get_field_names()
    return b"r", (key.get_row_kind().value, None if names is None else tuple(names), *key)


OF_CLASS: dict[type, Callable[[Any], tuple[bytes, Content]]] = {
    Decimal: _decimal,
    Fraction: lambda key: (b"q", b"%d/%d" % (key.numerator, key.denominator)),
    date: lambda key: (b"D", key.isoformat().encode()),
    datetime: _datetime,
    np.datetime64: _numpy_time,
    time: lambda key: (b"C", key.isoformat().encode()),
    timedelta: _span,
    np.timedelta64: lambda key: (b"l", b"%d" % key.astype(np.int64)),
    UUID: lambda key: (b"u", key.bytes),
    Row: _row,
}


def put_together(kind: bytes, data: bytes, split: Callable[[bytes], list[Any]]) -> Any:
    """Return the key that bytes stand for; ``split`` reads the items of a tuple."""
    if kind in OF_TEXT:
        return OF_TEXT[kind](data.decode())
    if kind in OF_ITEMS:
        return OF_ITEMS[kind](*split(data))
    if kind == b"x":
        return frozenset(split(data))
    if kind == b"u":
        return UUID(bytes=data)
    # What version 0.1.0 wrote for every type that it did not know.
    return canonical_key(pickle.loads(data))


def _naive(text: str) -> Any:
    return np.datetime64(text, "ns") if len(text) > FINEST else datetime.fromisoformat(text)


def _instant(text: str) -> Any:
    if len(text) <= FINEST:
        return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)
    import pandas as pd  # only its times are that fine and have a zone

    return pd.Timestamp(text, tz="UTC")


def _span_of(text: str) -> Any:
    whole, rest = divmod(int(text), 1000)
    return np.timedelta64(int(text), "ns") if rest else timedelta(microseconds=whole)


def _row_of(kind: int, names: tuple[str, ...] | None, *values: Any) -> Row:
    made = Row(*values) if names is None else Row(**dict(zip(names, values, strict=True)))
    made.set_row_kind(RowKind(kind))
    return made


def _member_of(module: str, qualname: str, name: Any) -> Any:
    kind = class_named(module, qualname)
    return kind(name) if issubclass(kind, Flag) else kind[name]


def _instance_of(module: str, qualname: str, *values: Any) -> Any:
    kind = class_named(module, qualname)
    return of_fields(kind, tuple(field.name for field in fields(kind)), list(values))


OF_TEXT: dict[bytes, Callable[[str], Any]] = {
    b"d": lambda text: canonical_key(Decimal(text)),
    b"q": Fraction,
    b"D": date.fromisoformat,
    b"T": _naive,
    b"Z": _instant,
    b"N": lambda _: NAT,
    b"C": time.fromisoformat,
    b"l": _span_of,
}

OF_ITEMS: dict[bytes, Callable[..., Any]] = {b"r": _row_of, b"e": _member_of, b"o": _instance_of}
