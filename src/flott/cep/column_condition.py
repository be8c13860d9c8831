"""Conditions on fields: ``col("amount") > 500``. Asked for all events of a batch at once where they come in columns."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc

from flott.cep.errors import MalformedPatternError
from flott.common.fields import Field, field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.runtime.columns import ColumnBatch

__all__ = ["Expression", "col"]


class Expression:
    """A value made of the fields of an event, or a condition on it. What is computed from a null is null.

    >>> small = (col("amount") < 10) & ~col("country").is_in(["DE", "FR"])
    >>> small
    ((amount < 10) and not (country in ['DE', 'FR']))
    >>> small.filter({"amount": 5, "country": "IT"}), small.filter({"amount": None, "country": "IT"})
    (True, False)
    """

    def of_record(self, record: Any) -> Any:
        """Compute it for one event."""
        raise NotImplementedError

    def of_columns(self, batch: ColumnBatch) -> Any:
        """Compute it for all events of a batch, as an Arrow array."""
        raise NotImplementedError

    def fields(self) -> frozenset[str | int]:
        """List the fields it needs."""
        raise NotImplementedError

    def filter(self, event: Any) -> bool:
        """Say whether it holds for an event; null is no."""
        return self.of_record(event) is True

    # Comparing

    def __lt__(self, other: Any) -> Expression:
        return _Binary("<", self, _value(other))

    def __le__(self, other: Any) -> Expression:
        return _Binary("<=", self, _value(other))

    def __gt__(self, other: Any) -> Expression:
        return _Binary(">", self, _value(other))

    def __ge__(self, other: Any) -> Expression:
        return _Binary(">=", self, _value(other))

    def __eq__(self, other: object) -> Expression:  # type: ignore[override]
        return _Binary("==", self, _value(other))

    def __ne__(self, other: object) -> Expression:  # type: ignore[override]
        return _Binary("!=", self, _value(other))

    __hash__ = object.__hash__

    def is_in(self, values: Iterable[Any]) -> Expression:
        """Holds where the value is one of some."""
        return _IsIn(self, tuple(values))

    def is_null(self) -> Expression:
        """Holds where there is no value."""
        return _IsNull(self)

    # Computing

    def __add__(self, other: Any) -> Expression:
        return _Binary("+", self, _value(other))

    def __sub__(self, other: Any) -> Expression:
        return _Binary("-", self, _value(other))

    def __mul__(self, other: Any) -> Expression:
        return _Binary("*", self, _value(other))

    # Combining

    def __and__(self, other: Any) -> Expression:
        return _Logic("and", self, _value(other))

    def __or__(self, other: Any) -> Expression:
        return _Logic("or", self, _value(other))

    def __invert__(self) -> Expression:
        return _Invert(self)

    def __bool__(self) -> NoReturn:
        raise MalformedPatternError(
            f"{self!r} has no value before an event comes: combine conditions with & | ~ and parentheses, "
            "not with and, or, not; and write (a < col('x')) & (col('x') < b) for a value between two others"
        )

    def __str__(self) -> str:
        return repr(self)


def col(name: str | int) -> Expression:
    """Names a field of the event: of a Row or a dict by name, of a tuple by position, of an object by attribute.

    >>> (col("amount") > 5).filter({"amount": 6})
    True
    """
    return _Column(field(name))


# Not dataclasses that compare: == of two expressions is an expression.


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Column(Expression):
    field: Field

    def of_record(self, record: Any) -> Any:
        return self.field(record)

    def of_columns(self, batch: ColumnBatch) -> Any:
        name = self.field.name
        return batch.arrays[name] if isinstance(name, int) else batch.column(name)

    def fields(self) -> frozenset[str | int]:
        return frozenset({self.field.name})

    def __repr__(self) -> str:
        return f"{self.field.name}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Literal(Expression):
    value: Any

    def of_record(self, record: Any) -> Any:
        return self.value

    def of_columns(self, batch: ColumnBatch) -> Any:
        return pa.scalar(self.value)

    def fields(self) -> frozenset[str | int]:
        return frozenset()

    def __repr__(self) -> str:
        return repr(self.value)


_BINARY: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    "<": (operator.lt, pc.less),
    "<=": (operator.le, pc.less_equal),
    ">": (operator.gt, pc.greater),
    ">=": (operator.ge, pc.greater_equal),
    "==": (operator.eq, pc.equal),
    "!=": (operator.ne, pc.not_equal),
    "+": (operator.add, pc.add_checked),
    "-": (operator.sub, pc.subtract_checked),
    "*": (operator.mul, pc.multiply_checked),
}
"""For each sign: how it is computed for values, and for columns."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Binary(Expression):
    sign: str
    left: Expression
    right: Expression

    def of_record(self, record: Any) -> Any:
        left, right = self.left.of_record(record), self.right.of_record(record)
        return None if left is None or right is None else _BINARY[self.sign][0](left, right)

    def of_columns(self, batch: ColumnBatch) -> Any:
        return _BINARY[self.sign][1](self.left.of_columns(batch), self.right.of_columns(batch))

    def fields(self) -> frozenset[str | int]:
        return self.left.fields() | self.right.fields()

    def __repr__(self) -> str:
        return f"({self.left!r} {self.sign} {self.right!r})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Logic(Expression):
    word: str
    left: Expression
    right: Expression

    def of_record(self, record: Any) -> Any:
        left, right = self.left.of_record(record), self.right.of_record(record)
        decides = self.word == "or"  # a true value settles or, a false one and
        if left is decides or right is decides:
            return decides
        return None if left is None or right is None else not decides

    def of_columns(self, batch: ColumnBatch) -> Any:
        both = pc.and_kleene if self.word == "and" else pc.or_kleene
        return both(self.left.of_columns(batch), self.right.of_columns(batch))

    def fields(self) -> frozenset[str | int]:
        return self.left.fields() | self.right.fields()

    def __repr__(self) -> str:
        return f"({self.left!r} {self.word} {self.right!r})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Invert(Expression):
    inside: Expression

    def of_record(self, record: Any) -> Any:
        value = self.inside.of_record(record)
        return None if value is None else not value

    def of_columns(self, batch: ColumnBatch) -> Any:
        return pc.invert(self.inside.of_columns(batch))

    def fields(self) -> frozenset[str | int]:
        return self.inside.fields()

    def __repr__(self) -> str:
        return f"not {self.inside!r}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _IsIn(Expression):
    inside: Expression
    values: tuple[Any, ...]

    def of_record(self, record: Any) -> Any:
        value = self.inside.of_record(record)
        return None if value is None else value in self.values

    def of_columns(self, batch: ColumnBatch) -> Any:
        array = self.inside.of_columns(batch)
        found = pc.is_in(array, value_set=pa.array(self.values, type=array.type))
        return pc.if_else(pc.is_null(array), pa.scalar(None, pa.bool_()), found)

    def fields(self) -> frozenset[str | int]:
        return self.inside.fields()

    def __repr__(self) -> str:
        return f"({self.inside!r} in {list(self.values)})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _IsNull(Expression):
    inside: Expression

    def of_record(self, record: Any) -> Any:
        return self.inside.of_record(record) is None

    def of_columns(self, batch: ColumnBatch) -> Any:
        return pc.is_null(self.inside.of_columns(batch))

    def fields(self) -> frozenset[str | int]:
        return self.inside.fields()

    def __repr__(self) -> str:
        return f"({self.inside!r} is null)"


def _value(given: Any) -> Expression:
    if given is None:
        raise MalformedPatternError("a comparison with None is never true; write col('x').is_null(), or ~ before it")
    return given if isinstance(given, Expression) else _Literal(given)
