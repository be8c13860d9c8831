"""What kind of value something is to whoever must keep it as it is now: immutable, or how it is copied."""

from __future__ import annotations

import copy
import copyreg
import dataclasses
import ipaddress
import pathlib
import re
import types
import weakref
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np

from flott.common.time import Instant
from flott.common.types import Row
from flott.runtime.output_tag import OutputTag

IMMUTABLE, TUPLE, NAMED_TUPLE, FROZENSET, FROZEN, LIST, DICT, SET, ROW, INSTANCE, ARRAY, OTHER = range(12)
"""Of immutable containers (up to FROZEN) the contents decide. INSTANCE: of a class that does nothing unusual."""

BUILT_IN: dict[type, int] = {
    **dict.fromkeys(
        (
            type(None), bool, int, float, complex, str, bytes, range, types.EllipsisType, types.NotImplementedType,
            date, time, datetime, timedelta, timezone, ZoneInfo, Decimal, Fraction, UUID, Instant,
            type, types.FunctionType, types.BuiltinFunctionType, types.CodeType, re.Pattern, weakref.ref,
            pathlib.PurePosixPath, pathlib.PureWindowsPath, pathlib.PosixPath, pathlib.WindowsPath,
            ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network,
        ),
        IMMUTABLE,
    ),
    tuple: TUPLE,
    frozenset: FROZENSET,
    list: LIST,
    dict: DICT,
    set: SET,
    Row: ROW,
}  # fmt: skip
KINDS = dict(BUILT_IN)
"""The kinds of types that were met so far."""

MOST_TYPES = 1_000
"""Classes that are made over and over must not pile up."""
PICKLE_PROTOCOL = 4
CONSTRUCTOR, ARGUMENTS, STATE, ITEMS = range(4)


class NotCopiedError(ValueError):
    """A record holds something that can't be copied."""


def kind_of(value: Any) -> int:
    """Return the kind of a value.

    >>> kind_of("text") == IMMUTABLE, kind_of(np.float64(1.5)) == IMMUTABLE, kind_of([1]) == LIST
    (True, True, True)
    """
    cls = type(value)
    kind = KINDS.get(cls)
    if kind is None:
        kind = _kind_of_class(cls, value)
        if len(KINDS) >= MOST_TYPES:
            KINDS.clear()
            KINDS.update(BUILT_IN)
        KINDS[cls] = kind
    return kind


def _kind_of_class(cls: type, value: Any) -> int:
    if issubclass(cls, (Enum, type, OutputTag)) or _is_scalar(cls):
        return IMMUTABLE
    if cls is np.ndarray:
        # Which dtype decides for each array.
        return ARRAY
    if issubclass(cls, tuple):
        is_named = hasattr(cls, "_fields") and cls.__dictoffset__ == 0 and _copies_as(cls, tuple)
        return NAMED_TUPLE if is_named else OTHER
    if not _is_usual(cls, value):
        return OTHER
    declared = cls.__dict__.get("__dataclass_params__")
    return FROZEN if declared is not None and declared.frozen else INSTANCE


def _is_scalar(cls: type) -> bool:
    """Return whether it is a scalar of numpy or pandas. A structured scalar of numpy can be changed."""
    if issubclass(cls, np.generic):
        return cls.__module__ == "numpy" and not issubclass(cls, (np.void, np.object_))
    return cls.__module__.startswith("pandas._libs.") and cls.__name__ in {
        "Timestamp", "Timedelta", "Period", "NaTType", "NAType", "Interval",
    }  # fmt: skip


def _copies_as(cls: type, base: type) -> bool:
    """Return whether a class leaves it to a base (or to object) how it is copied and pickled."""
    return (
        not hasattr(cls, "__deepcopy__")
        and cls not in copyreg.dispatch_table
        and all(getattr(cls, name) is getattr(object, name) for name in ("__reduce_ex__", "__reduce__"))
        and (base is tuple or cls.__new__ is base.__new__)
        and _leaves_state_alone(cls)
    )


def _leaves_state_alone(cls: type) -> bool:
    own = getattr(cls, "__getstate__", None), getattr(cls, "__setstate__", None)
    usual = getattr(object, "__getstate__", None), None
    # What a frozen dataclass with slots has is there to set its fields, and does nothing else.
    return own == usual or all(getattr(method, "__module__", None) == dataclasses.__name__ for method in own)


def _is_usual(cls: type, value: Any) -> bool:
    """Return whether its attributes are all that an instance of a class has."""
    if not _copies_as(cls, object) or hasattr(cls, "__getnewargs__") or hasattr(cls, "__getnewargs_ex__"):
        return False
    try:
        reduced = value.__reduce_ex__(PICKLE_PROTOCOL)
    except Exception:  # noqa: BLE001 - it says that it can't be pickled
        return False
    return (
        isinstance(reduced, tuple)
        and reduced[CONSTRUCTOR] is copyreg.__newobj__  # type: ignore[attr-defined]
        and reduced[ARGUMENTS] == (cls,)
        and not any(part is not None for part in reduced[ITEMS:])
    )


@lru_cache(maxsize=MOST_TYPES)
def slots_of(cls: Any) -> tuple[types.MemberDescriptorType, ...]:
    """Return what gets and sets the ``__slots__`` of a class and its bases."""
    members = (member for base in cls.__mro__ for member in vars(base).values())
    return tuple(member for member in members if isinstance(member, types.MemberDescriptorType))


def copy_unknown(value: Any, memo: dict[int, Any]) -> Any:
    """Copy an object of a class that says itself how it is copied or pickled."""
    try:
        return copy.deepcopy(value, memo)
    except Exception as error:
        kind = type(value).__qualname__
        message = (
            f"an object of type {kind} can't be copied: {type(error).__name__}: {error}. A record is copied when it is "
            f"emitted, so that it stays as it is then. Emit plain values, Rows, dataclasses or what copy.deepcopy "
            f"takes; or give {kind} a __deepcopy__; or set pipeline.object-reuse to true, and never change an object "
            f"that was emitted"
        )
        raise NotCopiedError(message) from error
