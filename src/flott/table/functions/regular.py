"""Patterns: LIKE, and regular expressions."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from flott.table.expr import Call
from flott.table.functions.quick_texts import constants, extracted
from flott.table.functions.registry import a_number, a_text, row_by_row, scalar, takes
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from flott.table.functions.registry import Column, Session

TEXT = DataTypes.STRING()
BOOLEAN = DataTypes.BOOLEAN()


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@lru_cache(maxsize=256)
def _like_pattern(pattern: str, escape: str | None) -> re.Pattern[str]:
    made = []
    position = 0
    while position < len(pattern):
        letter = pattern[position]
        if escape and letter == escape and position + 1 < len(pattern):
            position += 1
            made.append(re.escape(pattern[position]))
        else:
            made.append({"%": ".*", "_": "."}.get(letter, re.escape(letter)))
        position += 1
    return re.compile("".join(made), re.DOTALL)


@scalar("LIKE", bind=takes(BOOLEAN, a_text, a_text, a_text, least=2))
def _like(call: Call, args: list[Column], session: Session) -> Column:
    simple = len(args) == 2 and isinstance(args[1], pa.Scalar) and "\\" not in (args[1].as_py() or "\\")  # noqa: PLR2004 - counted on one hand
    if simple and not isinstance(args[0], pa.Scalar):
        return pc.match_like(args[0], args[1].as_py())

    def one(text: str, pattern: str, escape: str | None = None) -> bool:
        return _like_pattern(pattern, escape).fullmatch(text) is not None

    return row_by_row(one)(call, args, session)


@scalar("SIMILAR TO", bind=takes(BOOLEAN, a_text, a_text))
def _similar(call: Call, args: list[Column], session: Session) -> Column:
    def one(text: str, pattern: str) -> bool:
        return _compiled(pattern.replace("%", ".*").replace("_", ".")).fullmatch(text) is not None

    return row_by_row(one)(call, args, session)


scalar("REGEXP", "RLIKE", bind=takes(BOOLEAN, a_text, a_text))(
    row_by_row(lambda text, pattern: _compiled(pattern).search(text) is not None)
)


def _extract(text: str, pattern: str, group: int = 0) -> str | None:
    found = _compiled(pattern).search(text)
    if found is None or not 0 <= group <= found.re.groups:
        return None
    return found.group(group)


@scalar(
    "REGEXP_EXTRACT",
    bind=lambda name, args: _nullable(takes(TEXT, a_text, a_text, a_number, least=2)(name, args)),
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


def _replace(text: str, pattern: str, new: str) -> str:
    return _compiled(pattern).sub(re.sub(r"\$(\d)", r"\\\1", new), text)


scalar("REGEXP_REPLACE", bind=takes(TEXT, a_text, a_text, a_text))(row_by_row(_replace))
