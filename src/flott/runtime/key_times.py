"""Dates and times as keys: a time with a zone is its instant."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from flott.runtime.key_classes import refusal

if TYPE_CHECKING:
    from collections.abc import Callable

NAT = np.datetime64("NaT")
"""The one NaT among keys: it equals nothing, so dictionaries find it by its identity."""

DAY = timedelta(days=1)
LAST = time.max


def of_date(key: date) -> date:
    """Return a date without what a subclass adds."""
    return date(key.year, key.month, key.day)


def of_datetime(key: datetime) -> datetime:
    """Return a time of day of a date; with a zone, the instant in UTC.

    >>> of_datetime(datetime(2024, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))).isoformat()
    '2024-05-01T10:00:00+00:00'
    """
    offset = key.utcoffset()
    naive = datetime(key.year, key.month, key.day, key.hour, key.minute, key.second, key.microsecond)  # noqa: DTZ001
    if offset is None:
        return naive
    try:
        return (naive - offset).replace(tzinfo=timezone.utc)
    except OverflowError:
        raise refusal(type(key), "whose instant is before year 1 or after 9999", "an integer or a string") from None


def of_time(key: time) -> time:
    """Return a time of day; those with a zone are equal when they are at UTC, which may be on the day before or after.

    >>> of_time(time(1, tzinfo=timezone(timedelta(hours=2)))).isoformat()
    '00:00:00+01:00'
    """
    naive, offset = time(key.hour, key.minute, key.second, key.microsecond), key.utcoffset()
    if offset is None:
        return naive
    since = timedelta(hours=key.hour, minutes=key.minute, seconds=key.second, microseconds=key.microsecond) - offset
    if since < timedelta(0):
        return time(0, tzinfo=timezone(-since))
    if since >= DAY:
        last = DAY - timedelta(microseconds=1)
        return LAST.replace(tzinfo=timezone(last - since))
    return (datetime(1, 1, 1) + since).time().replace(tzinfo=timezone.utc)  # noqa: DTZ001


def of_timedelta(key: timedelta) -> timedelta:
    """Return a span without what a subclass adds."""
    return timedelta(key.days, key.seconds, key.microseconds)


def of_numpy_time(key: Any) -> Any:
    """Return a numpy time or span as Python has it; as numpy's, in nanoseconds, if it is finer than Python's."""
    if np.isnat(key):
        return NAT
    name = "datetime64" if isinstance(key, np.datetime64) else "timedelta64"
    for unit in ("us", "ns"):
        made = key.astype(f"{name}[{unit}]")
        if np.datetime_data(key.dtype)[0] != "generic" and made.astype(key.dtype) == key:
            found = made.item() if unit == "us" else made
            if not isinstance(found, int):
                return found
    raise refusal(type(key), "which is too fine, or too far away, for a time in Python", "an integer or a string")


@cache
def pandas_times() -> dict[type, Callable[[Any], Any]]:
    """Return the canonical forms of pandas' times; asked for only when pandas has been imported."""
    import pandas as pd  # it takes long, and most programs have none of its times as keys

    def of_timestamp(key: Any) -> Any:
        if not key.nanosecond:
            return of_datetime(key)
        return of_numpy_time(key.to_datetime64()) if key.tzinfo is None else key.tz_convert("UTC")

    return {
        type(pd.NaT): lambda _: NAT,
        pd.Timestamp: of_timestamp,
        pd.Timedelta: lambda key: of_numpy_time(key.to_timedelta64()),
    }


TIMES: dict[type, Callable[[Any], Any]] = {
    date: of_date,
    datetime: of_datetime,
    time: of_time,
    timedelta: of_timedelta,
    np.datetime64: of_numpy_time,
    np.timedelta64: of_numpy_time,
    UUID: lambda key: UUID(int=key.int),
}
