"""Scalar expressions over the columns of a row, with their types: what plans are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from flott.table.types import DataType


@dataclass(frozen=True, slots=True)
class Expr:
    """An expression of a known type."""

    type: DataType

    def children(self) -> tuple[Expr, ...]:
        """Return the parts."""
        return ()

    def walk(self) -> Iterator[Expr]:
        """Go over this expression and all its parts."""
        yield self
        for child in self.children():
            yield from child.walk()

    def inputs(self) -> set[int]:
        """Return the positions of the columns that are used."""
        return {part.index for part in self.walk() if isinstance(part, InputRef)}


@dataclass(frozen=True, slots=True)
class InputRef(Expr):
    """A column, by position."""

    index: int

    def __str__(self) -> str:
        return f"${self.index}"


@dataclass(frozen=True, slots=True)
class Literal(Expr):
    """A constant."""

    value: Any

    def __str__(self) -> str:
        return f"'{self.value}'" if isinstance(self.value, str) else "NULL" if self.value is None else str(self.value)


@dataclass(frozen=True, slots=True)
class Call(Expr):
    """A built-in function of other expressions."""

    function: str
    args: tuple[Expr, ...]

    def children(self) -> tuple[Expr, ...]:
        return self.args

    def __str__(self) -> str:
        if self.function == "CAST":
            return f"CAST({self.args[0]} AS {self.type!r})"
        return f"{self.function}({', '.join(map(str, self.args))})"


@dataclass(frozen=True, slots=True)
class UserCall(Expr):
    """A function of the user's."""

    name: str
    function: Any
    args: tuple[Expr, ...]

    def children(self) -> tuple[Expr, ...]:
        return self.args

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})"


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """An aggregate over columns of the input."""

    function: str
    args: tuple[int, ...]
    type: DataType
    distinct: bool = False
    filter: int | None = None
    """Only rows count where this column is TRUE."""
    user: Any = None
    """An AggregateFunction of the user's."""

    def __str__(self) -> str:
        inner = ", ".join(f"${position}" for position in self.args) or "*"
        text = f"{self.function}({'DISTINCT ' if self.distinct else ''}{inner})"
        return text if self.filter is None else f"{text} FILTER ${self.filter}"


def rewritten(expr: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """Return an expression with parts replaced: ``change`` returns the new part, or None to keep and go deeper.

    >>> from flott.table.types import DataTypes
    >>> number = DataTypes.INT()
    >>> total = Call(number, "+", (InputRef(number, 0), InputRef(number, 1)))
    >>> str(rewritten(total, lambda part: InputRef(number, part.index + 5) if isinstance(part, InputRef) else None))
    '+($5, $6)'
    """
    changed = change(expr)
    if changed is not None:
        return changed
    if isinstance(expr, (Call, UserCall)):
        return replace(expr, args=tuple(rewritten(arg, change) for arg in expr.args))
    return expr


def shifted(expr: Expr, moves: dict[int, int] | int) -> Expr:
    """Return an expression over the same columns at other positions."""

    def move(part: Expr) -> Expr | None:
        if not isinstance(part, InputRef):
            return None
        return InputRef(part.type, part.index + moves if isinstance(moves, int) else moves[part.index])

    return rewritten(expr, move)


def substituted(expr: Expr, inputs: Sequence[Expr]) -> Expr:
    """Return an expression with its columns replaced by the expressions that compute them."""
    return rewritten(expr, lambda part: inputs[part.index] if isinstance(part, InputRef) else None)


def conjuncts(expr: Expr) -> list[Expr]:
    """Return the conditions that must all hold."""
    if isinstance(expr, Call) and expr.function == "AND":
        return [one for arg in expr.args for one in conjuncts(arg)]
    return [expr]


def conjunction(parts: Sequence[Expr]) -> Expr | None:
    """Return conditions as one; None for none."""
    whole: Expr | None = None
    for part in parts:
        whole = part if whole is None else Call(part.type, "AND", (whole, part))
    return whole
