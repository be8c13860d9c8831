"""Values that fit their declared type: checked in full for known elements, shaped as records flow.

A declared Row or tuple type is a promise to the next operator: it may say ``row.name`` whether the
function before it returned a Row, a tuple or a dict. Numbers and strings are left as they are.
"""

from __future__ import annotations

from ctypes import c_float
from decimal import Decimal
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from flott.common.typeinfo import (
    BasicType,
    BasicTypeInfo,
    ExternalTypeInfo,
    ListTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    RowTypeInfo,
    TupleTypeInfo,
    TypeInformation,
    Types,
)
from flott.common.types import Row, RowKind
from flott.errors import GraphError
from flott.runtime.tuples import all_tuples

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    Shape: TypeAlias = Callable[[Any], Any]

__all__ = ["all_fit", "conform", "declared", "shape_of"]


def declared(call: str, type_info: TypeInformation | Sequence[TypeInformation] | None) -> TypeInformation:
    """Return the type a user declared: a list stands for a row of these types, None for any object."""
    if type_info is None:
        return Types.PICKLED_BYTE_ARRAY()
    if isinstance(type_info, (list, tuple)):
        return RowTypeInfo(type_info)
    if not isinstance(type_info, TypeInformation):
        raise GraphError(
            f"{call}: {type_info!r} is no type information; "
            "give one made by Types, such as Types.STRING() (with parentheses)"
        )
    return type_info


# ---------------------------------------------------------------------------- as records flow


def shape_of(type_info: TypeInformation) -> Shape | None:
    """Return what turns a value into the Row or tuple its type promises; None if nothing is to be done.

    >>> shape = shape_of(Types.ROW_NAMED(["word", "count"], [Types.STRING(), Types.LONG()]))
    >>> shape(("be", 2)).count
    2
    >>> shape_of(Types.LONG()) is None
    True
    """
    if isinstance(type_info, ExternalTypeInfo):
        return shape_of(type_info.type_info)
    if isinstance(type_info, RowTypeInfo):
        return _row_shape(type_info)
    if isinstance(type_info, TupleTypeInfo):
        return _tuple_shape(type_info)
    if isinstance(type_info, (ListTypeInfo, ObjectArrayTypeInfo)):
        element = shape_of(type_info.element_type)
        return None if element is None else lambda values: None if values is None else list(map(element, values))
    if isinstance(type_info, MapTypeInfo):
        value = shape_of(type_info.value_type_info)
        return None if value is None else lambda entries: _shape_entries(value, entries)
    return None


def all_fit(type_info: TypeInformation) -> Callable[[list[Any]], bool] | None:
    """Return what says of many values whether all have the shape already; None for a type where that is not quick.

    >>> fit = all_fit(Types.TUPLE([Types.STRING(), Types.LONG()]))
    >>> fit([("be", 2), ("or", 1)]), fit([("be", 2), ["or", 1]]), fit([("be", 2, 3)])
    (True, False, False)
    """
    if not isinstance(type_info, (RowTypeInfo, TupleTypeInfo)) or any(map(shape_of, type_info.get_field_types())):
        return None
    if isinstance(type_info, TupleTypeInfo):
        size = len(type_info.get_field_types())
        return lambda values: all_tuples(values, size)
    names = {tuple(type_info.get_field_names())}
    names_of = attrgetter("_fields")
    return lambda values: set(map(type, values)) == {Row} and set(map(names_of, values)) == names


def _row_shape(type_info: RowTypeInfo) -> Shape:
    names = tuple(type_info.get_field_names())
    inner = [shape_of(field) for field in type_info.get_field_types()]
    flat = not any(inner)

    def shape(value: Any) -> Any:
        if type(value) is Row:
            fields = value._fields
            if flat and fields == names:
                return value
            values: Sequence[Any] = list(value) if fields is None else value.get_fields_by_names(names)
            kind = value.get_row_kind()
        elif value is None:
            return None
        else:
            values = value if isinstance(value, (tuple, list)) else _fields_of(value, names)
            kind = RowKind.INSERT
        row = Row.of_kind(kind, *_shape_fields(type_info, inner, values))
        row.set_field_names(names)
        return row

    return shape


def _tuple_shape(type_info: TupleTypeInfo) -> Shape:
    inner = [shape_of(field) for field in type_info.get_field_types()]
    flat, size = not any(inner), len(inner)

    def shape(value: Any) -> Any:
        if (flat and type(value) is tuple and len(value) == size) or value is None:
            return value
        return tuple(_shape_fields(type_info, inner, tuple(value)))

    return shape


def _shape_fields(type_info: TypeInformation, inner: list[Shape | None], values: Sequence[Any]) -> list[Any]:
    if len(values) != len(inner):
        raise ValueError(f"the declared type {type_info!r} has {len(inner)} fields, but the value has {len(values)}")
    return [value if shape is None else shape(value) for shape, value in zip(inner, values, strict=True)]


def _shape_entries(shape: Shape, entries: dict[Any, Any] | None) -> dict[Any, Any] | None:
    return None if entries is None else {key: shape(value) for key, value in entries.items()}


