"""Windows of fixed size: tumbling, sliding, cumulative; and the global window."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any
from zlib import crc32

from flott.common.time import TimeInterval, to_milliseconds
from flott.runtime.windowing.assigner import TimeWindowAssigner, WindowAssigner
from flott.runtime.windowing.serializers import GlobalWindowSerializer
from flott.runtime.windowing.windows import GlobalWindow, TimeWindow

if TYPE_CHECKING:
    from collections.abc import Collection

    from typing_extensions import Self

    from flott.runtime.windowing.trigger import Trigger

Context = WindowAssigner.WindowAssignerContext


class WindowStagger(Enum):
    """Lets the windows of different subtasks end at different moments, so that not all fire at once."""

    ALIGNED = "aligned"
    """All subtasks fire at the same moments."""
    RANDOM = "random"
    """Each subtask is late by a part of the window size that looks random, and stays the same for ever."""
    NATURAL = "natural"
    """Each subtask's windows start where its first record came."""

    def offset(self, context: Context, size: int) -> int:
        """Returns by how much the windows of this subtask are shifted."""
        if self is WindowStagger.ALIGNED:
            return 0
        if self is WindowStagger.NATURAL:
            return context.get_current_processing_time() % size
        where = context.get_runtime_context()
        seed = f"{where.get_task_name()}/{where.get_index_of_this_subtask()}".encode()
        return size * crc32(seed) >> 32


class _TumblingWindows(TimeWindowAssigner):
    def __init__(self, size: int, offset: int, stagger: WindowStagger = WindowStagger.ALIGNED) -> None:
        if size <= 0 or abs(offset) >= size:
            raise ValueError(
                f"{type(self).__name__}: windows of {size} ms with an offset of {offset} ms are not possible; "
                f"the size is 1 ms or more, and the offset is smaller than the size"
            )
        self._size = size
        self._offset = offset
        self._stagger = stagger
        self.stagger_offset = 0 if stagger is WindowStagger.ALIGNED else None
        """By how much this subtask's windows are shifted; None until the first record decides it."""

    @classmethod
    def of(
        cls, size: TimeInterval, offset: TimeInterval | None = None, stagger: WindowStagger = WindowStagger.ALIGNED
    ) -> Self:
        """Makes windows of one size that follow each other, shifted by an offset.

        Days of China, which is eight hours ahead of UTC: ``of(Duration.of_days(1), Duration.of_hours(-8))``.
        """
        return cls(to_milliseconds(size), 0 if offset is None else to_milliseconds(offset), stagger)

    def assign_windows(self, element: Any, timestamp: int, context: Context) -> Collection[TimeWindow]:
        """Returns the one window of a record."""
        time = self._time(element, timestamp, context)
        if self.stagger_offset is None:
            self.stagger_offset = self._stagger.offset(context, self._size)
        offset = (self._offset + self.stagger_offset) % self._size
        start = time - (time - offset) % self._size
        return (TimeWindow(start, start + self._size),)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._size}, {self._offset})"


class TumblingEventTimeWindows(_TumblingWindows):
    """Windows of one size, one after the other, by the timestamps of records.

    >>> from flott.common.time import Duration
    >>> TumblingEventTimeWindows.of(Duration.of_seconds(10)).assign_windows("a", 12_345, None)
    (TimeWindow(start=10000, end=20000),)
    """

    event_time = True


class TumblingProcessingTimeWindows(_TumblingWindows):
    """Windows of one size, one after the other, by the time of day."""

    event_time = False


