"""The built-in aggregates: types of results, and accumulators that rows can be added to and taken back from.

An accumulator is a list of plain values, so that it is stored as it is.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from flott.errors import FlottError
from flott.table import types as t
from flott.table.functions.arithmetic import EXACT, fit_decimal
from flott.table.functions.registry import SignatureError, a_number
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flott.table.types import DataType


@dataclass(frozen=True, slots=True)
class Aggregate:
    """How an aggregate works on the values of its argument; NULLs never reach it."""

    create: Callable[[], list[Any]]
    add: Callable[[list[Any], Any], None]
    retract: Callable[[list[Any], Any], None] | None
    """None: it can't take a value back."""
    result: Callable[[list[Any]], Any]


def aggregate_type(name: str, args: Sequence[DataType]) -> DataType:
    """Return the type of an aggregate's result.

    >>> aggregate_type("SUM", [DataTypes.INT()]), aggregate_type("COUNT", [])
    (INT, BIGINT NOT NULL)
    """
    if name == "COUNT":
        return DataTypes.BIGINT().not_null()
    if not args or len(args) > (2 if name == "LISTAGG" else 1):
        raise SignatureError(f"{name} takes one argument, as in {name}(price)")
    kind = args[0].nullable()
    if name in {"SUM", "SUM0", "AVG", *SPREADS} and not a_number(kind):
        raise SignatureError(f"{name} takes numbers, not {kind!r}")
    if name == "LISTAGG" and not t.is_text(kind):
        raise SignatureError(f"LISTAGG takes texts, not {kind!r}; CAST it AS STRING")
    if isinstance(kind, t.DecimalType):
        if name in {"SUM", "SUM0"}:
            total = DataTypes.DECIMAL(t.MAX_DECIMAL, kind.scale)
            return total.not_null() if name == "SUM0" else total
        if name == "AVG" or name in SPREADS:
            return DataTypes.DECIMAL(t.MAX_DECIMAL, max(6, kind.scale))
    return kind.not_null() if name == "SUM0" else kind


SPREADS = ("STDDEV_POP", "STDDEV_SAMP", "VAR_POP", "VAR_SAMP", "STDDEV", "VARIANCE")
JSON = ("JSON_ARRAYAGG", "JSON_OBJECTAGG")
AGGREGATES = ("COUNT", "SUM", "SUM0", "AVG", "MIN", "MAX", "FIRST_VALUE", "LAST_VALUE", "LISTAGG", *JSON, *SPREADS)


def aggregate(name: str, argument: DataType | None, result: DataType, *, retracting: bool) -> Aggregate:  # noqa: PLR0911 - a case a line
    """Return how a built-in aggregate works; with ``retracting``, one that can take values back."""
    if name == "COUNT":
        return _count()
    if argument is None:
        raise SignatureError(f"{name} takes an argument")
    if name in {"SUM", "SUM0"}:
        return _sum(result, of_nothing=0 if name == "SUM0" else None)
    if name == "AVG":
        return _average(result)
    if name in {"MIN", "MAX"}:
        return _extreme_of_many(max if name == "MAX" else min) if retracting else _extreme(name == "MAX")
    if name in {"FIRST_VALUE", "LAST_VALUE"}:
        return _edge(first=name == "FIRST_VALUE")
    if name == "LISTAGG":
        return _list()
    if name in JSON:
        return _json(name)
    if name == "SINGLE_VALUE":
        return _single()
    if name in SPREADS:
        return _spread(name, result)
    raise SignatureError(f"there is no aggregate '{name}'")


def _count() -> Aggregate:
    def add(acc: list[Any], _: Any) -> None:
        acc[0] += 1

    def retract(acc: list[Any], _: Any) -> None:
        acc[0] -= 1

    return Aggregate(lambda: [0], add, retract, lambda acc: acc[0])


def _add(acc: list[Any], value: Any) -> None:
    acc[0] += value
    acc[1] += 1


def _subtract(acc: list[Any], value: Any) -> None:
    acc[0] -= value
    acc[1] -= 1


def _add_decimal(acc: list[Any], value: Any) -> None:
    acc[0] = EXACT.add(acc[0], value)
    acc[1] += 1


def _subtract_decimal(acc: list[Any], value: Any) -> None:
    acc[0] = EXACT.subtract(acc[0], value)
    acc[1] -= 1


def _sum(result: DataType, *, of_nothing: int | None) -> Aggregate:
    finish = _finish(result)

    def total(acc: list[Any]) -> Any:
        return finish(acc[0]) if acc[1] else of_nothing

    if isinstance(result, t.DecimalType):
        return Aggregate(lambda: [Decimal(0), 0], _add_decimal, _subtract_decimal, total)
    return Aggregate(lambda: [0, 0], _add, _subtract, total)


