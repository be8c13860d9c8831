"""PATTERN (A+ B{2,3} C*?): text to variables with quantifiers; what Flink's CEP has no form for is refused."""

from __future__ import annotations

import re

from flott.table.errors import NotYetError, ValidationError
from flott.table.plan.match import PatternPart

TOKEN = re.compile(r"\s*(?:`([^`]+)`|([A-Za-z_]\w*)|([?*+]\??|\{-|-\}|\{[^{}]*\}\??|[()|^$]))")
BOUNDS = re.compile(r"\{\s*(\d*)\s*(?:(,)\s*(\d*)\s*)?\}(\??)")
REFUSED = {
    "|": "branches, as in (A | B), can't be matched; write a condition with OR for one variable",
    "{-": "'{-' and '-}' can't be matched; leave out the rows in MEASURES",
    "-}": "'{-' and '-}' can't be matched; leave out the rows in MEASURES",
    "^": "anchors can't be matched on a stream, which has neither a first nor a last row",
    "$": "anchors can't be matched on a stream, which has neither a first nor a last row",
}


def pattern_parts(text: str) -> tuple[PatternPart, ...]:
    """Return the variables of a pattern in their order.

    >>> [str(part) for part in pattern_parts("A B{2,3} (C*? D)")]
    ['A', 'B{2,3}', 'C*?', 'D']
    """
    parts: list[PatternPart] = []
    if re.search(r"\bPERMUTE\s*\(", text, re.IGNORECASE):
        raise NotYetError("PATTERN: PERMUTE can't be matched; write the order that is looked for")
    tokens = _tokens(text)
    groups: list[int] = []
    closed: int | None = None
    """How many variables there were before the group that was closed last."""
    for sign, is_name in tokens:
        if is_name:
            parts.append(PatternPart(sign))
        elif sign == "(":
            groups.append(len(parts))
        elif sign == ")":
            closed = groups.pop() if groups else 0
            continue
        elif sign in REFUSED:
            raise NotYetError(f"PATTERN: {REFUSED[sign]}")
        elif closed is not None:
            if len(parts) - closed > 1:
                raise NotYetError("PATTERN: a group of variables can't be repeated, as in (A B)+; repeat single ones")
            parts[-1] = _quantified(parts[-1], sign)
        elif not parts:
            raise ValidationError(f"PATTERN: '{sign}' stands behind no variable")
        else:
            parts[-1] = _quantified(parts[-1], sign)
        closed = None
    _check(parts)
    return tuple(parts)


def _tokens(text: str) -> list[tuple[str, bool]]:
    found: list[tuple[str, bool]] = []
    place = 0
    while text[place:].strip():
        match = TOKEN.match(text, place)
        if match is None:
            raise ValidationError(f"PATTERN: '{text[place:].strip()[0]}' is not known; write PATTERN (A B+ C?)")
        quoted, name, sign = match.groups()
        found.append((quoted or name or sign, sign is None))
        place = match.end()
    return found


def _quantified(part: PatternPart, token: str) -> PatternPart:
    if (part.least, part.most) != (1, 1):
        raise ValidationError(f"PATTERN: variable '{part.variable}' has two quantifiers")
    least: int
    most: int | None
    if token[0] == "{":
        bounds = BOUNDS.fullmatch(token)
        low, comma, high, lazy = bounds.groups() if bounds is not None else ("", None, None, "")
        if not low and not high:
            raise ValidationError(f"PATTERN: '{token}' is no quantifier; write {{2}}, {{2,}}, {{,3}} or {{2,3}}")
        least = int(low or 0)
        most = least if comma is None else int(high) if high else None
    else:
        least, most = {"?": (0, 1), "*": (0, None), "+": (1, None)}[token[0]]
        lazy = token[1:]
    if most is not None and (most < least or most == 0):
        raise ValidationError(f"PATTERN: '{token}' takes no row; write the smaller number first")
    if lazy and (least, most) == (0, 1):
        raise NotYetError("PATTERN: reluctant optional variables, as in A??, can't be matched; write A?")
    return PatternPart(part.variable, least, most, not lazy)


def _check(parts: list[PatternPart]) -> None:
    if not parts:
        raise ValidationError("PATTERN: there are no variables in it")
    names = [part.variable for part in parts]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise NotYetError(f"PATTERN: variable '{twice}' stands there twice; each variable can stand once")
    if all(part.least == 0 for part in parts):
        raise NotYetError(
            "PATTERN: patterns that can match no row at all can't be matched; at least one variable must take a row"
        )
    last = parts[-1]
    if last.greedy and last.least != last.most and (last.least, last.most) != (0, 1):
        raise NotYetError(
            f"PATTERN: the last variable can't be greedy, as '{last}' is, because it would never be known to be over; "
            f"end with a single row, or write '{last}?'"
        )
