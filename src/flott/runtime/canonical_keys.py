"""Keys in their canonical form: equal keys are one object's equal, in memory and as bytes, in every worker.

A key is what its selector returns. What state is kept for, and what functions see, is its canonical form: of all keys
that are one key, the same. The canonical form is a plain value where there is one, and Python holds two canonical forms
equal exactly when their bytes are. docs/concepts/keys.md has the table.
"""

from __future__ import annotations

from enum import Enum
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from flott.common.types import Row, RowKind
from flott.runtime.key_classes import (
    KeyTypeError,
    check_dataclass,
    check_equality,
    check_importable,
    has_fields,
    refusal,
)
from flott.runtime.key_numbers import NAN, NUMBERS
from flott.runtime.key_times import TIMES, pandas_times

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Form = Callable[[Any], Any]
    """A key of one class → its canonical form."""

PLAIN = frozenset({str, int, bytes, type(None)})
"""Keys of exactly these types are their own canonical form."""

ROWS: dict[tuple[Any, ...], Row] = {}
"""The canonical forms of rows by their names and values, of this process."""

MOST_ROWS = 100_000

MAY_HOLD_NAN = frozenset({float, tuple})
MAY_HOLD_MORE = frozenset({Row, frozenset, np.datetime64})

INSTEAD = {
    "dict": "one of its values, or a tuple of them, as in key_by(lambda record: record['user'])",
    "complex": "(key.real, key.imag)",
    "ndarray": "tuple(key.tolist())",
}


def canonical_key(key: Any) -> Any:
    """Return the canonical form of a key.

    >>> from decimal import Decimal
    >>> canonical_key(True), canonical_key(Decimal("0.50")), canonical_key(["ann", 7.0])
    (1, 0.5, ('ann', 7))
    """
    kind = type(key)
    if kind in PLAIN:
        return key
    form = FORMS.get(kind)
    return (form_of(kind) if form is None else form)(key)


def loaded_key(key: Any) -> Any:
    """Return a key that was pickled as the dictionaries find it that had it before. Its type stays as it was.

    >>> loaded_key(("ann", float("nan")))[1] is NAN
    True
    """
    kind = type(key)
    if kind is tuple:
        return _same_or_new(key, tuple(map(loaded_key, key)))
    if kind is float:
        return with_one_nan(key)
    return canonical_key(key) if kind in MAY_HOLD_MORE or has_fields(kind) else key


def with_one_nan(key: Any) -> Any:
    """Return a value with the one NaN that dictionaries find, alone or in a tuple; others are as they are."""
    kind = type(key)
    if kind is float:
        return NAN if key != key else key  # noqa: PLR0124
    return _same_or_new(key, tuple(map(with_one_nan, key))) if kind is tuple else key


def form_of(kind: type) -> Form:
    """Return what makes keys of a class canonical; raise KeyTypeError for a class that has no canonical form."""
    form = FORMS[kind] = _form_of(kind)
    return form


def _form_of(kind: type) -> Form:
    if issubclass(kind, Enum):
        return _form_of_members(kind)
    if has_fields(kind):
        return _form_of_dataclass(kind)
    for base in kind.__mro__:
        form = BASES.get(base) or (pandas_times().get(base) if base.__module__.startswith("pandas.") else None)
        if form is not None:
            if kind.__module__ != "numpy":
                check_equality(kind, base)
            return form
    name = kind.__name__
    if kind.__eq__ is not object.__eq__ and name not in INSTEAD:
        check_equality(kind, object)
    raise refusal(
        kind, "which has no canonical form", INSTEAD.get(name, "a string, a number, a tuple, or a frozen dataclass")
    )


def _form_of_members(kind: type[Enum]) -> Form:
    """Members that are strings or numbers too are one key with those; others are keys of their own."""
    mixed_in = next((base for base in kind.__mro__ if base in BASES), None)
    check_equality(kind, mixed_in or object)
    if mixed_in is not None:
        return BASES[mixed_in]
    check_importable(kind)
    return _itself


def _form_of_dataclass(kind: type) -> Form:
    names = check_dataclass(kind)
    check_importable(kind)
    # Of a single name it would return the value, not a tuple.
    values_of = attrgetter(*names, "__class__", "__class__")

    def form(key: Any) -> Any:
        values = values_of(key)[:-2]
        made = _tuple(values)
        return key if frozen and made is values else of_fields(kind, names, made)

    frozen: bool = kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    return form


def of_fields(kind: type, names: tuple[str, ...], values: Iterable[Any]) -> Any:
    """Return an instance of a dataclass, made without a call of its own code."""
    made: Any = object.__new__(kind)
    for name, value in zip(names, values, strict=True):
        object.__setattr__(made, name, value)
    return made


def _row(key: Row) -> Row:
    """Return a row that is the key's own, as rows may change; the same object for equal ones, most of the time."""
    if key._row_kind is not RowKind.INSERT:  # noqa: SLF001 - asked for each record
        made = _new_row(key)
        made.set_row_kind(key.get_row_kind())
        return made
    memo = (key._fields, *key._values)  # noqa: SLF001
    try:
        known = ROWS.get(memo)
    except TypeError:
        return _new_row(key)  # a list inside
    if known is None:
        if len(ROWS) >= MOST_ROWS:
            ROWS.clear()
        known = ROWS[memo] = _new_row(key)
    return known


def _new_row(key: Row) -> Row:
    """Return a new row with its names in order: rows are equal whatever the order of their fields."""
    names = key.get_field_names()
    values = map(canonical_key, key)
    if names is None:
        return Row(*values)
    if len(set(names)) != len(names) or len(names) != len(key):
        raise refusal(Row, "whose fields do not have one name each", "a Row whose fields do")
    return Row(**dict(sorted(zip(names, values, strict=True))))


def _tuple(key: Any) -> tuple[Any, ...]:
    same: tuple[Any, ...] = key if type(key) is tuple else tuple(key)
    return same if PLAIN.issuperset(map(type, same)) else _same_or_new(same, tuple(map(canonical_key, same)))


def _same_or_new(before: tuple[Any, ...], after: tuple[Any, ...]) -> tuple[Any, ...]:
    return before if all(map(_is, before, after)) else after


def _is(one: Any, other: Any) -> bool:
    return one is other


def _set(key: Any) -> frozenset[Any]:
    return frozenset(map(canonical_key, key))


def _memory(key: memoryview) -> bytes:
    if key.format != "B":
        raise refusal(memoryview, f"of items of format {key.format!r}", "key.tobytes(), or tuple(key)")
    return key.tobytes()


def _itself(key: Any) -> Any:
    return key


BASES: dict[type, Form] = {
    **NUMBERS,
    **TIMES,
    type(None): _itself,
    str: str.__str__,
    np.str_: str.__str__,
    bytes: bytes,
    np.bytes_: bytes,
    bytearray: bytes,
    memoryview: _memory,
    tuple: _tuple,
    list: _tuple,
    set: _set,
    frozenset: _set,
    Row: _row,
}
"""By class; a class that inherits from one of these, and its equality, has the same form."""

FORMS = dict(BASES)
"""By class, with those that were met so far."""

__all__ = ["NAN", "PLAIN", "KeyTypeError", "canonical_key", "loaded_key", "of_fields", "with_one_nan"]
