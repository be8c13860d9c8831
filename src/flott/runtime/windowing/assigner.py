"""What an assigner is: it says which windows a record belongs to. For user-written ones too."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from flott.common.constants import MIN_LONG_VALUE
from flott.errors import FlottError
from flott.runtime.windowing.windows import TimeWindow

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from flott.common.serializer import TypeSerializer
    from flott.runtime.context import RuntimeContext
    from flott.runtime.windowing.trigger import Trigger

T = TypeVar("T")
W = TypeVar("W")
W2 = TypeVar("W2")


class WindowAssigner(ABC, Generic[T, W]):
    """Says which windows a record belongs to: none, one or several.

    >>> class ByFirstLetter(WindowAssigner):
    ...     def assign_windows(self, element, timestamp, context):
    ...         start = ord(element[0]) * 1000
    ...         return [TimeWindow(start, start + 1000)]
    ...
    ...     def get_default_trigger(self, env):
    ...         from flott.runtime.windowing.triggers import CountTrigger
    ...
    ...         return CountTrigger.of(10)
    ...
    ...     def is_event_time(self):
    ...         return False
    """

    class WindowAssignerContext(ABC):
        """What an assigner knows besides the record."""

        @abstractmethod
        def get_current_processing_time(self) -> int:
            """Returns the time of day in milliseconds since 1970."""

        @abstractmethod
        def get_runtime_context(self) -> RuntimeContext:
            """Returns where the operator runs, and its state."""

    @abstractmethod
    def assign_windows(self, element: T, timestamp: int, context: WindowAssignerContext) -> Collection[W]:
        """Returns the windows of a record; its timestamp is -(2**63) if it has none."""

    @abstractmethod
    def get_default_trigger(self, env: Any) -> Trigger[Any, Any]:
        """Returns the trigger to use when the program names none."""

    def get_window_serializer(self) -> TypeSerializer[W] | None:
        """Returns how windows are written; None to pickle them."""
        return None

    @abstractmethod
    def is_event_time(self) -> bool:
        """Says whether windows go by event time: then they can be late, and end with the watermark."""


class MergingWindowAssigner(WindowAssigner[T, W]):
    """An assigner whose windows may grow together, as sessions do."""

    class MergeCallback(ABC, Generic[W2]):
        """Is told which windows grow together."""

        @abstractmethod
        def merge(self, to_be_merged: Iterable[W2], merge_result: W2) -> None:
            """Says that some windows become one."""

    @abstractmethod
    def merge_windows(self, windows: Iterable[W], callback: MergeCallback[W]) -> None:
        """Says which of the windows of a key grow together."""


class TimeWindowAssigner(WindowAssigner[Any, TimeWindow]):
    """The base of the assigners that cut time into windows, by event time or by the time of day."""

    event_time: bool

    def is_event_time(self) -> bool:
        """Says whether windows go by event time."""
        return self.event_time

    def get_default_trigger(self, env: Any) -> Trigger[Any, Any]:
        """Returns the trigger that fires at the end of the window."""
        from flott.runtime.windowing.triggers import EventTimeTrigger, ProcessingTimeTrigger

        return EventTimeTrigger() if self.event_time else ProcessingTimeTrigger()

    def get_window_serializer(self) -> TypeSerializer[TimeWindow]:
        """Returns how time windows are written."""
        from flott.runtime.windowing.serializers import TimeWindowSerializer

        return TimeWindowSerializer()

    def _time(self, element: Any, timestamp: int, context: WindowAssigner.WindowAssignerContext) -> int:
        """Returns the time that counts for a record."""
        if not self.event_time:
            return context.get_current_processing_time()
        if timestamp == MIN_LONG_VALUE:
            raise no_timestamp(self, element)
        return timestamp


def no_timestamp(assigner: Any, *element: Any) -> FlottError:
    """Returns the error for a record, if it is known, that has no timestamp where one is needed."""
    record = f"record {element[0]!r:.200}" if element else "a record"
    return FlottError(
        f"{type(assigner).__name__} needs event time, but {record} has no timestamp. "
        f"Give the source a WatermarkStrategy with with_timestamp_assigner(...), or call "
        f"stream.assign_timestamps_and_watermarks(...) before the window, or use processing-time windows."
    )
