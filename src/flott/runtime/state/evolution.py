"""Schema evolution: makes values that were stored under one schema into those of another, if that loses nothing."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from flott.common.typeinfo.schema import PICKLED
from flott.common.types import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Convert = Callable[[Any], Any]

Schema = Any
"""Plain data, as `flott.common.typeinfo.schema` writes it."""

WHOLE = ["BYTE", "SHORT", "INT", "LONG", "BIG_INT"]
"""Each is wider than those before it."""

TO_FLOAT = {"BYTE": {"FLOAT", "DOUBLE"}, "SHORT": {"FLOAT", "DOUBLE"}, "INT": {"DOUBLE"}, "LONG": {"DOUBLE"}}


class IncompatibleSchemasError(Exception):
    """Values of the one schema can't be made into values of the other; says which part is to blame."""


def converter(before: Schema, after: Schema, where: str = "") -> Convert | None:  # noqa: PLR0911 - one for each kind
    """Return what makes a value of one schema into one of another; None if nothing is to be done.

    Fields of a row may be added (they are None), removed and widened; all else is refused.

    >>> convert = converter({"row": {"name": "STRING", "age": "INT"}}, {"row": {"age": "DOUBLE", "city": "STRING"}})
    >>> convert(Row(name="Ann", age=7))
    Row(age=7.0, city=None)
    >>> converter("INT", "LONG") is None
    True
    """
    if before == after and not isinstance(before, dict):
        return None
    if PICKLED in (before, after):
        return None
    if isinstance(before, str) and isinstance(after, str):
        return widened(before, after, where)
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        [(kind, old)] = before.items()
        new = after[kind]
        if kind == "columns" and list(old.items()) != list(new.items()):
            raise refusal(before, after, where)
        if kind == "columns":
            return None
        if kind == "row":
            return row_converter(old, new, where)
        if kind == "tuple":
            return tuple_converter(old, new, where)
        if kind == "map":
            return map_converter(old, new, where)
        return sequence_converter(old, new, where)
    raise refusal(before, after, where)


def refusal(before: Schema, after: Schema, where: str) -> IncompatibleSchemasError:
    """Say what does not fit."""
    return IncompatibleSchemasError(f"{where or 'the value'} was {before}, and {after} can't hold that")


def widened(before: str, after: str, where: str) -> Convert | None:
    """Return how a single value is made into one of a wider type.

    >>> widened("LONG", "DOUBLE", "")(3), widened("FLOAT", "DOUBLE", "") is None
    (3.0, True)
    """
    if before in WHOLE and after in WHOLE and WHOLE.index(before) < WHOLE.index(after):
        return None
    if (before, after) in {("FLOAT", "DOUBLE"), ("CHAR", "STRING")}:
        return None
    if after in TO_FLOAT.get(before, ()):
        return unless_none(float)
    if before in WHOLE and after == "BIG_DEC":
        return unless_none(Decimal)
    raise refusal(before, after, where)


def unless_none(convert: Convert) -> Convert:
    """Return a conversion that lets None be."""
    return lambda value: None if value is None else convert(value)


def row_converter(old: Any, new: Any, where: str) -> Convert | None:
    """Return how a row is made into another: by the names of the fields if both have some, else by position."""
    by_name = isinstance(old, dict) and isinstance(new, dict)
    old_names, new_names = (list(one) if by_name else list(range(len(one))) for one in (old, new))
    old_types, new_types = (list(one.values()) if isinstance(one, dict) else list(one) for one in (old, new))
    places: list[tuple[int | None, Convert | None]] = []
    for name, after in zip(new_names, new_types, strict=True):
        place = old_names.index(name) if name in old_names else None
        inner = f"field '{name}'" if by_name else f"field {name}"
        if where:
            inner += f" of {where}"
        places.append((place, None if place is None else converter(old_types[place], after, inner)))
    if [place for place, _ in places] == list(range(len(old_types))) and all(change is None for _, change in places):
        return None
    return RowConverter(
        list(old) if isinstance(old, dict) else None, list(new) if isinstance(new, dict) else None, places
    )


class RowConverter:
    """Puts the fields of a row in new places; a row may be a Row, a tuple, a list or a dict."""

    def __init__(
        self,
        old_names: list[str] | None,
        new_names: list[str] | None,
        places: Sequence[tuple[int | None, Convert | None]],
    ) -> None:
        self._old_names = old_names
        self._new_names = new_names
        self._places = places

    def __call__(self, value: Any) -> Any:
        if isinstance(value, Row):
            row = Row.of_kind(value.get_row_kind(), *self._moved(self._in_order(value)))
            if self._new_names is not None:
                row.set_field_names(self._new_names)
            return row
        if isinstance(value, (tuple, list)):
            return type(value)(self._moved(list(value)))
        if isinstance(value, dict) and self._old_names is not None and self._new_names is not None:
            return dict(zip(self._new_names, self._moved([value.get(name) for name in self._old_names]), strict=True))
        return value

    def _in_order(self, row: Row) -> list[Any]:
        names = row.get_field_names()
        if names is None or self._old_names is None:
            return list(row)
        return [row[name] if name in names else None for name in self._old_names]

    def _moved(self, values: list[Any]) -> list[Any]:
        moved = []
        for place, change in self._places:
            value = None if place is None else values[place]
            moved.append(value if change is None else change(value))
        return moved


def tuple_converter(old: list[Any], new: list[Any], where: str) -> Convert | None:
    """Return how a tuple is made into one with wider fields; their number stays."""
    if len(old) != len(new):
        raise refusal({"tuple": old}, {"tuple": new}, where)
    changes = [
        converter(before, after, f"item {position} of {where or 'the tuple'}")
        for position, (before, after) in enumerate(zip(old, new, strict=True))
    ]
    if all(change is None for change in changes):
        return None

    def convert(value: Any) -> Any:
        moved = [item if change is None else change(item) for item, change in zip(value, changes, strict=True)]
        return type(value)(moved) if isinstance(value, (tuple, list)) else value

    return unless_none(convert)


def map_converter(old: list[Any], new: list[Any], where: str) -> Convert | None:
    """Return how the values of a map are converted; its keys stay as they are."""
    change = map_value_converter(old, new, where)
    if change is None:
        return None
    return unless_none(lambda value: {key: change(one) for key, one in value.items()})


def map_value_converter(old: list[Any], new: list[Any], where: str) -> Convert | None:
    """Return how one value of a map is converted."""
    inside = f" of {where}" if where else ""
    if converter(old[0], new[0], f"the key{inside}") is not None:
        raise refusal(old[0], new[0], f"the key{inside}")
    return converter(old[1], new[1], f"the value{inside}")


def sequence_converter(old: Any, new: Any, where: str) -> Convert | None:
    """Return how a list or an array is converted, element by element."""
    change = converter(old, new, f"an element of {where}" if where else "an element")
    if change is None:
        return None
    return unless_none(lambda value: type(value)(map(change, value)) if isinstance(value, (list, tuple)) else value)
