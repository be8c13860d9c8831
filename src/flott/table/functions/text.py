"""Texts."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from flott.table.expr import Call
from flott.table.functions.casts import check_cast
from flott.table.functions.quick_texts import constants, split_part
from flott.table.functions.registry import (
    Session,
    a_text,
    an_integer,
    cast_to,
    check_count,
    row_by_row,
    rows,
    scalar,
    takes,
)
from flott.table.lengths import check_made
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.table.expr import Expr
    from flott.table.functions.registry import Bind, Column
    from flott.table.types import DataType

TEXT = DataTypes.STRING()
NUMBER = DataTypes.INT()


def _simple(*names: str, function: Any) -> None:
    scalar(*names, bind=takes(TEXT, a_text))(lambda call, args, _: function(args[0]))


def _cased(quick: Any, exact: Any) -> Any:
    """Return how letters change: quickly where they are plain, else as Java does it (ß becomes SS)."""

    def change(texts: Column) -> Column:
        if pc.all(pc.string_is_ascii(texts)).as_py() is not False:
            return quick(texts)
        return row_by_row(exact)(Call(TEXT, "UPPER", ()), [texts], Session())

    return change


_simple("UPPER", "UCASE", function=_cased(pc.ascii_upper, str.upper))
_simple("LOWER", "LCASE", function=_cased(pc.ascii_lower, str.lower))
_simple("REVERSE", function=pc.utf8_reverse)


def _end_trimmer(name: str, quick: Any, exact: Callable[[str, str], str]) -> None:
    """Define how one end of a string loses blanks, or any of the characters of a second string."""

    def evaluate(call: Call, args: list[Column], session: Session) -> Column:
        return quick(args[0], " ") if len(args) == 1 else row_by_row(exact)(call, args, session)

    scalar(name, bind=takes(TEXT, a_text, a_text, least=1))(evaluate)


_end_trimmer("LTRIM", pc.utf8_ltrim, str.lstrip)
_end_trimmer("RTRIM", pc.utf8_rtrim, str.rstrip)


@scalar("CHAR_LENGTH", "CHARACTER_LENGTH", bind=takes(NUMBER, a_text))
def _length(call: Call, args: list[Column], _: Session) -> Column:
    return pc.utf8_length(args[0])


def _bind_concat(name: str, args: list[Expr]) -> Call:
    for arg in args:
        check_cast(arg.type, TEXT)
    texts = [arg if a_text(arg.type) else cast_to(arg, TEXT) for arg in args]
    return takes(TEXT, *[a_text] * len(texts))(name, texts)


@scalar("||", "CONCAT", bind=_bind_concat)
def _concat(call: Call, args: list[Column], _: Session) -> Column:
    if all(isinstance(arg, pa.Scalar) for arg in args):
        texts = [arg.as_py() for arg in args]
        return pa.scalar(None if None in texts else "".join(texts), pa.string())
    return pc.binary_join_element_wise(*(arg.cast(pa.string()) for arg in args), "")


def _bind_concat_ws(name: str, args: list[Expr]) -> Call:
    check_count(name, args, 1)
    return _bind_concat(name, args)


@scalar("CONCAT_WS", bind=_bind_concat_ws)
def _concat_ws(call: Call, args: list[Column], _: Session) -> Column:
    """Put texts together with a separator; those that are NULL are left out."""
    values = [
        None if row[0] is None else row[0].join(text for text in row[1:] if text is not None)  # type: ignore[index]
        for row in rows(args, nulls=True)
    ]
    made = pa.array(values, pa.string())
    return made[0] if all(isinstance(arg, pa.Scalar) for arg in args) else made


def substring(text: str, start: int, length: int | None = None) -> str | None:
    """Return a piece of a text; the first character is 1, and -1 is the last.

    >>> substring("stream", 2, 3), substring("stream", -2)
    ('tre', 'am')
    """
    if length is not None and length < 0:
        return None
    begin = start - 1 if start > 0 else len(text) + start if start < 0 else 0
    if begin < 0:
        return ""
    return text[begin:] if length is None else text[begin : begin + length]


def _of_integers(*kinds: Callable[[DataType], bool], least: int | None = None) -> Bind:
    """Return how a function is typed that is NULL for some of its numbers."""
    bind = takes(TEXT, *kinds, least=least)
    return lambda name, args: _nullable(bind(name, args))


def _nullable(call: Call) -> Call:
    return Call(call.type.nullable(), call.function, call.args)


scalar("SUBSTRING", "SUBSTR", bind=_of_integers(a_text, an_integer, an_integer, least=2))(row_by_row(substring))
scalar("LEFT", bind=takes(TEXT, a_text, an_integer))(row_by_row(lambda text, count: text[: max(count, 0)]))
scalar("RIGHT", bind=takes(TEXT, a_text, an_integer))(
    row_by_row(lambda text, count: text[-count:] if count > 0 else "")
)


def _repeat(text: str, count: int) -> str:
    check_made(len(text) * count, "REPEAT")
    return text * count


scalar("REPEAT", bind=takes(TEXT, a_text, an_integer))(row_by_row(_repeat))
scalar("POSITION", bind=takes(NUMBER, a_text, a_text))(row_by_row(lambda part, text: text.find(part) + 1))
scalar("INSTR", bind=takes(NUMBER, a_text, a_text))(row_by_row(lambda text, part: text.find(part) + 1))
scalar("LOCATE", bind=takes(NUMBER, a_text, a_text))(row_by_row(lambda part, text: text.find(part) + 1))


def initcap(text: str) -> str:
    """Return a string whose words begin with a capital letter; a word is a run of ASCII letters and digits.

    >>> initcap("the 1st WORD-end")
    'The 1st Word-End'
    """
    made, inside = [], False
    for letter in text:
        plain = letter.isascii()
        made.append((letter.lower() if inside else letter.upper()) if plain else letter)
        inside = plain and letter.isalnum()
    return "".join(made)


scalar("INITCAP", bind=takes(TEXT, a_text))(row_by_row(initcap))
scalar("MD5", bind=takes(TEXT, a_text))(
    row_by_row(lambda text: hashlib.md5(text.encode(), usedforsecurity=False).hexdigest())
)
scalar("SHA256", bind=takes(TEXT, a_text))(row_by_row(lambda text: hashlib.sha256(text.encode()).hexdigest()))


@scalar("REPLACE", bind=takes(TEXT, a_text, a_text, a_text))
def _replace(call: Call, args: list[Column], session: Session) -> Column:
    """Return a text with one part in the place of another."""
    known = constants(*args[1:])
    if known is not None and known[0] and not isinstance(args[0], pa.Scalar):
        return pc.replace_substring(args[0], *known)
    return row_by_row(str.replace)(call, args, session)


def _pad(text: str, length: int, fill: str, *, left: bool) -> str | None:
    if length < 0 or not fill:
        return None  # As in Flink, also where nothing is missing.
    missing = max(0, length - len(text))
    check_made(length, "LPAD" if left else "RPAD")
    padding = (fill * missing)[:missing]
    return (padding + text if left else text + padding) if missing else text[:length]


_padding = _of_integers(a_text, an_integer, a_text)
scalar("LPAD", bind=_padding)(row_by_row(lambda text, length, fill: _pad(text, length, fill, left=True)))
scalar("RPAD", bind=_padding)(row_by_row(lambda text, length, fill: _pad(text, length, fill, left=False)))


WHITE_SPACE = re.compile(r"[\t-\r\x1c-\x1f \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]")
"""White space to Java."""


def _split(text: str, separator: str, index: int) -> str | None:
    # As in Flink: an empty string has no parts, and an empty separator stands for white space.
    parts = text.split(separator) if separator else WHITE_SPACE.split(text)
    parts = parts if text else []
    return parts[index] if 0 <= index < len(parts) else None


@scalar("SPLIT_INDEX", bind=lambda name, args: _nullable(takes(TEXT, a_text, a_text, an_integer)(name, args)))
def _split_index(call: Call, args: list[Column], session: Session) -> Column:
    """Return one of the parts of a text, counted from 0."""
    known = constants(*args[1:])
    if known is not None and known[0] and not isinstance(args[0], pa.Scalar):
        return split_part(args[0], *known)
    return row_by_row(_split)(call, args, session)


def _trim(text: str, characters: str, where: str) -> str:
    """Remove any of some characters from the ends of a string."""
    if where in {"BOTH", "LEADING"}:
        text = text.lstrip(characters)
    return text.rstrip(characters) if where in {"BOTH", "TRAILING"} else text


scalar("TRIM", bind=takes(TEXT, a_text, a_text, a_text))(row_by_row(_trim))