def _average(result: DataType) -> Aggregate:
    finish = _finish(result)
    if isinstance(result, t.DecimalType):
        return Aggregate(
            lambda: [Decimal(0), 0], _add_decimal, _subtract_decimal,
            lambda acc: finish(EXACT.divide(acc[0], Decimal(acc[1]))) if acc[1] else None,
        )  # fmt: skip
    if isinstance(result, t.IntegralType):
        return Aggregate(
            lambda: [0, 0], _add, _subtract,
            # Java divides towards zero.
            lambda acc: finish(abs(acc[0]) // acc[1] * (1 if acc[0] >= 0 else -1)) if acc[1] else None,
        )  # fmt: skip
    return Aggregate(lambda: [0.0, 0], _add, _subtract, lambda acc: acc[0] / acc[1] if acc[1] else None)


def _finish(result: DataType) -> Callable[[Any], Any]:
    """Return how a sum becomes a value of the type of the result: whole numbers wrap as Java's, decimals are cut."""
    if isinstance(result, t.IntegralType):
        half, whole = 2 ** (result.bits - 1), 2**result.bits
        return lambda value: value if -half <= value < half else (value + half) % whole - half
    if isinstance(result, t.DecimalType):
        precision, scale = result.precision, result.scale
        return lambda value: fit_decimal(value, precision, scale)
    return lambda value: value


def _extreme(largest: bool) -> Aggregate:
    def add(acc: list[Any], value: Any) -> None:
        if not acc:
            acc.append(value)
        elif (value > acc[0]) if largest else (value < acc[0]):
            acc[0] = value

    return Aggregate(list, add, None, lambda acc: acc[0] if acc else None)


def _extreme_of_many(choose: Callable[[Any], Any]) -> Aggregate:
    """Keep all values with their numbers, because any of them may be taken back."""

    def add(acc: list[Any], value: Any) -> None:
        counts = acc[0]
        count = counts.get(value, 0) + 1
        if count:
            counts[value] = count
        else:
            del counts[value]

    def retract(acc: list[Any], value: Any) -> None:
        counts = acc[0]
        count = counts.get(value, 0) - 1
        if count:
            counts[value] = count
        else:
            del counts[value]

    def result(acc: list[Any]) -> Any:
        present = [value for value, count in acc[0].items() if count > 0]
        return choose(present) if present else None

    return Aggregate(lambda: [{}], add, retract, result)


def _edge(*, first: bool) -> Aggregate:
    def add(acc: list[Any], value: Any) -> None:
        acc.append(value)

    def remove(acc: list[Any], value: Any) -> None:
        if value in acc:
            acc.remove(value)

    return Aggregate(list, add, remove, lambda acc: (acc[0] if first else acc[-1]) if acc else None)


def _list() -> Aggregate:
    def remove(acc: list[Any], value: Any) -> None:
        if value in acc:
            acc.remove(value)

    return Aggregate(list, lambda acc, value: acc.append(value), remove, lambda acc: ",".join(acc) if acc else None)


def _json(name: str) -> Aggregate:
    """Put parts of JSON together; those of an object in the order of their names, the last one of each name."""

    def remove(acc: list[Any], value: Any) -> None:
        if value in acc:
            acc.remove(value)

    def of_array(acc: list[Any]) -> str:
        return f"[{','.join(acc)}]"

    def of_object(acc: list[Any]) -> str:
        named = {name_of_pair(pair): pair for pair in acc}
        return f"{{{','.join(named[key] for key in sorted(named, key=_utf16))}}}"

    return Aggregate(
        list, lambda acc, value: acc.append(value), remove, of_object if name == "JSON_OBJECTAGG" else of_array
    )


def name_of_pair(pair: str) -> str:
    """Return the name of a field of an object.

    >>> name_of_pair('"a b":2')
    'a b'
    """
    name: str = json.JSONDecoder(strict=False).raw_decode(pair)[0]
    return name


def _utf16(text: str) -> bytes:
    """Return a string as Java compares it."""
    return text.encode("utf-16-be", "surrogatepass")


def _single() -> Aggregate:
    """The value of a sub-query: there must be no other."""

    def add(acc: list[Any], value: Any) -> None:
        acc.append(value)

    def result(acc: list[Any]) -> Any:
        if len(acc) > 1:
            raise FlottError(
                f"a sub-query that stands for one value gave {len(acc)}: {acc[0]!r:.50} and {acc[1]!r:.50}; "
                f"aggregate them, as in (SELECT MAX(price) …)"
            )
        return acc[0] if acc else None

    return Aggregate(list, add, lambda acc, value: acc.remove(value), result)


def _spread(name: str, result: DataType) -> Aggregate:
    """Variance and standard deviation, from the number of values, their sum and the sum of their squares."""
    sample = name in {"STDDEV_SAMP", "VAR_SAMP", "STDDEV", "VARIANCE"}
    root = name.startswith("STDDEV")
    finish = _finish(result)

    def change(acc: list[Any], value: Any, sign: int) -> None:
        exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        acc[0] += sign
        acc[1] = EXACT.add(acc[1], sign * exact)
        acc[2] = EXACT.add(acc[2], sign * EXACT.multiply(exact, exact))

    def outcome(acc: list[Any]) -> Any:
        count, total, squares = acc
        divisor = count - 1 if sample else count
        if divisor <= 0:
            return None
        variance = EXACT.divide(EXACT.subtract(squares, EXACT.divide(EXACT.multiply(total, total), count)), divisor)
        made = EXACT.sqrt(max(variance, Decimal(0))) if root else variance
        if isinstance(result, t.DecimalType):
            return finish(made)
        return int(made) if isinstance(result, t.IntegralType) else float(made)

    return Aggregate(
        lambda: [0, Decimal(0), Decimal(0)], lambda acc, value: change(acc, value, 1),
        lambda acc, value: change(acc, value, -1), outcome,
    )  # fmt: skip
