"""Java's date patterns, such as ``yyyy-MM-dd--HH``, as far as directory names need them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from flott.errors import GraphError

TOKEN = re.compile(r"'(?P<quoted>(?:[^']|'')*)'|(?P<field>([A-Za-z])\3*)|(?P<literal>[^A-Za-z']+)")
OFFSET = re.compile(r"(?:GMT|UTC|UT)?([+-])(\d{1,2})(?::?(\d{2}))?")

FIELDS = {
    "yyyy": "{0:%Y}", "uuuu": "{0:%Y}", "yy": "{0:%y}",
    "MM": "{0:%m}", "M": "{0.month}", "dd": "{0:%d}", "d": "{0.day}", "DDD": "{0:%j}",
    "HH": "{0:%H}", "H": "{0.hour}", "mm": "{0:%M}", "m": "{0.minute}", "ss": "{0:%S}", "s": "{0.second}",
    "SSS": "{1:03d}",
}  # fmt: skip


class DatePattern:
    """Formats a time by one of Java's date patterns.

    >>> DatePattern("yyyy-MM-dd--HH", "UTC").format(1_700_000_000_000)
    '2023-11-14--22'
    """

    def __init__(self, pattern: str, timezone_id: str | None = None) -> None:
        self.pattern = pattern
        self._template = "".join(_template(pattern))
        self._zone = None if timezone_id is None else _zone(timezone_id)

    def format(self, timestamp: int) -> str:
        """Return milliseconds since 1970 as the pattern shows them."""
        seconds, millis = divmod(timestamp, 1000)
        # No zone: that of the machine, which is what is meant.
        return self._template.format(datetime.fromtimestamp(seconds, self._zone), millis)

    @property
    def has_millis(self) -> bool:
        """Whether two times within one second may look different."""
        return "{1" in self._template


def _template(pattern: str) -> list[str]:
    parts: list[str] = []
    position = 0
    while position < len(pattern):
        match = TOKEN.match(pattern, position)
        if match is None:
            raise GraphError(f"date pattern '{pattern}': the quote at position {position} is never closed")
        field = match["field"]
        if field is not None and field not in FIELDS:
            raise GraphError(f"date pattern '{pattern}': '{field}' is not known; there are {', '.join(FIELDS)}")
        text = match["literal"] if match["quoted"] is None else match["quoted"].replace("''", "'") or "'"
        parts.append(FIELDS[field] if field is not None else text.replace("{", "{{").replace("}", "}}"))
        position = match.end()
    return parts


def _zone(timezone_id: str) -> tzinfo:
    offset = OFFSET.fullmatch(timezone_id)
    if offset is not None:
        size = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        return timezone(size if offset[1] == "+" else -size)
    try:
        return ZoneInfo("UTC" if timezone_id == "Z" else timezone_id)
    except (ZoneInfoNotFoundError, ValueError):
        raise GraphError(
            f"there is no time zone '{timezone_id}'; write it as 'Europe/Berlin', 'UTC' or 'GMT+02:00'"
        ) from None