def _fields_of(value: Any, names: tuple[str, ...]) -> list[Any]:
    fields = value if isinstance(value, dict) else getattr(value, "__dict__", None)
    if fields is None:
        raise TypeError(f"{value!r} is no row: give a Row, a tuple, a list, a dict or an object with attributes")
    return [fields.get(name) for name in names]


def can_misfit(type_info: TypeInformation) -> bool:
    """Say whether a type promises anything that a value can fail to keep."""
    if isinstance(type_info, ExternalTypeInfo):
        return can_misfit(type_info.type_info)
    return shape_of(type_info) is not None or (isinstance(type_info, BasicTypeInfo) and type_info.basic_type in _PYTHON)


def misfit(value: Any, type_info: TypeInformation) -> str | None:
    """Say why a value can't be of its type, if it plainly can't: text for a number, or the reverse.

    Numbers may be those of any library, and wider than declared.

    >>> misfit(("be", "two"), Types.TUPLE([Types.STRING(), Types.LONG()]))
    "'two' is no Long"
    >>> misfit(2, Types.DOUBLE()) is None
    True
    """
    if isinstance(type_info, ExternalTypeInfo):
        return misfit(value, type_info.type_info)
    if value is not None and isinstance(type_info, BasicTypeInfo):
        kind = type_info.basic_type
        fits = isinstance(value, str) if kind in _TEXT else kind not in _NUMBERS or not isinstance(value, _NO_NUMBERS)
        return None if fits else f"{value!r:.200} is no {kind.value}"
    if value is not None and isinstance(type_info, (RowTypeInfo, TupleTypeInfo)):
        fields = zip(value, type_info.get_field_types(), strict=False)
        return next((wrong for part, field in fields if (wrong := misfit(part, field))), None)
    return None


# ---------------------------------------------------------------------------- known elements

_BITS = {BasicType.BYTE: 8, BasicType.SHORT: 16, BasicType.INT: 32, BasicType.LONG: 64}
_PYTHON: dict[BasicType, type | tuple[type, ...]] = {
    BasicType.STRING: str, BasicType.BOOLEAN: bool, BasicType.CHAR: str, BasicType.BIG_INT: int,
    BasicType.BIG_DEC: (Decimal, int), BasicType.FLOAT: (float, int), BasicType.DOUBLE: (float, int),
    **dict.fromkeys(_BITS, int),
}  # fmt: skip

_TEXT = frozenset({BasicType.STRING, BasicType.CHAR})
_NUMBERS = frozenset(_PYTHON) - _TEXT - {BasicType.BOOLEAN}
_NO_NUMBERS = (str, bytes, tuple, list, dict, set)


def conform(value: Any, type_info: TypeInformation) -> Any:
    """Return a value as its type wants it; raise ValueError if it can't be.

    >>> conform(("be", 2), Types.ROW([Types.STRING(), Types.LONG()]))
    Row(f0='be', f1=2)
    >>> conform(1, Types.DOUBLE()), conform(0.1, Types.FLOAT())
    (1.0, 0.10000000149011612)
    >>> conform("2", Types.LONG())
    Traceback (most recent call last):
    ValueError: '2' is no Long
    """
    shape = shape_of(type_info)
    shaped = value if shape is None else shape(value)
    return _conform(shaped, type_info)


def _conform(value: Any, type_info: TypeInformation) -> Any:  # noqa: PLR0911 - a case each
    if value is None:
        return None
    if isinstance(type_info, ExternalTypeInfo):
        return _conform(value, type_info.type_info)
    if isinstance(type_info, BasicTypeInfo) and type_info.basic_type in _PYTHON:
        return _conform_basic(value, type_info.basic_type)
    if isinstance(type_info, RowTypeInfo):
        parts = [_conform(part, field) for part, field in zip(value, type_info.get_field_types(), strict=True)]
        row = Row.of_kind(value.get_row_kind(), *parts)
        row.set_field_names(type_info.get_field_names())
        return row
    if isinstance(type_info, TupleTypeInfo):
        return tuple(_conform(part, field) for part, field in zip(value, type_info.get_field_types(), strict=True))
    if isinstance(type_info, (ListTypeInfo, ObjectArrayTypeInfo)):
        return [_conform(element, type_info.element_type) for element in value]
    if isinstance(type_info, MapTypeInfo):
        key, entry = type_info.key_type_info, type_info.value_type_info
        return {_conform(name, key): _conform(element, entry) for name, element in value.items()}
    # Dates, times and the like check themselves on the way in.
    type_info.to_internal_type(value)
    return value


def _conform_basic(value: Any, kind: BasicType) -> Any:
    # True is an int to Python, but no number to whoever declared one.
    fits = isinstance(value, _PYTHON[kind]) and (kind is BasicType.BOOLEAN or type(value) is not bool)
    if not fits:
        raise ValueError(f"{value!r} is no {kind.value}")
    bits = _BITS.get(kind)
    if bits is not None and not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise ValueError(f"{value!r} does not fit in a {kind.value} of {bits} bits")
    if kind is BasicType.FLOAT:
        return c_float(value).value  # of 32 bits, as in Flink
    if kind is BasicType.DOUBLE:
        return float(value)
    return Decimal(value) if kind is BasicType.BIG_DEC else value
