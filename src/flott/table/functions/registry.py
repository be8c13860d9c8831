"""The built-in scalar functions, by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from flott.table.arrow_types import to_arrow_type
from flott.table.expr import Call, Expr, Literal, UserCall
from flott.table.functions.result_types import common_type
from flott.table.types import DataTypes, IntegralType, NumericType, is_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from flott.table.types import DataType


@dataclass(frozen=True, slots=True)
class Session:
    """What functions may depend on besides their arguments."""

    zone: str = "UTC"
    now: int = 0
    """The time of day in milliseconds since 1970."""


Column: TypeAlias = Any
"""An Arrow array, or a scalar that stands for as many equal values as there are rows."""

Evaluate: TypeAlias = "Callable[[Call, list[Column], Session], Column]"
Bind: TypeAlias = "Callable[[str, list[Expr]], Call]"


class SignatureError(Exception):
    """A function does not take such arguments."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A built-in function: how a call of it is typed, and what it gives."""

    name: str
    bind: Bind
    evaluate: Evaluate
    changing: bool = False
    """Whether it may give something else at another time."""


_FUNCTIONS: dict[str, Scalar] = {}
_MODULES = (
    "arithmetic", "comparison", "conditional", "casts", "text", "regular", "temporal", "structure", "buckets",
    "json_values", "json_text", "nested_values",
)  # fmt: skip


def scalar(*names: str, bind: Bind, changing: bool = False) -> Callable[[Evaluate], Evaluate]:
    """Define a function under one or several names."""

    def define(evaluate: Evaluate) -> Evaluate:
        for name in names:
            _FUNCTIONS[name] = Scalar(name, bind, evaluate, changing)
        return evaluate

    return define


@cache
def functions() -> dict[str, Scalar]:
    """Return all built-in functions."""
    for module in _MODULES:
        import_module(f"flott.table.functions.{module}")
    return _FUNCTIONS


def is_changing(expr: Expr) -> bool:
    """Return whether an expression may give another value when it is computed again."""
    known = functions()
    return any(
        not part.function.is_deterministic() if isinstance(part, UserCall) else known[part.function].changing
        for part in expr.walk()
        if isinstance(part, (Call, UserCall))
    )


# ---------------------------------------------------------------------------- how calls are typed


def takes(result: DataType, *kinds: Callable[[DataType], bool], least: int | None = None) -> Bind:
    """Return how a call with arguments of some kinds is typed; those after the first ``least`` may be left out."""
    fewest = len(kinds) if least is None else least

    def bind(name: str, args: list[Expr]) -> Call:
        check_count(name, args, fewest, len(kinds))
        args = [_typed_null(arg, fits) for arg, fits in zip(args, kinds, strict=False)]
        for number, (arg, fits) in enumerate(zip(args, kinds, strict=False), 1):
            if not fits(arg.type):
                raise SignatureError(
                    f"{name}: argument {number} is {arg.type!r}, wanted is {fits.__name__.replace('_', ' ')}"
                )
        return Call(with_nulls(result, args), name, tuple(args))

    return bind


def check_count(name: str, args: Sequence[Expr], least: int, most: int | None = None) -> None:
    """Make sure that there are so many arguments."""
    if len(args) < least or (most is not None and len(args) > most):
        wanted = f"{least}" if least == most else f"at least {least}" if most is None else f"{least} to {most}"
        raise SignatureError(f"{name} takes {wanted} argument{'s' if wanted != '1' else ''}, here are {len(args)}")


def with_nulls(kind: DataType, args: Sequence[Expr]) -> DataType:
    """Return a type that has NULL if an argument may be NULL."""
    return kind.nullable() if any(arg.type.is_nullable for arg in args) else kind.not_null()


def a_text(kind: DataType) -> bool:
    """Say whether it is text."""
    return is_text(kind) or kind.same_as(DataTypes.NULL())


def a_number(kind: DataType) -> bool:
    """Say whether it is a number."""
    return isinstance(kind, NumericType) or kind.same_as(DataTypes.NULL())


def an_integer(kind: DataType) -> bool:
    """Return whether it is an integer."""
    return isinstance(kind, IntegralType) or kind.same_as(DataTypes.NULL())


def _typed_null(arg: Expr, fits: Callable[[DataType], bool]) -> Expr:
    """Return a NULL without a type as one of the type that a function takes."""
    if not arg.type.same_as(DataTypes.NULL()):
        return arg
    if fits in {a_number, an_integer}:
        return cast_to(arg, DataTypes.INT())
    return cast_to(arg, DataTypes.STRING()) if fits == a_text else arg


def anything(kind: DataType) -> bool:
    """Take every type."""
    return True


def cast_to(arg: Expr, kind: DataType) -> Expr:
    """Return an expression as one of another type."""
    if arg.type.same_as(kind):
        return arg
    kind = kind if arg.type.is_nullable == kind.is_nullable else (
        kind.nullable() if arg.type.is_nullable else kind.not_null())  # fmt: skip
    if isinstance(arg, Literal) and arg.value is None:
        return Literal(kind.nullable(), None)
    return Call(kind, "CAST", (arg,))


def alike(name: str, args: Sequence[Expr]) -> list[Expr]:
    """Return expressions as ones of the type they have in common."""
    kind = common_type([arg.type for arg in args])
    if kind is None:
        kinds = ", ".join(dict.fromkeys(repr(arg.type.nullable()) for arg in args))
        raise SignatureError(f"{name} can't take {kinds} together; CAST one to the type of the other")
    return [cast_to(arg, kind) for arg in args]


# ---------------------------------------------------------------------------- row by row, where Arrow has no function


def rows(args: list[Column], *, nulls: bool = False) -> Iterator[tuple[Any, ...] | None]:
    """Go over the arguments row by row; None for a row with a NULL, unless ``nulls`` are wanted."""
    length = max((len(arg) for arg in args if not isinstance(arg, pa.Scalar)), default=1)
    columns = [[arg.as_py()] * length if isinstance(arg, pa.Scalar) else arg.to_pylist() for arg in args]
    for row in zip(*columns, strict=True):
        yield row if nulls or None not in row else None


def row_by_row(function: Callable[..., Any]) -> Evaluate:
    """Return how a Python function is called for each row without NULLs."""

    def evaluate(call: Call, args: list[Column], _: Session) -> Column:
        values = [None if row is None else function(*row) for row in rows(args)]
        made = pa.array(values, to_arrow_type(call.type))
        return made[0] if args and all(isinstance(arg, pa.Scalar) for arg in args) else made

    return evaluate
