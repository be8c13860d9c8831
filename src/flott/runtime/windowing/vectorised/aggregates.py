"""The built-in aggregates: count, sum, min, max and average of a field."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flott.common.fields import Field

Kind: TypeAlias = Literal["rows", "filled", "sum", "min", "max", "first"]
"""How a column of partials comes about: how many records, how many with a value, and so on."""

Part: TypeAlias = tuple[Kind, "str | None"]
"""A column of partials: what it holds, and of which field."""

EXACT = 2**53
"""Whole numbers up to this are exact as floating point numbers."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One value made of a field of all records of a window. Records that have None in the field do not count."""

    field: str | int | None = None
    name: str | None = None
    """What the result is called; by default the aggregate and the field, as in ``sum_amount``."""

    label: ClassVar[str]
    parts: ClassVar[tuple[Kind, ...]] = ()
    whole: ClassVar[bool] = False
    """Whether the result is a whole number, whatever the field is."""

    def __post_init__(self) -> None:
        if self.field is None and not isinstance(self, Count):
            raise TypeError(f"{type(self).__name__}: which field? {type(self).__name__}('amount'), for example")

    @property
    def title(self) -> str:
        """What the result is called."""
        return self.name or (self.label if self.field is None else f"{self.label}_{self.field}")

    def within(self, fields: Mapping[str | int, str]) -> Aggregate:
        """Return this aggregate with its field by name."""
        return self if self.field is None else type(self)(fields[self.field], self.title)

    def columns(self) -> list[Part]:
        """Return the columns of partials that this needs."""
        field: Any = self.field
        return [(part, field) for part in self.parts]

    def result(self, parts: Mapping[Part, Any]) -> Any:
        """Return the column of results, from columns of partials."""
        raise NotImplementedError

    # One record at a time: the accumulator is [how many values, what they amount to]

    def merge(self, accumulator: list[Any], other: list[Any]) -> None:
        """Add another accumulator."""
        if other[0]:
            accumulator[1] = other[1] if accumulator[0] == 0 else self.combine(accumulator[1], other[1])
            accumulator[0] += other[0]

    def combine(self, first: Any, second: Any) -> Any:
        """Return what two values amount to."""
        raise NotImplementedError

    def outcome(self, accumulator: list[Any]) -> Any:
        """Return the result of an accumulator; None if no record had a value."""
        return accumulator[1] if accumulator[0] else None


class Count(Aggregate):
    """How many records there are; or with a field, how many have a value there."""

    label = "count"
    whole = True

    def columns(self) -> list[Part]:
        return [("rows", None)] if self.field is None else [("filled", str(self.field))]

    def result(self, parts: Mapping[Part, Any]) -> Any:
        return pa.array(parts[self.columns()[0]])

    def combine(self, first: Any, second: Any) -> Any:
        return None

    def outcome(self, accumulator: list[Any]) -> Any:
        return accumulator[0]


class _OfField(Aggregate):
    def result(self, parts: Mapping[Part, Any]) -> Any:
        (part, filled) = self.columns()
        missing = parts[filled] == 0
        return pa.array(parts[part], mask=missing if missing.any() else None)


class Sum(_OfField):
    """The sum of a field."""

    label = "sum"
    parts = ("sum", "filled")

    def combine(self, first: Any, second: Any) -> Any:
        return first + second


class Min(_OfField):
    """The smallest value of a field; what is not a number (NaN) counts only if nothing else is there."""

    label = "min"
    parts = ("min", "filled")

    def combine(self, first: Any, second: Any) -> Any:
        return second if second < first or first != first else first  # noqa: PLR0124 - NaN alone differs from itself


class Max(_OfField):
    """The largest value of a field; what is not a number (NaN) counts only if nothing else is there."""

    label = "max"
    parts = ("max", "filled")

    def combine(self, first: Any, second: Any) -> Any:
        return second if second > first or first != first else first  # noqa: PLR0124 - NaN alone differs from itself


class Avg(Sum):
    """The average of a field."""

    label = "avg"

    def outcome(self, accumulator: list[Any]) -> Any:
        return accumulator[1] / accumulator[0] if accumulator[0] else None

    def result(self, parts: Mapping[Part, Any]) -> Any:
        total, filled = (parts[part] for part in self.columns())
        missing = filled == 0
        average = total / np.where(missing, 1, filled)
        if total.dtype.kind == "i":
            # Dividing numpy's numbers rounds twice where a sum is not exact as a floating point number.
            for index in np.flatnonzero((total > EXACT) | (total < -EXACT)).tolist():
                average[index] = int(total[index]) / int(filled[index]) if filled[index] else 0.0
        return pa.array(average, mask=missing if missing.any() else None)


def _getter(field: Field | None) -> Callable[[Any], Any] | None:
    return field if field is None or field.position is None else operator.itemgetter(field.position)


class RowAggregates:
    """The same aggregates record by record, as an AggregateFunction: for windows that have no faster way."""

    def __init__(self, aggregates: tuple[Aggregate, ...], fields: tuple[Field | None, ...]) -> None:
        self.aggregates = aggregates
        self._steps = [
            (_getter(field), operator.add if isinstance(aggregate, Sum) else aggregate.combine)
            for aggregate, field in zip(aggregates, fields, strict=True)
        ]
        """Per aggregate: what takes its value from a record (None: every record counts), and what adds it."""

    def open(self, runtime_context: Any) -> None:
        """There is nothing to prepare."""

    def close(self) -> None:
        """There is nothing to release."""

    def create_accumulator(self) -> list[list[Any]]:
        """Return an accumulator of nothing."""
        return [[0, None] for _ in self.aggregates]

    def add(self, value: Any, accumulator: list[list[Any]]) -> list[list[Any]]:
        """Add a record."""
        for own, (get, combine) in zip(accumulator, self._steps, strict=True):
            if get is not None:
                found = get(value)
                if found is None:
                    continue
                own[1] = combine(own[1], found) if own[0] else found
            own[0] += 1
        return accumulator

    def merge(self, acc_a: list[list[Any]], acc_b: list[list[Any]]) -> list[list[Any]]:
        """Return two accumulators as one."""
        for aggregate, own, other in zip(self.aggregates, acc_a, acc_b, strict=True):
            aggregate.merge(own, other)
        return acc_a

    def get_result(self, accumulator: list[list[Any]]) -> list[Any]:
        """Return the result of each aggregate."""
        return [aggregate.outcome(own) for aggregate, own in zip(self.aggregates, accumulator, strict=True)]


class RowResults:
    """Puts key and window before the results of a window that fires, as a WindowFunction."""

    def __init__(self, with_key: bool) -> None:
        self.with_key = with_key

    def open(self, runtime_context: Any) -> None:
        """There is nothing to prepare."""

    def close(self) -> None:
        """There is nothing to release."""

    def apply(self, *arguments: Any) -> list[tuple[Any, ...]]:
        """Return one record: the key, where the window starts and ends (None if it has no time), the results."""
        *key, window, inputs = arguments
        bounds = getattr(window, "start", None), getattr(window, "end", None)
        return [(*(key if self.with_key else ()), *bounds, *results) for results in inputs]
