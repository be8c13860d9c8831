"""What happens when a window fires: the user's window function, in the form its kind asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.context import RuntimeContext
from flott.runtime.windowing.panes import NoPaneStates, PaneStateStore

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.runtime.context import OperatorContext
    from flott.runtime.timers import TimerService
    from flott.runtime.windowing.panes import PaneBackend


class WindowContext:
    """What a ProcessWindowFunction knows besides the records: the window, the time, and state."""

    def __init__(self, context: OperatorContext, timers: TimerService, panes: PaneBackend, merging: bool) -> None:
        self._timers = timers
        self._global = RuntimeContext(context)
        self._states: Any = NoPaneStates() if merging else PaneStateStore(panes, context.clock)
        self.current: Any = None
        """The window that fires."""

    def window(self) -> Any:
        """Return the window."""
        return self.current

    def current_processing_time(self) -> int:
        """Return the time of day in milliseconds since 1970."""
        return self._timers.current_processing_time()

    def current_watermark(self) -> int:
        """Return the event time that was reached."""
        return self._timers.current_watermark()

    def window_state(self) -> Any:
        """Give access to state of the key in this window."""
        return self._states

    def global_state(self) -> Any:
        """Give access to state of the key in all windows."""
        return self._global


class FiringFunction:
    """Hands on what the window holds: the one value it was reduced to, or its records."""

    function: Any = None

    def open(self, context: WindowContext) -> None:
        """Receive the context that the function is called with."""
        self.context = context

    def fire(self, key: Any, window: Any, inputs: list[Any]) -> Iterable[Any] | None:
        """Return the results of a window that fires."""
        return inputs

    def clear(self, window: Any) -> None:
        """Let the function remove its state of a window that is gone for good."""


class Applied(FiringFunction):
    """A WindowFunction; or, for windows of all records, an AllWindowFunction."""

    def __init__(self, function: Any, over_all: bool) -> None:
        self.function = function
        self.over_all = over_all

    def fire(self, key: Any, window: Any, inputs: list[Any]) -> Iterable[Any] | None:
        produced: Iterable[Any] | None = (
            self.function.apply(window, inputs) if self.over_all else self.function.apply(key, window, inputs)
        )
        return produced


class Processed(FiringFunction):
    """A ProcessWindowFunction; or, for windows of all records, a ProcessAllWindowFunction."""

    def __init__(self, function: Any, over_all: bool) -> None:
        self.function = function
        self.over_all = over_all

    def fire(self, key: Any, window: Any, inputs: list[Any]) -> Iterable[Any] | None:
        context, function = self.context, self.function
        context.current = window
        produced: Iterable[Any] | None = (
            function.process(context, inputs) if self.over_all else function.process(key, context, inputs)
        )
        return produced

    def clear(self, window: Any) -> None:
        self.context.current = window
        self.function.clear(self.context)


def firing_function(function: Any, over_all: bool) -> FiringFunction:
    """Return the form of a window function that the operator calls."""
    if function is None:
        return FiringFunction()
    return Processed(function, over_all) if hasattr(function, "process") else Applied(function, over_all)
