"""The built-in triggers."""

from __future__ import annotations

from operator import add
from typing import TYPE_CHECKING, Any

from flott.common.time import TimeInterval, to_milliseconds
from flott.runtime.windowing.descriptors import ReducingStateDescriptor, ValueStateDescriptor
from flott.runtime.windowing.trigger import Trigger, TriggerResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.windowing.windows import TimeWindow, Window

CONTINUE, FIRE = TriggerResult.CONTINUE, TriggerResult.FIRE
Context = Trigger.TriggerContext
OnMergeContext = Trigger.OnMergeContext


class EventTimeTrigger(Trigger[Any, "TimeWindow"]):
    """Fires when the watermark reaches the end of the window, and for every late record after that."""

    @staticmethod
    def create() -> EventTimeTrigger:
        """Makes the trigger."""
        return EventTimeTrigger()

    def on_element(self, element: Any, timestamp: int, window: TimeWindow, ctx: Context) -> TriggerResult:
        if window.max_timestamp() <= ctx.get_current_watermark():
            return FIRE
        ctx.register_event_time_timer(window.max_timestamp())
        return CONTINUE

    def on_processing_time(self, time: int, window: TimeWindow, ctx: Context) -> TriggerResult:
        return CONTINUE

    def on_event_time(self, time: int, window: TimeWindow, ctx: Context) -> TriggerResult:
        return FIRE if time == window.max_timestamp() else CONTINUE

    def can_merge(self) -> bool:
        return True

    def on_merge(self, window: TimeWindow, ctx: OnMergeContext) -> None:
        # If the end is past, the record that made the windows merge fires right away.
        if window.max_timestamp() > ctx.get_current_watermark():
            ctx.register_event_time_timer(window.max_timestamp())

    def clear(self, window: TimeWindow, ctx: Context) -> None:
        ctx.delete_event_time_timer(window.max_timestamp())


class ProcessingTimeTrigger(Trigger[Any, "TimeWindow"]):
    """Fires when the time of day reaches the end of the window."""

    @staticmethod
    def create() -> ProcessingTimeTrigger:
        """Makes the trigger."""
        return ProcessingTimeTrigger()

    def on_element(self, element: Any, timestamp: int, window: TimeWindow, ctx: Context) -> TriggerResult:
        ctx.register_processing_time_timer(window.max_timestamp())
        return CONTINUE

    def on_processing_time(self, time: int, window: TimeWindow, ctx: Context) -> TriggerResult:
        return FIRE

    def on_event_time(self, time: int, window: TimeWindow, ctx: Context) -> TriggerResult:
        return CONTINUE

    def can_merge(self) -> bool:
        return True

    def on_merge(self, window: TimeWindow, ctx: OnMergeContext) -> None:
        if window.max_timestamp() > ctx.get_current_processing_time():
            ctx.register_processing_time_timer(window.max_timestamp())

    def clear(self, window: TimeWindow, ctx: Context) -> None:
        ctx.delete_processing_time_timer(window.max_timestamp())


class CountTrigger(Trigger[Any, "Window"]):
    """Fires each time so many records have come.

    >>> CountTrigger.of(100)
    CountTrigger(100)
    """

    def __init__(self, window_size: int) -> None:
        self._window_size = window_size
        self._counter = ReducingStateDescriptor("count", add)

    @staticmethod
    def of(window_size: int) -> CountTrigger:
        """Makes a trigger that fires at every ``window_size``-th record."""
        return CountTrigger(window_size)

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Context) -> TriggerResult:
        count = ctx.get_partitioned_state(self._counter)
        count.add(1)
        if count.get() >= self._window_size:
            count.clear()
            return FIRE
        return CONTINUE

    def on_processing_time(self, time: int, window: Window, ctx: Context) -> TriggerResult:
        return CONTINUE

    def on_event_time(self, time: int, window: Window, ctx: Context) -> TriggerResult:
        return CONTINUE

    def can_merge(self) -> bool:
        return True

    def on_merge(self, window: Window, ctx: OnMergeContext) -> None:
        ctx.merge_partitioned_state(self._counter)

    def clear(self, window: Window, ctx: Context) -> None:
        ctx.get_partitioned_state(self._counter).clear()

    def __repr__(self) -> str:
        return f"CountTrigger({self._window_size})"


class PurgingTrigger(Trigger[Any, "Window"]):
    """Makes another trigger drop the records whenever it fires.

    >>> PurgingTrigger.of(CountTrigger.of(5))
    PurgingTrigger(CountTrigger(5))
    """

    def __init__(self, nested_trigger: Trigger[Any, Any]) -> None:
        self.nested_trigger = nested_trigger

    @staticmethod
    def of(nested_trigger: Trigger[Any, Any]) -> PurgingTrigger:
        """Makes a purging trigger of another."""
        return PurgingTrigger(nested_trigger)

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Context) -> TriggerResult:
        return _purging(self.nested_trigger.on_element(element, timestamp, window, ctx))

    def on_processing_time(self, time: int, window: Window, ctx: Context) -> TriggerResult:
        return _purging(self.nested_trigger.on_processing_time(time, window, ctx))

    def on_event_time(self, time: int, window: Window, ctx: Context) -> TriggerResult:
        return _purging(self.nested_trigger.on_event_time(time, window, ctx))

    def can_merge(self) -> bool:
        return self.nested_trigger.can_merge()

    def on_merge(self, window: Window, ctx: OnMergeContext) -> None:
        self.nested_trigger.on_merge(window, ctx)

    def clear(self, window: Window, ctx: Context) -> None:
        self.nested_trigger.clear(window, ctx)

    def __repr__(self) -> str:
        return f"PurgingTrigger({self.nested_trigger!r})"


