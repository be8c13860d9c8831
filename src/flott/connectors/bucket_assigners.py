"""Which directory of a file sink a record goes to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from flott.connectors.date_pattern import DatePattern


class BucketContext:
    """What a bucket assigner can know beside the record."""

    __slots__ = ("_processing_time", "_timestamp")

    def __init__(self) -> None:
        self._processing_time = 0
        self._timestamp: int | None = None

    def move_to(self, processing_time: int, timestamp: int | None) -> None:
        """Speak of the next record."""
        self._processing_time = processing_time
        self._timestamp = timestamp

    def current_processing_time(self) -> int:
        """Return the time of day, in milliseconds since 1970."""
        return self._processing_time

    def timestamp(self) -> int | None:
        """Return the record's timestamp, or None if it has none."""
        return self._timestamp


class BucketAssigner(ABC):
    """Names the directory that a record is written to, below the sink's base path; subclass it for your own.

    >>> class ByCountry(BucketAssigner):
    ...     def get_bucket_id(self, element, context):
    ...         return f"country={element['country']}"
    >>> ByCountry().get_bucket_id({"country": "de"}, BucketContext())
    'country=de'
    """

    @abstractmethod
    def get_bucket_id(self, element: Any, context: BucketContext) -> str:
        """Return the directory of a record, relative to the base path; '' is the base path itself."""

    @staticmethod
    def base_path_bucket_assigner() -> BucketAssigner:
        """Return the assigner that writes everything to the base path."""
        return BasePathBucketAssigner()

    @staticmethod
    def date_time_bucket_assigner(format_str: str = "yyyy-MM-dd--HH", timezone_id: str | None = None) -> BucketAssigner:
        """Return the assigner that goes by the time of day at which a record is written.

        ``timezone_id`` is 'Europe/Berlin', 'UTC', 'GMT+02:00' or the like; None means that of the machine.
        """
        return DateTimeBucketAssigner(format_str, timezone_id)


class BasePathBucketAssigner(BucketAssigner):
    """Writes everything to the base path."""

    def get_bucket_id(self, element: Any, context: BucketContext) -> str:
        return ""


class DateTimeBucketAssigner(BucketAssigner):
    """Goes by the time of day at which a record is written."""

    def __init__(self, format_str: str, timezone_id: str | None = None) -> None:
        self._pattern = DatePattern(format_str, timezone_id)
        self._unit = 1 if self._pattern.has_millis else 1000
        self._last: tuple[int | None, str] = (None, "")

    def get_bucket_id(self, element: Any, context: BucketContext) -> str:
        now = context.current_processing_time()
        moment = now // self._unit
        if moment != self._last[0]:
            self._last = (moment, self._pattern.format(now))
        return self._last[1]
