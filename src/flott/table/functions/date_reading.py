"""Strings read as timestamps by Java's patterns: exactly for TO_TIMESTAMP, leniently for TO_DATE and UNIX_TIMESTAMP."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from flott.errors import FlottError
from flott.table.functions.registry import SignatureError

if TYPE_CHECKING:
    from flott.table.expr import Expr

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
NUMBERS = "yMdHhmsSD"
KNOWN = {**dict.fromkeys("MdHhms", (1, 2)), "y": (1, 2, 4), "D": (1, 3), "S": tuple(range(1, 10)), "a": (1,)}
"""How often a letter can stand; months and days of the week have names too."""
NAMED = {"M": (3, 4), "E": (1, 2, 3, 4)}
FULL = 4
"""So many letters stand for a whole name, fewer for its first three letters."""
CENTURY, PIVOT = 100, 69
TOKEN = re.compile(r"''|'(?P<quoted>(?:[^']|'')*)'|(?P<field>([A-Za-z])\3*)|(?P<literal>[^A-Za-z']+)")
NUMBER = re.compile(r"-?[0-9]{1,18}")
PLAIN = re.compile(
    r"(?P<y>[0-9]{4})-(?P<M>[0-9]{1,2})-(?P<d>[0-9]{1,2})"
    r"(?: (?P<H>[0-9]{1,9}):(?P<m>[0-9]{1,9}):(?P<s>[0-9]{1,9})(?:\.(?P<S>[0-9]{1,9}))?)?"
)
"""What TO_TIMESTAMP reads beside its pattern, as Java writes timestamps and dates."""

Piece = tuple[str, int]
"""A letter and how often it stands; or other characters, and 0."""


@lru_cache(maxsize=256)
def pieces(pattern: str) -> tuple[Piece, ...]:
    """Return what a pattern is made of.

    >>> pieces("yyyy'T'MM")
    (('y', 4), ('T', 0), ('M', 2))
    """
    made: list[Piece] = []
    position = 0
    while position < len(pattern):
        found = TOKEN.match(pattern, position)
        if found is None:
            raise FlottError(f"date pattern '{pattern}': a quote is not closed")
        field, position = found["field"], found.end()
        if field is None:
            made.append((found["literal"] or (found["quoted"] or "").replace("''", "'") or "'", 0))
            continue
        letter = "y" if field[0] == "u" else field[0]
        if len(field) not in (*KNOWN.get(letter, ()), *NAMED.get(letter, ())):
            raise FlottError(f"date pattern '{pattern}': '{field}' is not supported")
        if any(letter == other for other, count in made if count):
            raise FlottError(f"date pattern '{pattern}': '{field[0]}' stands there twice")
        made.append((letter, len(field)))
    return tuple(made)


def check_pattern(args: list[Expr]) -> None:
    """Refuse a pattern that is not supported where it is a constant: the second argument."""
    pattern = getattr(args[1], "value", None) if len(args) > 1 else None
    if isinstance(pattern, str):
        try:
            pieces(pattern)
        except FlottError as error:
            raise SignatureError(str(error)) from None


def _named(letter: str, count: int) -> bool:
    return count in NAMED.get(letter, ())


@lru_cache(maxsize=256)
def _exact(pattern: str) -> re.Pattern[str]:
    """Return the expression for strings that have a pattern exactly."""
    made = []
    for letter, count in pieces(pattern):
        if not count:
            made.append(re.escape(letter))
        elif _named(letter, count):
            names = [name if count == FULL else name[:3] for name in (MONTHS if letter == "M" else DAYS)]
            made.append(f"(?P<{letter}>{'|'.join(names)})")
        elif letter == "a":
            made.append("(?P<a>AM|PM)")
        else:
            made.append(f"(?P<{letter}>[0-9]{{{count if count > 1 or letter == 'S' else '1,9'}}})")
    return re.compile("".join(made))


def read_exactly(text: str, pattern: str) -> dt.datetime | None:
    """Read a string that has a pattern, or that is a timestamp as Java writes it; None if it is neither.

    >>> read_exactly("31.01.2020", "dd.MM.yyyy"), read_exactly("1.1.2020", "dd.MM.yyyy")
    (datetime.datetime(2020, 1, 31, 0, 0), None)
    """
    found = _exact(pattern).fullmatch(text)
    if found is not None:
        parts = found.groupdict()
        short = ("y", 2) in pieces(pattern)
        try:
            return _moment(parts, 2000 if short else 0)
        except (ValueError, OverflowError):
            pass
    plain = PLAIN.fullmatch(text.strip())
    if plain is None:
        return None
    parts = {name: value or "0" for name, value in plain.groupdict().items()}
    if not (1 <= int(parts["M"]) <= len(MONTHS) and 1 <= int(parts["d"]) <= 31):  # noqa: PLR2004 - the longest month
        return None
    fraction = int(parts.pop("S").ljust(9, "0")[:6])
    moment = _rolled({name: int(value) for name, value in parts.items()})
    return moment if moment is None else moment.replace(microsecond=fraction)


def _moment(parts: dict[str, str], century: int) -> dt.datetime:
    """Return the moment of parts that are within their bounds; a day that its month lacks is the last of the month."""
    numbers = {name: int(value) for name, value in parts.items() if value.isdecimal()}
    year = century + numbers["y"] if "y" in numbers else 1970
    month = _month(parts["M"]) if "M" in parts else 1
    day = numbers.get("d", 1)
    if {"y", "M", "d"} <= parts.keys() and 1 <= day <= 31:  # noqa: PLR2004 - the longest month
        day = min(day, calendar.monthrange(year, month)[1])
    hour = numbers.get("H", 0)
    if "H" not in parts and "a" in parts and "h" in parts:
        if not 1 <= numbers["h"] <= 12:  # noqa: PLR2004 - hours of a clock
            raise ValueError(numbers["h"])
        hour = numbers["h"] % 12 + 12 * (parts["a"] == "PM")
    minute, second = numbers.get("m", 0), numbers.get("s", 0)
    micros = int(parts.get("S", "0").ljust(6, "0")[:6])
    next_day = hour == 24 and not minute and not second and not int(parts.get("S", "0"))  # noqa: PLR2004 - the end of a day
    moment = dt.datetime(year, month, day, 0 if next_day else hour, minute, second, micros)  # noqa: DTZ001 - in no time zone
    if "D" in parts and "y" in parts and "M" not in parts and "d" not in parts:
        moment += dt.timedelta(days=numbers["D"] - 1)
        if moment.year != year or not numbers["D"]:
            raise ValueError(numbers["D"])
    if "E" in parts and {"y", "M", "d"} <= parts.keys() and not DAYS[moment.weekday()].startswith(parts["E"]):
        raise ValueError(parts["E"])
    return moment + dt.timedelta(days=next_day)


def _month(text: str) -> int:
    if text.isdecimal():
        return int(text)
    return 1 + next(place for place, name in enumerate(MONTHS) if name.startswith(text))


def read_leniently(text: str, pattern: str) -> dt.datetime | None:
    """Read a string that begins with a pattern; numbers may have other lengths, and go beyond their bounds.

    >>> read_leniently("2021-2-29 and more", "yyyy-MM-dd")
    datetime.datetime(2021, 3, 1, 0, 0)
    """
    numbers: dict[str, int] = {}
    position = 0
    every = pieces(pattern)
    for place, (letter, count) in enumerate(every):
        if not count:
            if not text.startswith(letter, position):
                return None
            position += len(letter)
            continue
        start, position = position, _behind_blanks(text, position)
        if letter == "a" or _named(letter, count):
            found = _name(text[position:], ("AM", "PM") if letter == "a" else MONTHS if letter == "M" else DAYS)
            if found is None:
                return None
            numbers[letter], length = found
            position += length
            continue
        end = len(text)
        if _is_number(every[place + 1 : place + 2]):
            end = start + count
            if end > len(text):
                return None
        number = NUMBER.match(text, position, end)
        if number is None:
            return None
        value = int(number[0])
        if letter == "y" and count <= 2 and re.fullmatch("[0-9]{2}", number[0]):  # noqa: PLR2004 - a year of a century
            value += 2000 if value < PIVOT else 1900
        numbers[letter], position = value, number.end()
    return _rolled(numbers)


def _behind_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t":
        position += 1
    return position


def _is_number(following: tuple[Piece, ...]) -> bool:
    return any(count and letter in NUMBERS and not _named(letter, count) for letter, count in following)


def _name(text: str, names: tuple[str, ...]) -> tuple[int, int] | None:
    """Return which name a string begins with, counted from 0 or of months from 1, and the length of what is there."""
    first = int(names is MONTHS)
    for place, name in enumerate(names, first):
        for part in (name, name[:3]):
            if text[: len(part)].lower() == part.lower():
                return place, len(part)
    return None


def _rolled(numbers: dict[str, int]) -> dt.datetime | None:
    """Return the moment of numbers that may go beyond their bounds: the 32nd of a month is the first of the next."""
    of_year = "D" in numbers and not numbers.keys() & {"M", "d"}
    year, month = divmod(numbers.get("y", 1970) * 12 + numbers.get("M", 1) - 1, 12)
    hour = numbers["H"] if "H" in numbers else numbers.get("h", 0) % 12 + 12 * numbers.get("a", 0)
    try:
        return dt.datetime(year, month + 1, 1) + dt.timedelta(  # noqa: DTZ001 - in no time zone
            days=numbers["D" if of_year else "d"] - 1 if of_year or "d" in numbers else 0,
            hours=hour,
            minutes=numbers.get("m", 0),
            seconds=numbers.get("s", 0),
            milliseconds=numbers.get("S", 0),
        )
    except (ValueError, OverflowError):
        return None
