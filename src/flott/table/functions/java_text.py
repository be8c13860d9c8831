"""Numbers and dates as Java writes them, which is how Flink does."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import lru_cache

SMALLEST_PLAIN, LARGEST_PLAIN = 1e-3, 1e7
"""Below the one, and from the other on, Java writes a floating point number with an exponent."""

PARTS = {
    "yyyy": "%Y", "uuuu": "%Y", "yy": "%y", "MMM": "%b", "MM": "%m", "dd": "%d", "HH": "%H", "hh": "%I", "mm": "%M",
    "ss": "%S", "a": "%p", "EEEE": "%A", "EEE": "%a", "E": "%a", "DDD": "%j",
}  # fmt: skip


def java_float(value: float) -> str:
    """Write a floating point number.

    >>> java_float(1e7), java_float(0.5), java_float(float("nan"))
    ('1.0E7', '0.5', 'NaN')
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or SMALLEST_PLAIN <= abs(value) < LARGEST_PLAIN:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *rest = map(str, digits)
    power = len(rest) + int(exponent)
    return f"{'-' if sign else ''}{first}.{''.join(rest) or '0'}E{power}"


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