def _purging(result: TriggerResult) -> TriggerResult:
    return TriggerResult.FIRE_AND_PURGE if result.is_fire() else result


class NeverTrigger(Trigger[Any, "Window"]):
    """Never fires: what global windows do if told nothing else."""

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Context) -> TriggerResult:
        return CONTINUE

    def on_processing_time(self, time: int, window: Window, ctx: Context) -> TriggerResult:
        return CONTINUE

    def on_event_time(self, time: int, window: Window, ctx: Context) -> TriggerResult:
        return CONTINUE

    def on_merge(self, window: Window, ctx: OnMergeContext) -> None:
        pass

    def clear(self, window: Window, ctx: Context) -> None:
        pass


class DeltaTrigger(Trigger[Any, "Window"]):
    """Fires when a record is further than a threshold from the one at which it fired last.

    >>> DeltaTrigger.of(10, lambda before, now: abs(now - before))
    DeltaTrigger(10)
    """

    def __init__(self, threshold: float, delta_function: Callable[[Any, Any], float]) -> None:
        self._threshold = threshold
        self._delta: Callable[[Any, Any], float] = getattr(delta_function, "get_delta", delta_function)
        self._last = ValueStateDescriptor("last-element")

    @staticmethod
    def of(threshold: float, delta_function: Callable[[Any, Any], float]) -> DeltaTrigger:
        """Makes a trigger of a threshold and a function of the old and the new record."""
        return DeltaTrigger(threshold, delta_function)

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Context) -> TriggerResult:
        state = ctx.get_partitioned_state(self._last)
        last = state.value()
        if last is None:
            state.update((element,))
        elif self._delta(last[0], element) > self._threshold:
            state.update((element,))
            return FIRE
        return CONTINUE

    def on_processing_time(self, time: int, window: Window, ctx: Context) -> TriggerResult:
        return CONTINUE

    def on_event_time(self, time: int, window: Window, ctx: Context) -> TriggerResult:
        return CONTINUE

    def clear(self, window: Window, ctx: Context) -> None:
        ctx.get_partitioned_state(self._last).clear()

    def __repr__(self) -> str:
        return f"DeltaTrigger({self._threshold})"


class ProcessingTimeoutTrigger(Trigger[Any, "Window"]):
    """Makes another trigger fire also when a while has passed since the first record, or since the last.

    >>> ProcessingTimeoutTrigger.of(CountTrigger.of(100), 5000)
    ProcessingTimeoutTrigger(CountTrigger(100), 5000)
    """

    def __init__(
        self,
        nested_trigger: Trigger[Any, Any],
        interval: int,
        reset_timer_on_new_record: bool = False,
        should_clear_on_timeout: bool = True,
    ) -> None:
        self._nested = nested_trigger
        self._interval = interval
        self._reset = reset_timer_on_new_record
        self._clears = should_clear_on_timeout
        self._timeout = ValueStateDescriptor("timeout")

    @staticmethod
    def of(
        nested_trigger: Trigger[Any, Any],
        timeout: TimeInterval,
        reset_timer_on_new_record: bool = False,
        should_clear_on_timeout: bool = True,
    ) -> ProcessingTimeoutTrigger:
        """Makes a trigger with a timeout of another.

        Args:
            nested_trigger: The trigger that decides until then.
            timeout: How long to wait at most.
            reset_timer_on_new_record: Whether the wait begins again with every record.
            should_clear_on_timeout: Whether the other trigger starts anew after the timeout.
        """
        return ProcessingTimeoutTrigger(
            nested_trigger, to_milliseconds(timeout), reset_timer_on_new_record, should_clear_on_timeout
        )

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Context) -> TriggerResult:
        result = self._nested.on_element(element, timestamp, window, ctx)
        if result.is_fire():
            self.clear(window, ctx)
            return result
        state = ctx.get_partitioned_state(self._timeout)
        due = state.value()
        if due is not None and self._reset:
            ctx.delete_processing_time_timer(due)
            due = None
        if due is None:
            due = ctx.get_current_processing_time() + self._interval
            state.update(due)
            ctx.register_processing_time_timer(due)
        return result

    def on_processing_time(self, time: int, window: Window, ctx: Context) -> TriggerResult:
        return self._timed_out(self._nested.on_processing_time(time, window, ctx), window, ctx)

    def on_event_time(self, time: int, window: Window, ctx: Context) -> TriggerResult:
        return self._timed_out(self._nested.on_event_time(time, window, ctx), window, ctx)

    def _timed_out(self, result: TriggerResult, window: Window, ctx: Context) -> TriggerResult:
        if self._clears:
            self.clear(window, ctx)
        return TriggerResult.FIRE_AND_PURGE if result.is_purge() else FIRE

    def clear(self, window: Window, ctx: Context) -> None:
        state = ctx.get_partitioned_state(self._timeout)
        due = state.value()
        if due is not None:
            ctx.delete_processing_time_timer(due)
            state.clear()
        self._nested.clear(window, ctx)

    def __repr__(self) -> str:
        return f"ProcessingTimeoutTrigger({self._nested!r}, {self._interval})"
