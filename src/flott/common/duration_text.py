"""How a length of time is written: `10 s`, `1 min`, `PT1H30M`. Works on plain nanoseconds."""

from __future__ import annotations

import re

__all__ = ["for_people", "format_duration", "format_iso_duration", "parse_duration"]

_SECOND = 1_000_000_000
_MINUTE = 60 * _SECOND
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR

# From large to small. The first name of a unit is the one we write.
_UNITS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (_DAY, ("d", "day", "days")),
    (_HOUR, ("h", "hour", "hours")),
    (_MINUTE, ("min", "m", "mins", "minute", "minutes")),
    (_SECOND, ("s", "sec", "secs", "second", "seconds")),
    (1_000_000, ("ms", "milli", "millis", "millisecond", "milliseconds")),
    (1_000, ("us", "µs", "μs", "micro", "micros", "microsecond", "microseconds")),
    (1, ("ns", "nano", "nanos", "nanosecond", "nanoseconds")),
)
_NANOS_OF = {name: nanos for nanos, names in _UNITS for name in names}
_MILLISECOND = _NANOS_OF["ms"]

_AMOUNT = re.compile(r"(?P<number>[0-9]+)\s*(?P<unit>[^\s0-9]*)")
_ISO = re.compile(
    r"(?P<sign>[-+]?)P(?:(?P<days>[-+]?[0-9]+)D)?"
    r"(?:T(?=[-+0-9])(?:(?P<hours>[-+]?[0-9]+)H)?(?:(?P<minutes>[-+]?[0-9]+)M)?"
    r"(?:(?P<seconds>[-+]?[0-9]+)(?:[.,](?P<fraction>[0-9]{0,9}))?S)?)?",
    re.IGNORECASE,
)


def parse_duration(text: str) -> int:
    """Reads a duration and returns it in nanoseconds; a number without a unit is milliseconds.

    >>> parse_duration("10 s")
    10000000000
    >>> parse_duration("200")
    200000000
    >>> parse_duration("PT1H30M") == parse_duration("90 min")
    True
    """
    trimmed = text.strip()
    iso = _ISO.fullmatch(trimmed)
    if iso and any(iso[part] for part in ("days", "hours", "minutes", "seconds")):
        return _from_iso(iso)
    amount = _AMOUNT.fullmatch(trimmed)
    if not amount:
        raise ValueError(
            f"'{text}' is no duration: write a whole number and a unit, such as '10 s', "
            "'200 ms' or '1 min', or the ISO form 'PT10S'"
        )
    unit = amount["unit"].lower()
    nanos = _NANOS_OF.get(unit) if unit else _MILLISECOND
    if nanos is None:
        known = ", ".join(names[0] for _, names in _UNITS)
        raise ValueError(f"'{text}' has the unknown time unit '{amount['unit']}'; use {known}")
    return int(amount["number"]) * nanos


def _from_iso(match: re.Match[str]) -> int:
    total = int(match["days"] or 0) * _DAY + int(match["hours"] or 0) * _HOUR + int(match["minutes"] or 0) * _MINUTE
    seconds = match["seconds"] or "0"
    fraction = int((match["fraction"] or "").ljust(9, "0"))
    total += int(seconds) * _SECOND + (-fraction if seconds.startswith("-") else fraction)
    return -total if match["sign"] == "-" else total


def format_duration(nanos: int) -> str:
    """Writes a duration as a whole number of its largest fitting unit, so that it reads back equal.

    >>> format_duration(5_400_000_000_000), format_duration(1_500_000_000)
    ('90 min', '1500 ms')
    """
    if nanos == 0:
        return "0 ms"
    if nanos < 0:  # no unit form for these, in Flink neither
        return format_iso_duration(nanos)
    size, names = next((size, names) for size, names in _UNITS if nanos % size == 0)
    return f"{nanos // size} {names[0]}"


def format_iso_duration(nanos: int) -> str:
    """Writes a duration in ISO 8601 form, hours at most, like Java's `Duration`.

    >>> format_iso_duration(3_661_500_000_000), format_iso_duration(0)
    ('PT1H1M1.5S', 'PT0S')
    """
    if nanos == 0:
        return "PT0S"
    sign = "-" if nanos < 0 else ""
    hours, rest = divmod(abs(nanos), _HOUR)
    minutes, rest = divmod(rest, _MINUTE)
    seconds, rest = divmod(rest, _SECOND)
    text = "PT"
    if hours:
        text += f"{sign}{hours}H"
    if minutes:
        text += f"{sign}{minutes}M"
    if seconds or rest:
        fraction = f".{rest:09d}".rstrip("0") if rest else ""
        text += f"{sign}{seconds}{fraction}S"
    return text


def for_people(millis: float) -> str:
    """Writes a duration in milliseconds for people, rounded.

    >>> for_people(850), for_people(12_300), for_people(3_725_000), for_people(200_000_000)
    ('850 ms', '12.3 s', '1 h 2 min', '2 d 7 h')
    """
    seconds = millis / 1000
    if seconds < 1:
        return f"{millis:.0f} ms"
    if seconds < 60:  # noqa: PLR2004 - of a minute
        return f"{seconds:.1f} s"
    minutes, hours = int(seconds // 60), int(seconds // 3600)
    if not hours:
        return f"{minutes} min {int(seconds % 60)} s"
    days = hours // 24
    return f"{days} d {hours % 24} h" if days else f"{hours} h {minutes % 60} min"
