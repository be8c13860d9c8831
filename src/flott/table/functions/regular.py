"""Patterns: LIKE, and regular expressions."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from flott.errors import FlottError
from flott.table.expr import Call
from flott.table.functions.quick_texts import constants, extracted
from flott.table.functions.registry import a_text, an_integer, row_by_row, scalar, takes
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from flott.table.functions.registry import Column, Session

TEXT = DataTypes.STRING()
BOOLEAN = DataTypes.BOOLEAN()


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise FlottError(f"'{pattern}' is not a regular expression: {error}") from None


@lru_cache(maxsize=256)
def _like_pattern(pattern: str, escape: str | None) -> re.Pattern[str]:
    _check_escape(escape)
    made = []
    position = 0
    while position < len(pattern):
        letter = pattern[position]
        if letter == escape:
            position += 1
            made.append(re.escape(_escaped(pattern, position, f"_%{escape}")))
        else:
            made.append({"%": ".*", "_": "."}.get(letter, re.escape(letter)))
        position += 1
    return re.compile("".join(made), re.DOTALL)


def _check_escape(escape: str | None) -> None:
    if escape is not None and len(escape) != 1:
        raise FlottError(f"ESCAPE '{escape}': give one character")


def _escaped(pattern: str, position: int, allowed: str) -> str:
    """Return the character behind an escape character, which must be one that has a meaning."""
    letter = pattern[position : position + 1]
    if not letter or letter not in allowed:
        raise FlottError(f"pattern '{pattern}': behind the escape character stands one of {' '.join(allowed)}")
    return letter


@lru_cache(maxsize=256)
def similar_pattern(pattern: str, escape: str | None) -> re.Pattern[str]:
    r"""Return a pattern of SIMILAR TO as a regular expression.

    >>> similar_pattern("a%[b-d]&%", "&").pattern
    'a(?s:.*)[b-d]%'
    """
    _check_escape(escape)
    made = []
    position = 0
    inside = False
    while position < len(pattern):
        letter = pattern[position]
        if letter == escape:
            position += 1
            made.append(re.escape(_escaped(pattern, position, f"{SIMILAR_SPECIALS}{escape}")))
        elif inside and letter == "[":
            name = pattern[position + 1 : pattern.find("]", position) + 1]
            if name.lower() not in SIMILAR_CLASSES or name not in (name.lower(), name.upper()):
                raise FlottError(f"pattern '{pattern}': behind [ in brackets stands a class such as [:ALPHA:]")
            made.append(SIMILAR_CLASSES[name.lower()])
            position += len(name) + 1
            continue
        elif inside or letter not in SIMILAR:
            made.append("\\\\" if letter == "\\" else letter)
        else:
            made.append(SIMILAR[letter])
        inside = letter != "]" and (inside or letter == "[")
        position += 1
    return _compiled("".join(made))


SIMILAR = {"%": "(?s:.*)", "_": ".", "$": r"\$"}
SIMILAR_CLASSES = {
    ":alpha:]": "a-zA-Z", ":upper:]": "A-Z", ":lower:]": "a-z", ":digit:]": "0-9", ":alnum:]": "a-zA-Z0-9",
    ":space:]": " ", ":whitespace:]": r" \t\n\x0b\f\r",
}  # fmt: skip
"""What stands for letters in brackets, as [[:ALPHA:]_]: those of ASCII only, as in Flink."""
SIMILAR_SPECIALS = "[]()|^-+*_%?{}"


@scalar("LIKE", bind=takes(BOOLEAN, a_text, a_text, a_text, least=2))
def _like(call: Call, args: list[Column], session: Session) -> Column:
    simple = len(args) == 2 and isinstance(args[1], pa.Scalar) and "\\" not in (args[1].as_py() or "\\")  # noqa: PLR2004 - counted on one hand
    if simple and not isinstance(args[0], pa.Scalar):
        return pc.match_like(args[0], args[1].as_py())

    def one(text: str, pattern: str, escape: str | None = None) -> bool:
        return _like_pattern(pattern, escape).fullmatch(text) is not None

    return row_by_row(one)(call, args, session)


@scalar("SIMILAR TO", bind=takes(BOOLEAN, a_text, a_text, a_text, least=2))
def _similar(call: Call, args: list[Column], session: Session) -> Column:
    def one(text: str, pattern: str, escape: str | None = None) -> bool:
        return similar_pattern(pattern, escape).fullmatch(text) is not None

    return row_by_row(one)(call, args, session)


scalar("REGEXP", "RLIKE", bind=takes(BOOLEAN, a_text, a_text))(
    # In Flink, an empty expression is found nowhere.
    row_by_row(lambda text, pattern: pattern != "" and _compiled(pattern).search(text) is not None)
)


def _extract(text: str, pattern: str, group: int = 0) -> str | None:
    try:
        found = _compiled(pattern).search(text)
    except FlottError:
        return None  # As in Flink.
    if found is None or not 0 <= group <= found.re.groups:
        return None
    return found.group(group)


@scalar(
    "REGEXP_EXTRACT",
    bind=lambda name, args: _nullable(takes(TEXT, a_text, a_text, an_integer, least=2)(name, args)),
)
def _regexp_extract(call: Call, args: list[Column], session: Session) -> Column:
    """Return what a group of a regular expression matched; the whole is group 0."""
    known = constants(*args[1:])
    if known is not None and not isinstance(args[0], pa.Scalar):
        made = extracted(args[0], *(known if len(known) == 2 else (known[0], 0)))  # noqa: PLR2004 - a pattern, a group
        if made is not None:
            return made
    return row_by_row(_extract)(call, args, session)


def _nullable(call: Call) -> Call:
    return Call(call.type.nullable(), call.function, call.args)


def _replace(text: str, pattern: str, new: str) -> str | None:
    try:
        return _compiled(pattern).sub(lambda _: new, text)  # as in Flink, to which $1 is nothing special
    except FlottError:
        return None  # As in Flink.


scalar("REGEXP_REPLACE", bind=lambda name, args: _nullable(takes(TEXT, a_text, a_text, a_text)(name, args)))(
    row_by_row(_replace)
)
