"""Windows: names for finite pieces of a stream. They hold no records; those are state kept under the window."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

from flott.common.constants import MAX_LONG_VALUE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.runtime.windowing.assigner import MergingWindowAssigner


class Window(ABC):
    """A finite piece of a stream. One of your own must be hashable, comparable with ``==``, and picklable."""

    __slots__ = ()

    @abstractmethod
    def max_timestamp(self) -> int:
        """Returns the largest timestamp that can still belong to the window."""


# Tuples, because panes are found by hash and equality millions of times, and a tuple does both in C.


class _Span(NamedTuple):
    start: int
    end: int


class _Number(NamedTuple):
    id: int


class _Nothing(NamedTuple):
    pass


class TimeWindow(_Span, Window):
    """An interval of time, from ``start`` (inclusive) to ``end`` (exclusive), in milliseconds.

    >>> window = TimeWindow(0, 10)
    >>> window.max_timestamp(), window.intersects(TimeWindow(10, 20)), window.cover(TimeWindow(15, 20))
    (9, True, TimeWindow(start=0, end=20))
    """

    __slots__ = ()

    def max_timestamp(self) -> int:
        """Returns the last millisecond of the window."""
        return self.end - 1

    def intersects(self, other: TimeWindow) -> bool:
        """Says whether the windows overlap or touch."""
        return self.start <= other.end and self.end >= other.start

    def cover(self, other: TimeWindow) -> TimeWindow:
        """Returns the smallest window that holds both."""
        return TimeWindow(min(self.start, other.start), max(self.end, other.end))

    @staticmethod
    def get_window_start_with_offset(timestamp: int, offset: int, window_size: int) -> int:
        """Returns where the window of a timestamp starts, when windows follow each other without gaps.

        >>> TimeWindow.get_window_start_with_offset(-1, 0, 10)
        -10
        """
        return timestamp - (timestamp - offset) % window_size

    @staticmethod
    def merge_windows(windows: Iterable[TimeWindow], callback: MergingWindowAssigner.MergeCallback[TimeWindow]) -> None:
        """Finds the windows that overlap or touch, and tells the callback what they become together."""
        group: list[TimeWindow] = []
        cover: TimeWindow | None = None
        for window in sorted(set(windows)):
            if cover is not None and cover.intersects(window):
                group.append(window)
                cover = cover.cover(window)
                continue
            if cover is not None and len(group) > 1:
                callback.merge(group, cover)
            group, cover = [window], window
        if cover is not None and len(group) > 1:
            callback.merge(group, cover)


class CountWindow(_Number, Window):
    """So many records of a key, told apart by a number."""

    __slots__ = ()

    def max_timestamp(self) -> int:
        """Returns the end of time: the window does not end by time."""
        return MAX_LONG_VALUE


class GlobalWindow(_Nothing, Window):
    """The one window for all records of a key.

    >>> GlobalWindow.get() == GlobalWindow()
    True
    """

    __slots__ = ()

    @staticmethod
    def get() -> GlobalWindow:
        """Returns the window."""
        return _GLOBAL

    def max_timestamp(self) -> int:
        """Returns the end of time: the window does not end by time."""
        return MAX_LONG_VALUE

    def __repr__(self) -> str:
        return "GlobalWindow"


_GLOBAL = GlobalWindow()
