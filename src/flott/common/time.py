"""Lengths of time and points in time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from flott.common.duration_text import format_iso_duration, parse_duration

__all__ = ["Duration", "Instant", "Time", "TimeInterval", "to_milliseconds"]

_NANOS_PER_MICRO = 1_000
_NANOS_PER_MILLI = 1_000_000
_NANOS_PER_SECOND = 1_000_000_000


def _whole(amount: int, unit: str) -> int:
    if not isinstance(amount, int):
        raise TypeError(
            f"a duration takes a whole number of {unit}, not {amount!r}; "
            "for a part of it use a smaller unit, such as Duration.of_millis(500)"
        )
    return amount


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A length of time, exact to the nanosecond.

    >>> Duration.of_seconds(90) == Duration.parse("90 s")
    True
    >>> Duration.of_seconds(90).to_millis()
    90000
    >>> Duration.of_millis(1500) < Duration.of_minutes(1)
    True
    >>> Duration.of_minutes(90)
    Duration(PT1H30M)
    """

    nanos: int

    @staticmethod
    def of_days(days: int) -> Duration:
        """Returns a duration of so many days of 24 hours."""
        return Duration.of_seconds(_whole(days, "days") * 86_400)

    @staticmethod
    def of_hours(hours: int) -> Duration:
        """Returns a duration of so many hours."""
        return Duration.of_seconds(_whole(hours, "hours") * 3_600)

    @staticmethod
    def of_minutes(minutes: int) -> Duration:
        """Returns a duration of so many minutes."""
        return Duration.of_seconds(_whole(minutes, "minutes") * 60)

    @staticmethod
    def of_seconds(seconds: int) -> Duration:
        """Returns a duration of so many seconds."""
        return Duration(_whole(seconds, "seconds") * _NANOS_PER_SECOND)

    @staticmethod
    def of_millis(millis: int) -> Duration:
        """Returns a duration of so many milliseconds."""
        return Duration(_whole(millis, "milliseconds") * _NANOS_PER_MILLI)

    @staticmethod
    def of_nanos(nanos: int) -> Duration:
        """Returns a duration of so many nanoseconds."""
        return Duration(_whole(nanos, "nanoseconds"))

    @staticmethod
    def of(interval: TimeInterval) -> Duration:
        """Returns the duration of a Time, a timedelta, or an int in milliseconds."""
        if isinstance(interval, Duration):
            return interval
        if isinstance(interval, timedelta):
            return Duration(interval // timedelta(microseconds=1) * _NANOS_PER_MICRO)
        return Duration.of_millis(to_milliseconds(interval))

    @staticmethod
    def parse(text: str) -> Duration:
        """Reads `10 s`, `200 ms`, `1 min`, or the ISO form `PT10S`; no unit means milliseconds."""
        return Duration(parse_duration(text))

    def to_nanos(self) -> int:
        """Returns the duration in nanoseconds."""
        return self.nanos

    def to_millis(self) -> int:
        """Returns the duration in whole milliseconds; what is left over is cut off."""
        millis = abs(self.nanos) // _NANOS_PER_MILLI
        return -millis if self.nanos < 0 else millis

    def to_seconds(self) -> float:
        """Returns the duration in seconds, as a float: what Python's own clocks take."""
        return self.nanos / _NANOS_PER_SECOND

    def to_timedelta(self) -> timedelta:
        """Returns the duration as a timedelta; what is below a microsecond is cut off."""
        micros = abs(self.nanos) // _NANOS_PER_MICRO
        return timedelta(microseconds=-micros if self.nanos < 0 else micros)

    def is_zero(self) -> bool:
        """Says whether the duration has no length."""
        return self.nanos == 0

    def is_negative(self) -> bool:
        """Says whether the duration is below zero."""
        return self.nanos < 0

    def __str__(self) -> str:
        return format_iso_duration(self.nanos)

    def __repr__(self) -> str:
        return f"Duration({self})"


@dataclass(frozen=True, slots=True, order=True, repr=False)
class Instant:
    """A point in time: seconds since 1970-01-01 UTC, and nanoseconds after that second.

    >>> Instant.of_epoch_milli(1500)
    Instant<1, 500000000>
    >>> Instant.of_epoch_milli(-1).to_epoch_milli()
    -1
    """

    seconds: int
    nanos: int

    def to_epoch_milli(self) -> int:
        """Returns the milliseconds since 1970-01-01 UTC, rounded down."""
        return self.seconds * 1000 + self.nanos // _NANOS_PER_MILLI

    @staticmethod
    def of_epoch_milli(epoch_milli: int) -> Instant:
        """Returns the instant so many milliseconds after 1970-01-01 UTC."""
        seconds, millis = divmod(epoch_milli, 1000)
        return Instant(seconds, millis * _NANOS_PER_MILLI)

    @staticmethod
    def of_epoch_second(epoch_second: int, nano_adjustment: int = 0) -> Instant:
        """Returns the instant so many seconds after 1970-01-01 UTC, plus any nanoseconds."""
        carry, nanos = divmod(nano_adjustment, _NANOS_PER_SECOND)
        return Instant(epoch_second + carry, nanos)

    def __repr__(self) -> str:
        return f"Instant<{self.seconds}, {self.nanos}>"


class Time:
    """A length of time in milliseconds, as window sizes and gaps are given.

    >>> Time.minutes(5).to_milliseconds()
    300000
    >>> str(Time.seconds(1))
    '1000 ms'
    """

    __slots__ = ("_milliseconds",)

    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds

    def to_milliseconds(self) -> int:
        """Returns the length in milliseconds."""
        return self._milliseconds

    @staticmethod
    def milliseconds(milliseconds: int) -> Time:
        """Returns a time of so many milliseconds."""
        return Time(milliseconds)

    @staticmethod
    def seconds(seconds: int) -> Time:
        """Returns a time of so many seconds."""
        return Time(seconds * 1000)

    @staticmethod
    def minutes(minutes: int) -> Time:
        """Returns a time of so many minutes."""
        return Time(minutes * 60_000)

    @staticmethod
    def hours(hours: int) -> Time:
        """Returns a time of so many hours."""
        return Time(hours * 3_600_000)

    @staticmethod
    def days(days: int) -> Time:
        """Returns a time of so many days of 24 hours."""
        return Time(days * 86_400_000)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Time) and self._milliseconds == other._milliseconds

    def __hash__(self) -> int:
        return hash(self._milliseconds)

    def __str__(self) -> str:
        return f"{self._milliseconds} ms"

    def __repr__(self) -> str:
        return f"Time({self})"


TimeInterval = Duration | Time | timedelta | int
"""Whatever may stand for a length of time; an int is milliseconds."""


def to_milliseconds(interval: TimeInterval) -> int:
    """Returns a length of time in milliseconds, however it was given.

    >>> to_milliseconds(Duration.of_seconds(2)), to_milliseconds(timedelta(seconds=2))
    (2000, 2000)
    """
    if isinstance(interval, Duration):
        return interval.to_millis()
    if isinstance(interval, Time):
        return interval.to_milliseconds()
    if isinstance(interval, timedelta):
        return interval // timedelta(milliseconds=1)
    if type(interval) is int:
        return interval
    raise TypeError(
        f"{interval!r} is no length of time: give a Duration, a Time, a timedelta, or an int in milliseconds"
    )
