"""Functions at the ends of a job: a source that is run, a sink that is called for every record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from flott.datastream.functions.base import Function

__all__ = ["SinkFunction", "SourceFunction"]


class SourceFunction(Function):
    """Brings records into a job by running until it is told to stop.

    It runs in the driver. What it collects is written down before it is processed, so that nothing
    has to be asked for twice.

    >>> class Countdown(SourceFunction):
    ...     def run(self, ctx):
    ...         for number in (3, 2, 1):
    ...             ctx.collect(number)
    """

    class SourceContext(ABC):
        """Where a source function puts its records."""

        @abstractmethod
        def collect(self, element: Any) -> None:
            """Takes a record without a timestamp."""

        @abstractmethod
        def collect_with_timestamp(self, element: Any, timestamp: int) -> None:
            """Takes a record with its timestamp, in milliseconds since 1970."""

    @abstractmethod
    def run(self, ctx: SourceContext) -> None:
        """Collects records; returning ends the stream."""

    def cancel(self) -> None:
        """Makes ``run`` return soon; called from another thread."""


class SinkFunction(Function):
    """Takes every record out of the job, one call each.

    A record may come again after a failure. For exactly once, use a Sink with ``sink_to``.

    >>> class Store(SinkFunction):
    ...     def open(self, runtime_context):
    ...         self.stored = []
    ...
    ...     def invoke(self, value, context):
    ...         self.stored.append(value)
    """

    class Context(ABC):
        """What a call knows besides the record."""

        @abstractmethod
        def current_processing_time(self) -> int:
            """Returns the time of day in milliseconds since 1970."""

        @abstractmethod
        def current_watermark(self) -> int:
            """Returns the event time that was reached."""

        @abstractmethod
        def timestamp(self) -> int | None:
            """Returns the timestamp of the record, or None if it has none."""

    @abstractmethod
    def invoke(self, value: Any, context: Context) -> None:
        """Takes a record."""
