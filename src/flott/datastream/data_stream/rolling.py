"""Rolling aggregates: sum, min, max, min_by, max_by as reduce functions.

A field is meant by its position, or by its name in a Row; of a single value, 0 means the value
itself. What comes in is never changed: each result is a new object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common.types import Row
from flott.datastream.functions import ReduceFunction
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["RollingBest", "RollingField", "add", "larger", "smaller"]


def add(first: Any, second: Any) -> Any:
    """Return the sum."""
    return first + second


def smaller(first: Any, second: Any) -> Any:
    """Return the smaller one; of equal ones, the first."""
    return min(first, second)


def larger(first: Any, second: Any) -> Any:
    """Return the larger one; of equal ones, the first."""
    return max(first, second)


class RollingField(ReduceFunction):
    """Combines one field; all others stay as they were in the first record.

    >>> RollingField("sum", 1, add).reduce(("a", 1), ("a", 2))
    ('a', 3)
    >>> RollingField("min", "value", smaller).reduce(Row(key="a", value=2), Row(key="b", value=1))
    Row(key='a', value=1)
    """

    def __init__(self, call: str, field: int | str, combine: Callable[[Any, Any], Any]) -> None:
        self.call = call
        self.field = check_field(call, field)
        self.combine = combine

    def reduce(self, value1: Any, value2: Any) -> Any:
        field = self.field
        kind = type(value2)
        if kind is tuple:
            parts = list(value1)
            parts[field] = self.combine(value1[field], value2[field])  # type: ignore[index]
            return tuple(parts)
        if isinstance(value2, Row):
            row = Row.of_kind(value1.get_row_kind(), *value1)
            names = value1.get_field_names()
            if names is not None:
                row.set_field_names(names)
            row[field] = self.combine(value1[field], value2[field])
            return row
        if isinstance(value2, (tuple, list)):
            parts = list(value1)
            parts[field] = self.combine(value1[field], value2[field])  # type: ignore[index]
            # A named tuple takes its fields one by one, a plain one as a whole.
            return kind._make(parts) if hasattr(kind, "_make") else kind(parts)
        check_single_value(self.call, field, value2)
        return self.combine(value1, value2)


class RollingBest(ReduceFunction):
    """Keeps the whole record whose field is best; of equal ones, the first.

    >>> RollingBest("max_by", 1, larger).reduce(("a", 2, "x"), ("a", 3, "y"))
    ('a', 3, 'y')
    """

    def __init__(self, call: str, field: int | str, choose: Callable[[Any, Any], Any]) -> None:
        self.call = call
        self.field = check_field(call, field)
        self.choose = choose

    def reduce(self, value1: Any, value2: Any) -> Any:
        field = self.field
        if isinstance(value2, (tuple, list, Row)):
            first = value1[field]
            return value1 if self.choose(first, value2[field]) is first else value2  # type: ignore[index]
        check_single_value(self.call, field, value2)
        return self.choose(value1, value2)


def check_field(call: str, field: Any) -> int | str:
    """Return the field, if it can be one."""
    if isinstance(field, bool) or not isinstance(field, (int, str)):
        raise GraphError(
            f"{call}({field!r}): a field is a position or a name, as in {call}(1) or {call}('amount'), "
            f"not a {type(field).__name__}"
        )
    return field


def check_single_value(call: str, field: int | str, value: Any) -> None:
    """Raise if a field other than 0 is asked of a value that has none."""
    if field != 0:
        raise TypeError(
            f"{call}({field!r}): {value!r:.100} is a single value, of which only {call}(0) can be taken, "
            "which is the value itself; fields are those of a Row, a tuple or a list"
        )
