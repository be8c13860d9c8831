"""Types of calendar dates and times of day, without a time zone."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from flott.common.typeinfo.base import TypeInformation

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "DateTypeInfo", "LocalTimeTypeInfo", "SqlTimeTypeInfo", "TimeTypeInfo", "TimestampTypeInfo",
]  # fmt: skip

_MICROSECOND = dt.timedelta(microseconds=1)
_MICROS_PER_DAY = 86_400_000_000
_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - a calendar reading, in no time zone
_UTC_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)


class _Temporal(TypeInformation):
    """Equal to every other of its class, as it has no parts."""

    __slots__ = ()

    def need_conversion(self) -> bool:
        """Dates and times become numbers."""
        return True

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return type(self).__name__


class DateTypeInfo(_Temporal):
    """The type of a date; inside, days since 1970-01-01.

    >>> DateTypeInfo().to_internal_type(dt.date(1970, 1, 11))
    10
    """

    __slots__ = ()

    EPOCH_ORDINAL = _EPOCH.toordinal()

    def to_internal_type(self, d: dt.date | None) -> int | None:
        """Returns the days since 1970-01-01."""
        return None if d is None else d.toordinal() - self.EPOCH_ORDINAL

    def from_internal_type(self, v: int | None) -> dt.date | None:
        """Returns the date so many days after 1970-01-01."""
        return None if v is None else dt.date.fromordinal(v + self.EPOCH_ORDINAL)

    def arrow_type(self) -> pa.DataType | None:
        """Returns Arrow's date."""
        import pyarrow as pa

        return pa.date32()


class TimeTypeInfo(_Temporal):
    """The type of a time of day; inside, microseconds since midnight.

    The same in every time zone; only a time that brings its own zone is turned into UTC.

    >>> TimeTypeInfo().to_internal_type(dt.time(0, 0, 1))
    1000000
    """

    __slots__ = ()

    EPOCH_ORDINAL = 0  # Midnight; PyFlink's depends on the time zone of the machine.

    def to_internal_type(self, t: dt.time | None) -> int | None:
        """Returns the microseconds since midnight."""
        if t is None:
            return None
        seconds = (t.hour * 60 + t.minute) * 60 + t.second
        offset = (t.utcoffset() or dt.timedelta()) // _MICROSECOND
        return (seconds * 1_000_000 + t.microsecond - offset) % _MICROS_PER_DAY

    def from_internal_type(self, t: int | None) -> dt.time | None:
        """Returns the time so many microseconds after midnight."""
        if t is None:
            return None
        return (_EPOCH + dt.timedelta(microseconds=t)).time()

    def arrow_type(self) -> pa.DataType | None:
        """Returns Arrow's time of day."""
        import pyarrow as pa

        return pa.time64("us")


class TimestampTypeInfo(_Temporal):
    """The type of a date with a time of day; inside, microseconds since 1970-01-01 00:00.

    The same in every time zone, so that workers agree; only a datetime that brings its own zone is
    turned into UTC.

    >>> TimestampTypeInfo().to_internal_type(dt.datetime(1970, 1, 1, 0, 0, 1))
    1000000
    """

    __slots__ = ()

    def to_internal_type(self, dt: dt.datetime | None) -> int | None:
        """Returns the microseconds since 1970-01-01 00:00."""
        if dt is None:
            return None
        epoch = _EPOCH if dt.utcoffset() is None else _UTC_EPOCH
        return (dt - epoch) // _MICROSECOND

    def from_internal_type(self, ts: int | None) -> dt.datetime | None:
        """Returns the datetime so many microseconds after 1970-01-01 00:00."""
        return None if ts is None else _EPOCH + dt.timedelta(microseconds=ts)

    def arrow_type(self) -> pa.DataType | None:
        """Returns Arrow's timestamp without a time zone."""
        import pyarrow as pa

        return pa.timestamp("us")


class SqlTimeTypeInfo(TypeInformation):
    """Gives access to the SQL types of dates and times."""

    __slots__ = ()

    @staticmethod
    def DATE() -> DateTypeInfo:
        """Returns the type of dates."""
        return DateTypeInfo()

    @staticmethod
    def TIME() -> TimeTypeInfo:
        """Returns the type of times of day."""
        return TimeTypeInfo()

    @staticmethod
    def TIMESTAMP() -> TimestampTypeInfo:
        """Returns the type of dates with a time of day."""
        return TimestampTypeInfo()


@dataclass(frozen=True, slots=True, repr=False)
class LocalTimeTypeInfo(TypeInformation):
    """The type of a local date, time of day, or both.

    >>> LocalTimeTypeInfo(LocalTimeTypeInfo.TimeType.LOCAL_DATE)
    LocalTimeTypeInfo<LOCAL_DATE>
    """

    class TimeType(Enum):
        """Which of the three."""

        LOCAL_DATE = 0
        LOCAL_TIME = 1
        LOCAL_DATE_TIME = 2

    time_type: TimeType

    def arrow_type(self) -> pa.DataType | None:
        """Returns the Arrow type of the SQL type of the same meaning."""
        same = (DateTypeInfo(), TimeTypeInfo(), TimestampTypeInfo())[self.time_type.value]
        return same.arrow_type()

    def __repr__(self) -> str:
        return f"LocalTimeTypeInfo<{self.time_type.name}>"
