"""Two values are the same if their fingerprints are: types, contents, and which parts are one object."""

from __future__ import annotations

import array
import struct
from collections import OrderedDict, defaultdict, deque
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from flott.common import Row

if TYPE_CHECKING:
    from collections.abc import Iterable

MUTABLE = (list, dict, set, bytearray, array.array, np.ndarray, deque, Row)


def fingerprint(value: Any) -> str:
    """Return a string that is the same for the same types with the same contents, and only for them.

    >>> fingerprint([1, True]) == fingerprint([1, 1])
    False
    >>> same = []
    >>> fingerprint([same, same]) == fingerprint([[], []])
    False
    """
    return _Writer().write(value)


class _Writer:
    """Writes one value; remembers the objects that it met."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}

    def write(self, value: Any) -> str:
        kind = type(value)
        if isinstance(value, MUTABLE) or hasattr(value, "__dict__"):
            known = self._seen.get(id(value))
            if known is not None:
                return f"@{known}"
            self._seen[id(value)] = len(self._seen)
        return f"{kind.__module__}.{kind.__qualname__}{self._content(value)}"

    def _several(self, values: Iterable[Any]) -> str:
        return f"({', '.join(map(self.write, values))})"

    def _attributes(self, value: Any) -> str:
        held = getattr(value, "__dict__", None)
        slots = [name for cls in type(value).__mro__ for name in _slots(cls)]
        found = [*(held or {}).items(), *((name, getattr(value, name)) for name in slots if hasattr(value, name))]
        return self._several(part for pair in found for part in pair) if found else ""

    def _content(self, value: Any) -> str:
        if isinstance(value, Enum):
            return f".{value.name or value.value}"
        if isinstance(value, Row):
            names = value.get_field_names()
            return f"[{value.get_row_kind()} {names}]{self._several(value)}"
        if is_dataclass(value):
            return self._several(getattr(value, one.name) for one in fields(value))
        for base, write in _BUILT_IN.items():
            if isinstance(value, base):
                return write(self, value) + ("" if type(value) is base else self._attributes(value))
        return self._attributes(value) or repr(value)

    def _array(self, value: np.ndarray[Any, Any]) -> str:
        content = self._several(value.ravel().tolist()) if value.dtype.hasobject else value.tobytes().hex()
        return f"[{value.dtype.str} {value.shape}]{content}"

    def _set(self, value: Iterable[Any]) -> str:
        return f"{{{', '.join(sorted(_Writer().write(item) for item in value))}}}"

    def _dict(self, value: dict[Any, Any]) -> str:
        factory = getattr(value, "default_factory", None)
        return f"{factory or ''}{self._several(part for pair in value.items() for part in pair)}"


def _slots(cls: type) -> tuple[str, ...]:
    slots = cls.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(name for name in slots if name != "__weakref__")


def _double(value: float) -> str:
    return struct.pack(">d", value).hex()


def _timestamp(value: Any) -> str:
    return repr(value) if value is pd.NaT else f"{value.isoformat()} {value.unit} {value.tz!r} {value.fold}"


_BUILT_IN: dict[Any, Any] = {
    pd.Timestamp: lambda _, value: _timestamp(value),
    np.ndarray: _Writer._array,
    # What numpy's scalars derive from has less than they have.
    np.generic: lambda _, value: f"[{value.dtype.str}]{value.tobytes().hex()}",
    bool: lambda _, value: repr(value),
    int: lambda _, value: int.__repr__(value),
    float: lambda _, value: _double(value),
    complex: lambda _, value: _double(value.real) + _double(value.imag),
    str: lambda _, value: ascii(str.__str__(value)),
    bytes: lambda _, value: bytes.__repr__(value),
    bytearray: lambda _, value: bytes(value).hex(),
    memoryview: lambda _, value: f"[{value.format} {value.shape}]{value.tobytes().hex()}",
    array.array: lambda _, value: f"[{value.typecode}]{value.tobytes().hex()}",
    tuple: lambda writer, value: writer._several(tuple.__iter__(value)),
    list: lambda writer, value: writer._several(value),
    deque: lambda writer, value: f"[{value.maxlen}]{writer._several(value)}",
    set: _Writer._set,
    frozenset: _Writer._set,
    defaultdict: _Writer._dict,
    OrderedDict: _Writer._dict,
    dict: _Writer._dict,
    Decimal: lambda _, value: str(value.as_tuple()),
    Fraction: lambda _, value: str(value),
    timedelta: lambda _, value: repr(value),
    time: lambda _, value: f"{value!r} {value.fold}",
    date: lambda _, value: f"{value!r} {getattr(value, 'fold', 0)}",
    range: lambda _, value: repr(value),
}
