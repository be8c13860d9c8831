"""GROUPING SETS, ROLLUP and CUBE: several groupings of the same rows at once."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

from sqlglot import exp

from flott.table.expr import Call, Expr, InputRef, Literal
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GROUPING = {"GROUPING", "GROUPING_ID"}
NUMBER = DataTypes.BIGINT().not_null()
TRUTH = DataTypes.BOOLEAN().not_null()


def sets_of(parts: Iterable[exp.Expr]) -> list[list[exp.Expr]]:
    """Return the groupings that GROUP BY asks for: each a list of keys.

    >>> from flott.table.sql.dialect import parse_tokens, tokenize
    >>> text = "SELECT 1 FROM t GROUP BY a, ROLLUP (b, c)"
    >>> group = parse_tokens(tokenize(text), text).args["group"]
    >>> [[key.sql() for key in one] for one in sets_of(group.expressions)]
    [['a', 'b', 'c'], ['a', 'b'], ['a']]
    """
    return [[key for part in choice for key in part] for choice in product(*map(_choices, parts))]


def _choices(part: exp.Expr) -> list[list[exp.Expr]]:
    if isinstance(part, exp.GroupingSets):
        return [choice for one in part.expressions for choice in _choices(one)]
    inner = [_keys(one) for one in part.expressions]
    if isinstance(part, exp.Rollup):
        chosen: Iterable[Sequence[list[exp.Expr]]] = (inner[:length] for length in range(len(inner), -1, -1))
    elif isinstance(part, exp.Cube):
        chosen = (some for length in range(len(inner), -1, -1) for some in combinations(inner, length))
    else:
        return [_keys(part)]
    return [[key for keys in some for key in keys] for some in chosen]


def _keys(part: exp.Expr) -> list[exp.Expr]:
    return list(part.expressions) if isinstance(part, exp.Tuple) else [part]


def grouping_bits(positions: Sequence[int], sets: Sequence[frozenset[int]], number: InputRef) -> Expr:
    """Return which of some keys are left out in the grouping of a row, as the bits of a number, the first key highest.

    ``number`` is the column that says which grouping it is.
    """
    values = [sum((key not in one) << place for place, key in enumerate(reversed(positions))) for one in sets]
    parts: list[Expr] = []
    for grouping, value in enumerate(values[:-1]):
        parts += [Call(TRUTH, "=", (number, Literal(NUMBER, grouping))), Literal(NUMBER, value)]
    return Call(NUMBER, "CASE", (*parts, Literal(NUMBER, values[-1]))) if parts else Literal(NUMBER, values[-1])
