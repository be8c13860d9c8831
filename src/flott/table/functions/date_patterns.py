"""Patterns of dates as Java writes them, which is how Flink does."""

from __future__ import annotations

from functools import lru_cache

PARTS = {
    "yyyy": "%Y", "uuuu": "%Y", "yy": "%y", "MMM": "%b", "MM": "%m", "dd": "%d", "HH": "%H", "hh": "%I", "mm": "%M",
    "ss": "%S", "a": "%p", "EEEE": "%A", "EEE": "%a", "E": "%a", "DDD": "%j",
}  # fmt: skip


@lru_cache(maxsize=256)
def date_pattern(pattern: str) -> tuple[str, int]:
    """Return Python's form of a date pattern, and how many digits of the second's fraction stand at its end.

    >>> date_pattern("yyyy-MM-dd'T'HH:mm:ss.SSS")
    ('%Y-%m-%dT%H:%M:%S.', 3)
    """
    made: list[str] = []
    digits = 0
    position = 0
    while position < len(pattern):
        letter = pattern[position]
        if letter == "'":
            end = pattern.find("'", position + 1)
            if end < 0:
                raise ValueError(f"date pattern {pattern!r}: a quote is not closed")
            made.append(pattern[position + 1 : end].replace("%", "%%") or "'")
            position = end + 1
            continue
        if not letter.isalpha():
            made.append("%%" if letter == "%" else letter)
            position += 1
            continue
        run = len(pattern[position:]) - len(pattern[position:].lstrip(letter))
        part = letter * run
        position += run
        if letter == "S":
            if position != len(pattern):
                raise ValueError(f"date pattern {pattern!r}: fractions of a second can only stand at the end")
            digits = run
        elif part in PARTS:
            made.append(PARTS[part])
        else:
            raise ValueError(f"date pattern {pattern!r}: '{part}' is not known; known are {', '.join(PARTS)} and S")
    return "".join(made), digits
