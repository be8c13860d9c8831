"""Sessions: windows that end when nothing came for a while."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from flott.common.time import TimeInterval, to_milliseconds
from flott.errors import FlottError
from flott.runtime.windowing.assigner import MergingWindowAssigner, TimeWindowAssigner, WindowAssigner
from flott.runtime.windowing.windows import TimeWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

Context = WindowAssigner.WindowAssignerContext


class SessionWindowTimeGapExtractor(ABC):
    """Says, for each record, for how long it keeps its session open.

    >>> class ByDevice(SessionWindowTimeGapExtractor):
    ...     def extract(self, element):
    ...         return 60_000 if element["mobile"] else 600_000
    """

    @abstractmethod
    def extract(self, element: Any) -> int:
        """Returns the gap in milliseconds."""


class _SessionWindows(TimeWindowAssigner, MergingWindowAssigner[Any, TimeWindow]):
    def merge_windows(
        self, windows: Iterable[TimeWindow], callback: MergingWindowAssigner.MergeCallback[TimeWindow]
    ) -> None:
        """Lets sessions that overlap or touch become one."""
        TimeWindow.merge_windows(windows, callback)


class _FixedGap(_SessionWindows):
    def __init__(self, session_gap: int) -> None:
        if session_gap <= 0:
            raise ValueError(f"{type(self).__name__}: the gap between sessions is 1 ms or more, not {session_gap}")
        self._session_gap = session_gap

    def assign_windows(self, element: Any, timestamp: int, context: Context) -> Collection[TimeWindow]:
        """Returns a session of this record alone; it is merged with those it touches."""
        time = self._time(element, timestamp, context)
        return (TimeWindow(time, time + self._session_gap),)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._session_gap})"


class _DynamicGap(_SessionWindows):
    def __init__(self, session_window_time_gap_extractor: SessionWindowTimeGapExtractor | Callable[[Any], int]) -> None:
        extractor = session_window_time_gap_extractor
        self._extractor = extractor
        self._extract = extractor.extract if isinstance(extractor, SessionWindowTimeGapExtractor) else extractor

    def assign_windows(self, element: Any, timestamp: int, context: Context) -> Collection[TimeWindow]:
        """Returns a session of this record alone; it is merged with those it touches."""
        time = self._time(element, timestamp, context)
        gap = self._extract(element)
        if gap <= 0:
            raise FlottError(
                f"{type(self).__name__}: the gap extractor returned {gap} for record {element!r:.200}; "
                f"a gap is 1 ms or more"
            )
        return (TimeWindow(time, time + gap),)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({type(self._extractor).__name__})"


class EventTimeSessionWindows(_FixedGap):
    """Sessions by the timestamps of records: they end when no record came for the length of the gap.

    >>> EventTimeSessionWindows.with_gap(1000).assign_windows("a", 12_345, None)
    (TimeWindow(start=12345, end=13345),)
    """

    event_time = True

    @staticmethod
    def with_gap(size: TimeInterval) -> EventTimeSessionWindows:
        """Makes sessions with a gap of one length."""
        return EventTimeSessionWindows(to_milliseconds(size))

    @staticmethod
    def with_dynamic_gap(
        extractor: SessionWindowTimeGapExtractor | Callable[[Any], int],
    ) -> DynamicEventTimeSessionWindows:
        """Makes sessions with a gap that depends on the record."""
        return DynamicEventTimeSessionWindows(extractor)


class ProcessingTimeSessionWindows(_FixedGap):
    """Sessions by the time of day: they end when no record came for the length of the gap."""

    event_time = False

    @staticmethod
    def with_gap(size: TimeInterval) -> ProcessingTimeSessionWindows:
        """Makes sessions with a gap of one length."""
        return ProcessingTimeSessionWindows(to_milliseconds(size))

    @staticmethod
    def with_dynamic_gap(
        extractor: SessionWindowTimeGapExtractor | Callable[[Any], int],
    ) -> DynamicProcessingTimeSessionWindows:
        """Makes sessions with a gap that depends on the record."""
        return DynamicProcessingTimeSessionWindows(extractor)


class DynamicEventTimeSessionWindows(_DynamicGap):
    """Sessions by the timestamps of records, with a gap that depends on the record.

    >>> windows = DynamicEventTimeSessionWindows.with_dynamic_gap(lambda record: record["gap"])
    >>> windows.assign_windows({"gap": 5}, 100, None)
    (TimeWindow(start=100, end=105),)
    """

    event_time = True

    @staticmethod
    def with_dynamic_gap(
        extractor: SessionWindowTimeGapExtractor | Callable[[Any], int],
    ) -> DynamicEventTimeSessionWindows:
        """Makes sessions with a gap that depends on the record."""
        return DynamicEventTimeSessionWindows(extractor)


class DynamicProcessingTimeSessionWindows(_DynamicGap):
    """Sessions by the time of day, with a gap that depends on the record."""

    event_time = False

    @staticmethod
    def with_dynamic_gap(
        extractor: SessionWindowTimeGapExtractor | Callable[[Any], int],
    ) -> DynamicProcessingTimeSessionWindows:
        """Makes sessions with a gap that depends on the record."""
        return DynamicProcessingTimeSessionWindows(extractor)