class _SlidingWindows(TimeWindowAssigner):
    def __init__(self, size: int, slide: int, offset: int) -> None:
        if size <= 0 or slide <= 0 or abs(offset) >= slide:
            raise ValueError(
                f"{type(self).__name__}: windows of {size} ms every {slide} ms with an offset of {offset} ms are not "
                f"possible; size and slide are 1 ms or more, and the offset is smaller than the slide"
            )
        self._size = size
        self._slide = slide
        self._offset = offset

    @classmethod
    def of(cls, size: TimeInterval, slide: TimeInterval, offset: TimeInterval | None = None) -> Self:
        """Makes windows of one size, one every ``slide``, shifted by an offset."""
        return cls(to_milliseconds(size), to_milliseconds(slide), 0 if offset is None else to_milliseconds(offset))

    def assign_windows(self, element: Any, timestamp: int, context: Context) -> Collection[TimeWindow]:
        """Returns the windows of a record, the latest first; none if it falls between two windows."""
        time = self._time(element, timestamp, context)
        size = self._size
        last = time - (time - self._offset) % self._slide
        return [TimeWindow(start, start + size) for start in range(last, time - size, -self._slide)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._size}, {self._slide}, {self._offset})"


class SlidingEventTimeWindows(_SlidingWindows):
    """Windows of one size, one every slide, by the timestamps of records; they overlap if the slide is smaller.

    >>> from flott.common.time import Duration
    >>> windows = SlidingEventTimeWindows.of(Duration.of_seconds(10), Duration.of_seconds(5))
    >>> windows.assign_windows("a", 12_345, None)
    [TimeWindow(start=10000, end=20000), TimeWindow(start=5000, end=15000)]
    """

    event_time = True


class SlidingProcessingTimeWindows(_SlidingWindows):
    """Windows of one size, one every slide, by the time of day."""

    event_time = False


class _CumulativeWindows(TimeWindowAssigner):
    def __init__(self, max_size: int, step: int, offset: int) -> None:
        if step <= 0 or max_size <= 0 or max_size % step or abs(offset) >= max_size:
            raise ValueError(
                f"{type(self).__name__}: windows that grow by {step} ms up to {max_size} ms with an offset of "
                f"{offset} ms are not possible; the largest size is a multiple of the step, both are 1 ms or more, "
                f"and the offset is smaller than the largest size"
            )
        self._max_size = max_size
        self._step = step
        self._offset = offset

    @classmethod
    def of(cls, max_size: TimeInterval, step: TimeInterval, offset: TimeInterval | None = None) -> Self:
        """Makes windows that start together and grow by a step, until the largest size; then it starts again."""
        return cls(to_milliseconds(max_size), to_milliseconds(step), 0 if offset is None else to_milliseconds(offset))

    def assign_windows(self, element: Any, timestamp: int, context: Context) -> Collection[TimeWindow]:
        """Returns the windows of a record, the smallest first."""
        time = self._time(element, timestamp, context)
        start = time - (time - self._offset) % self._max_size
        first = time - (time - start) % self._step + self._step
        return [TimeWindow(start, end) for end in range(first, start + self._max_size + 1, self._step)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._max_size}, {self._step}, {self._offset})"


class CumulativeEventTimeWindows(_CumulativeWindows):
    """Windows that start together and end one step after the other: a day so far, looked at every hour.

    >>> CumulativeEventTimeWindows.of(30, 10).assign_windows("a", 45, None)
    [TimeWindow(start=30, end=50), TimeWindow(start=30, end=60)]
    """

    event_time = True


class CumulativeProcessingTimeWindows(_CumulativeWindows):
    """Windows that start together and end one step after the other, by the time of day."""

    event_time = False


class GlobalWindows(WindowAssigner[Any, GlobalWindow]):
    """One window for all records of a key. It fires only with a trigger of your choice."""

    @staticmethod
    def create() -> GlobalWindows:
        """Makes the assigner."""
        return GlobalWindows()

    def assign_windows(self, element: Any, timestamp: int, context: Context) -> Collection[GlobalWindow]:
        """Returns the one window."""
        return (GlobalWindow.get(),)

    def get_default_trigger(self, env: Any) -> Trigger[Any, Any]:
        """Returns the trigger that never fires."""
        from flott.runtime.windowing.triggers import NeverTrigger

        return NeverTrigger()

    def get_window_serializer(self) -> GlobalWindowSerializer:
        """Returns how the window is written."""
        return GlobalWindowSerializer()

    def is_event_time(self) -> bool:
        """Says no: the window never ends by time."""
        return False

    def __repr__(self) -> str:
        return "GlobalWindows()"
