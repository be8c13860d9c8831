"""Expressions as Spark SQL writes them: only what is known to give the same values there.

Spark runs with ``spark.sql.ansi.enabled`` off, so that whole numbers wrap, as they do in Flink.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flott.table import types as t
from flott.table.expr import Call, InputRef, Literal
from flott.table.spark_sql.constants import constant, span, text
from flott.table.spark_sql.spark_types import UntranslatableError, spark_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.table.expr import Expr

SAFE_FORMAT = re.compile(r"(?:yyyy|MM|dd|HH|mm|ss|[-/:. ])*")
"""Patterns of dates that mean the same everywhere."""
DIGITS: dict[type[t.DataType], int] = {t.TinyIntType: 3, t.SmallIntType: 5, t.IntType: 10, t.BigIntType: 19}


def spark_expression(expr: Expr, columns: list[str]) -> str:
    """Return an expression over columns with names.

    >>> from flott.table.types import DataTypes
    >>> number = DataTypes.INT()
    >>> spark_expression(Call(number, "+", (InputRef(number, 0), Literal(number, 1))), ["c0"])
    'CAST((c0 + CAST(1 AS INT)) AS INT)'
    """
    if isinstance(expr, InputRef):
        return columns[expr.index]
    if isinstance(expr, Literal):
        return constant(expr)
    if not isinstance(expr, Call):
        raise UntranslatableError(f"the function {getattr(expr, 'name', type(expr).__name__)}")
    write = WRITE.get(expr.function)
    if write is None:
        raise UntranslatableError(f"the function {expr.function}")
    return write(expr, lambda one: spark_expression(one, columns))


def _infix(word: str) -> Callable[[Call, Callable[[Expr], str]], str]:
    return lambda call, part: f"({f' {word} '.join(map(part, call.args))})"


def _function(name: str) -> Callable[[Call, Callable[[Expr], str]], str]:
    return lambda call, part: f"{name}({', '.join(map(part, call.args))})"


def _suffix(words: str) -> Callable[[Call, Callable[[Expr], str]], str]:
    return lambda call, part: f"({part(call.args[0])} {words})"


def _typed(call: Call, inner: str) -> str:
    return f"CAST({inner} AS {spark_type(call.type)})"


# ---------------------------------------------------------------------------- numbers


def _digits(kind: t.DataType) -> tuple[int, int]:
    if isinstance(kind, t.DecimalType):
        return kind.precision, kind.scale
    if type(kind) not in DIGITS:
        raise UntranslatableError(f"decimal numbers together with {kind.nullable()!r}")
    return DIGITS[type(kind)], 0


def _operands(call: Call, part: Callable[[Expr], str]) -> list[str]:
    """Return what is computed with; whole numbers among decimals with the digits that they have in Flink."""
    if not isinstance(call.type, t.DecimalType):
        return [part(arg) for arg in call.args]
    return [f"CAST({part(arg)} AS DECIMAL({_digits(arg.type)[0]}, {_digits(arg.type)[1]}))" for arg in call.args]


def _arithmetic(call: Call, part: Callable[[Expr], str]) -> str:
    _refuse_spans(call)
    one, other = _operands(call, part)
    if isinstance(call.type, t.DecimalType):
        (p1, s1), (p2, s2) = (_digits(arg.type) for arg in call.args)
        needed = p1 + p2 + 1 if call.function == "*" else max(p1 - s1, p2 - s2) + max(s1, s2) + 1
        if needed > t.MAX_DECIMAL:
            raise UntranslatableError(f"{call.function} of decimals with that many digits")
    return _typed(call, f"({one} {call.function} {other})")


def _quotient(call: Call, part: Callable[[Expr], str]) -> str:
    _refuse_spans(call)
    one, other = _operands(call, part)
    if isinstance(call.type, (t.DoubleType, t.FloatType)):
        if call.function == "%" or not (isinstance(call.args[1], Literal) and call.args[1].value):
            raise UntranslatableError(f"{call.function} of floating point numbers, where the divisor may be 0")
        return _typed(call, f"({one} / {other})")
    if isinstance(call.type, t.DecimalType) and (call.function == "%" or call.type.precision >= t.MAX_DECIMAL):
        raise UntranslatableError(f"{call.function} of decimals with that many digits")
    sign = call.function if isinstance(call.type, t.DecimalType) or call.function == "%" else "DIV"
    zero = text(f"{call.function}: the divisor is 0 in a row")
    return _typed(call, f"IF({other} = 0, raise_error({zero}), {one} {sign} {other})")


def _refuse_spans(call: Call) -> None:
    if not isinstance(call.type, t.NumericType):
        raise UntranslatableError("computing with intervals")


def _round(call: Call, part: Callable[[Expr], str]) -> str:
    places = call.args[1] if len(call.args) > 1 else None
    if not isinstance(call.type, t.DecimalType) or (places is not None and not isinstance(places, Literal)):
        raise UntranslatableError("ROUND of anything but decimals")
    return _typed(call, f"ROUND({part(call.args[0])}, {places.value if places is not None else 0})")


def _whole(call: Call, part: Callable[[Expr], str]) -> str:
    if not isinstance(call.type, (t.DecimalType, t.IntegralType)):
        raise UntranslatableError(f"{call.function} of {call.type.nullable()!r}")
    return _typed(call, f"{call.function}({part(call.args[0])})")


def _extreme(call: Call, part: Callable[[Expr], str]) -> str:
    """Write GREATEST and LEAST, which are NULL if an argument is; Spark leaves it out."""
    args = [part(arg) for arg in call.args]
    none = " OR ".join(f"{arg} IS NULL" for arg in args)
    return f"IF({none}, NULL, {call.function}({', '.join(args)}))"


# ---------------------------------------------------------------------------- conditions


def _case(call: Call, part: Callable[[Expr], str]) -> str:
    pairs = zip(call.args[:-1:2], call.args[1::2], strict=False)
    cases = " ".join(f"WHEN {part(condition)} THEN {part(value)}" for condition, value in pairs)
    return f"CASE {cases} ELSE {part(call.args[-1])} END"


def _one_of(call: Call, part: Callable[[Expr], str]) -> str:
    first, *rest = map(part, call.args)
    return f"({first} IN ({', '.join(rest)}))"


def _like(call: Call, part: Callable[[Expr], str]) -> str:
    pattern = call.args[1]
    if len(call.args) > 2 or not isinstance(pattern, Literal) or "\\" in str(pattern.value):  # noqa: PLR2004 - ESCAPE is the third
        raise UntranslatableError("LIKE with ESCAPE, or with a pattern that is no constant")
    return f"({part(call.args[0])} LIKE {part(pattern)})"


# ---------------------------------------------------------------------------- casts


def _cast(call: Call, part: Callable[[Expr], str]) -> str:
    source, target = call.args[0].type, call.type
    if not _same_in_spark(source, target):
        raise UntranslatableError(f"CAST of {source.nullable()!r} AS {target.nullable()!r}")
    return _typed(call, part(call.args[0]))


def _same_in_spark(source: t.DataType, target: t.DataType) -> bool:
    if isinstance(target, t.IntegralType):
        return isinstance(source, t.IntegralType)
    if isinstance(target, (t.DoubleType, t.FloatType)):
        return isinstance(source, (t.IntegralType, t.DoubleType, t.FloatType))
    if isinstance(target, t.DecimalType):
        return isinstance(source, (t.IntegralType, t.DecimalType))
    if isinstance(target, t.VarCharType) and target.length == t.MAX_LENGTH:
        return isinstance(source, t.IntegralType) or t.is_text(source)
    if t.is_timestamp(target):
        # Times have six digits in Spark: none are lost only if there were no more.
        return isinstance(source, t.DateType) or (
            t.is_timestamp(source) and source.precision <= target.precision  # type: ignore[attr-defined]
        )
    return isinstance(target, t.DateType) and t.is_timestamp(source)


MOST_NEGATED = 34
"""Spark rounds to so many digits when it changes the sign of a DECIMAL."""


def _signed(function: str) -> Callable[[Call, Callable[[Expr], str]], str]:
    def write(call: Call, part: Callable[[Expr], str]) -> str:
        if isinstance(call.type, t.DecimalType) and call.type.precision > MOST_NEGATED:
            raise UntranslatableError(f"{function} of decimals with that many digits")
        return _typed(call, f"({function}({part(call.args[0])}))")

    return write


# ---------------------------------------------------------------------------- texts and times


def _replace(call: Call, part: Callable[[Expr], str]) -> str:
    if not (isinstance(call.args[1], Literal) and call.args[1].value):
        raise UntranslatableError("REPLACE of a text that is no constant")
    return _function("REPLACE")(call, part)


def _substring(call: Call, part: Callable[[Expr], str]) -> str:
    if not (isinstance(call.args[1], Literal) and isinstance(call.args[1].value, int) and call.args[1].value > 0):
        raise UntranslatableError("SUBSTRING from a place that is no constant, or is counted from the end")
    return _function("SUBSTRING")(call, part)


def _extract(call: Call, part: Callable[[Expr], str]) -> str:
    """Write REGEXP_EXTRACT, which is NULL if nothing matches; Spark says an empty text."""
    pattern = call.args[1]
    if not all(isinstance(arg, Literal) for arg in call.args[1:]) or not _plain_pattern(str(pattern.value)):  # type: ignore[attr-defined]
        raise UntranslatableError("REGEXP_EXTRACT with a pattern that is no constant, or may mean something else")
    args = [part(arg) for arg in call.args] + ([] if len(call.args) > 2 else ["0"])  # noqa: PLR2004 - group is third
    return f"IF({args[0]} RLIKE {args[1]}, REGEXP_EXTRACT({', '.join(args)}), NULL)"


def _plain_pattern(pattern: str) -> bool:
    r"""Say whether a pattern means the same in Java and Python, and all its groups are in each match.

    >>> [_plain_pattern(one) for one in ("(&|^)id=([^&]*)", r"\w+", "(a)?b", "(a)|(b)", "((a)|b)")]
    [True, False, False, False, False]
    """
    without_sets = re.sub(r"\[[^\\()\[\]]*\]", "", pattern)
    without_groups = re.sub(r"\([^()]*\)(?![?*{])", "", without_sets)
    return not set(without_groups) & set("()[]|") and "\\" not in pattern and "(?" not in pattern


def _split_index(call: Call, part: Callable[[Expr], str]) -> str:
    subject, separator, place = call.args
    if not (isinstance(separator, Literal) and separator.value and isinstance(place, Literal) and place.value >= 0):
        raise UntranslatableError("SPLIT_INDEX with a separator or place that is no constant")
    inner = part(subject)
    return f"IF({inner} = '', NULL, get(split({inner}, {text(re.escape(separator.value))}, -1), {place.value}))"


def _format(call: Call, part: Callable[[Expr], str]) -> str:
    pattern = call.args[1]
    if not (isinstance(pattern, Literal) and SAFE_FORMAT.fullmatch(str(pattern.value))):
        raise UntranslatableError("DATE_FORMAT with a pattern of other letters than yyyy, MM, dd, HH, mm, ss")
    return _function("date_format")(call, part)


def _moved(call: Call, part: Callable[[Expr], str]) -> str:
    moment, distance = call.args
    if not isinstance(distance, Literal) or distance.value is None or not t.is_timestamp(call.type):
        raise UntranslatableError("intervals that are no constants")
    return f"({part(moment)} {call.function[-1]} {span(distance)})"


def _part(name: str) -> Callable[[Call, Callable[[Expr], str]], str]:
    def write(call: Call, part: Callable[[Expr], str]) -> str:
        if isinstance(call.args[0].type, t.TimeType):
            raise UntranslatableError("columns of type TIME")
        return _typed(call, f"{name}({part(call.args[0])})")

    return write


WRITE: dict[str, Callable[[Call, Callable[[Expr], str]], str]] = {
    **{word: _infix(word) for word in ("=", "<>", "<", "<=", ">", ">=", "AND", "OR")},
    "IS NOT DISTINCT FROM": _infix("<=>"),
    "NOT": lambda call, part: f"(NOT {part(call.args[0])})",
    **{words: _suffix(words) for words in ("IS NULL", "IS TRUE", "IS FALSE")},
    "IN": _one_of, "CASE": _case, "LIKE": _like, "GREATEST": _extreme, "LEAST": _extreme,
    "+": _arithmetic, "-": _arithmetic, "*": _arithmetic, "/": _quotient, "%": _quotient,
    "NEGATE": _signed("-"), "ABS": _signed("ABS"),
    "SQRT": _function("SQRT"), "ROUND": _round, "FLOOR": _whole, "CEIL": _whole, "CEILING": _whole,
    "CAST": _cast,
    "||": _function("CONCAT"), "CONCAT": _function("CONCAT"), "UPPER": _function("UPPER"), "LOWER": _function("LOWER"),
    "CHAR_LENGTH": _function("CHAR_LENGTH"), "CHARACTER_LENGTH": _function("CHAR_LENGTH"),
    "REPLACE": _replace, "SUBSTRING": _substring, "SUBSTR": _substring, "REGEXP_EXTRACT": _extract,
    "SPLIT_INDEX": _split_index, "DATE_FORMAT": _format, "TIME+": _moved, "TIME-": _moved,
    **{name: _part(name) for name in ("YEAR", "QUARTER", "MONTH", "DAYOFMONTH", "DAYOFYEAR", "HOUR", "MINUTE",
                                      "SECOND", "DAYOFWEEK")},
    "WEEK": _part("weekofyear"),
}  # fmt: skip
"""How each function is written."""
