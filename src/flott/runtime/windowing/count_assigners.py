"""Windows of so many records of a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.windowing.assigner import WindowAssigner
from flott.runtime.windowing.descriptors import ValueStateDescriptor
from flott.runtime.windowing.serializers import CountWindowSerializer
from flott.runtime.windowing.windows import CountWindow

if TYPE_CHECKING:
    from collections.abc import Collection

    from flott.runtime.windowing.trigger import Trigger

Context = WindowAssigner.WindowAssignerContext


class _CountWindowAssigner(WindowAssigner[Any, CountWindow]):
    _window_size: int
    _counter: ValueStateDescriptor

    def _count(self, context: Context) -> int:
        """Returns how many records of the key came before this one."""
        state = context.get_runtime_context().get_state(self._counter)
        count: int = state.value() or 0
        state.update(count + 1)
        return count

    def get_default_trigger(self, env: Any) -> Trigger[Any, Any]:
        """Returns the trigger that fires when the window is full, and drops its records."""
        from flott.runtime.windowing.triggers import CountTrigger, PurgingTrigger

        return PurgingTrigger.of(CountTrigger.of(self._window_size))

    def get_window_serializer(self) -> CountWindowSerializer:
        """Returns how count windows are written."""
        return CountWindowSerializer()

    def is_event_time(self) -> bool:
        """Says no: the windows go by count."""
        return False


def _checked(who: str, what: str, number: int) -> int:
    if number <= 0:
        raise ValueError(f"{who}: the {what} of a count window is 1 record or more, not {number}")
    return number


class CountTumblingWindowAssigner(_CountWindowAssigner):
    """Windows of so many records of a key, one after the other.

    >>> CountTumblingWindowAssigner.of(100)
    CountTumblingWindowAssigner(100)
    """

    def __init__(self, window_size: int) -> None:
        self._window_size = _checked(type(self).__name__, "size", window_size)
        self._counter = ValueStateDescriptor("tumble-count-assigner")

    @staticmethod
    def of(window_size: int) -> CountTumblingWindowAssigner:
        """Makes windows of so many records."""
        return CountTumblingWindowAssigner(window_size)

    def assign_windows(self, element: Any, timestamp: int, context: Context) -> Collection[CountWindow]:
        """Returns the one window of a record."""
        return (CountWindow(self._count(context) // self._window_size),)

    def __repr__(self) -> str:
        return f"CountTumblingWindowAssigner({self._window_size})"


class CountSlidingWindowAssigner(_CountWindowAssigner):
    """Windows of so many records of a key, a new one every so many records; only full windows fire.

    >>> CountSlidingWindowAssigner.of(100, 10)
    CountSlidingWindowAssigner(100, 10)
    """

    def __init__(self, window_size: int, window_slide: int) -> None:
        self._window_size = _checked(type(self).__name__, "size", window_size)
        self._window_slide = _checked(type(self).__name__, "slide", window_slide)
        self._counter = ValueStateDescriptor("slide-count-assigner")

    @staticmethod
    def of(window_size: int, window_slide: int) -> CountSlidingWindowAssigner:
        """Makes windows of so many records, a new one every so many."""
        return CountSlidingWindowAssigner(window_size, window_slide)

    def assign_windows(self, element: Any, timestamp: int, context: Context) -> Collection[CountWindow]:
        """Returns the windows of a record, the latest first."""
        count = self._count(context)
        size, slide = self._window_size, self._window_slide
        last = count // slide
        first = max(0, -((size - 1 - count) // slide))
        return [CountWindow(number) for number in range(last, first - 1, -1)]

    def __repr__(self) -> str:
        return f"CountSlidingWindowAssigner({self._window_size}, {self._window_slide})"
