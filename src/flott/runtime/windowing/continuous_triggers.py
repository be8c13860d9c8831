"""Triggers that fire again and again while a window is open: early results."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from flott.common.time import TimeInterval, to_milliseconds
from flott.runtime.windowing.descriptors import ReducingStateDescriptor
from flott.runtime.windowing.trigger import Trigger, TriggerResult

if TYPE_CHECKING:
    from flott.runtime.windowing.windows import Window

CONTINUE, FIRE = TriggerResult.CONTINUE, TriggerResult.FIRE
Context = Trigger.TriggerContext
OnMergeContext = Trigger.OnMergeContext


class _ContinuousTrigger(Trigger[Any, "Window"]):
    """Keeps the next moment to fire as state: the earliest one, when windows are merged."""

    def __init__(self, interval: int) -> None:
        if interval <= 0:
            raise ValueError(f"{type(self).__name__}: the interval is 1 ms or more, not {interval}")
        self.interval = interval
        self._fire_time = ReducingStateDescriptor("fire-time", min)

    def _plan_first(self, time: int, window: Window, ctx: Context) -> None:
        state = ctx.get_partitioned_state(self._fire_time)
        if state.get() is None:
            self.register_next_fire_timestamp(time - time % self.interval, window, ctx, state)

    def register_next_fire_timestamp(self, time: int, window: Window, ctx: Context, fire_timestamp_state: Any) -> None:
        """Plans to fire one interval after a time, but not after the window's end, and keeps that in state."""
        following = min(time + self.interval, window.max_timestamp())
        fire_timestamp_state.add(following)
        self._register(following, ctx)

    def _fires(self, time: int, window: Window, ctx: Context) -> TriggerResult:
        state = ctx.get_partitioned_state(self._fire_time)
        if state.get() != time:
            return CONTINUE
        state.clear()
        self.register_next_fire_timestamp(time, window, ctx, state)
        return FIRE

    @abstractmethod
    def _register(self, time: int, ctx: Context) -> None:
        """Registers a timer."""

    @abstractmethod
    def _delete(self, time: int, ctx: Context) -> None:
        """Takes a timer back."""

    def can_merge(self) -> bool:
        return True

    def on_merge(self, window: Window, ctx: OnMergeContext) -> None:
        ctx.merge_partitioned_state(self._fire_time)
        following = ctx.get_partitioned_state(self._fire_time).get()
        if following is not None:
            self._register(following, ctx)

    def clear(self, window: Window, ctx: Context) -> None:
        state = ctx.get_partitioned_state(self._fire_time)
        following = state.get()
        if following is not None:
            self._delete(following, ctx)
            state.clear()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.interval})"


class ContinuousEventTimeTrigger(_ContinuousTrigger):
    """Fires at every interval of event time, and at the end of the window.

    >>> ContinuousEventTimeTrigger.of(1000)
    ContinuousEventTimeTrigger(1000)
    """

    @staticmethod
    def of(interval: TimeInterval) -> ContinuousEventTimeTrigger:
        """Makes a trigger that fires once per interval."""
        return ContinuousEventTimeTrigger(to_milliseconds(interval))

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Context) -> TriggerResult:
        if window.max_timestamp() <= ctx.get_current_watermark():
            return FIRE
        ctx.register_event_time_timer(window.max_timestamp())
        self._plan_first(timestamp, window, ctx)
        return CONTINUE

    def on_processing_time(self, time: int, window: Window, ctx: Context) -> TriggerResult:
        return CONTINUE

    def on_event_time(self, time: int, window: Window, ctx: Context) -> TriggerResult:
        return FIRE if time == window.max_timestamp() else self._fires(time, window, ctx)

    def _register(self, time: int, ctx: Context) -> None:
        ctx.register_event_time_timer(time)

    def _delete(self, time: int, ctx: Context) -> None:
        ctx.delete_event_time_timer(time)


class ContinuousProcessingTimeTrigger(_ContinuousTrigger):
    """Fires at every interval of the time of day.

    >>> ContinuousProcessingTimeTrigger.of(1000)
    ContinuousProcessingTimeTrigger(1000)
    """

    @staticmethod
    def of(interval: TimeInterval) -> ContinuousProcessingTimeTrigger:
        """Makes a trigger that fires once per interval."""
        return ContinuousProcessingTimeTrigger(to_milliseconds(interval))

    def on_element(self, element: Any, timestamp: int, window: Window, ctx: Context) -> TriggerResult:
        self._plan_first(ctx.get_current_processing_time(), window, ctx)
        return CONTINUE

    def on_processing_time(self, time: int, window: Window, ctx: Context) -> TriggerResult:
        return self._fires(time, window, ctx)

    def on_event_time(self, time: int, window: Window, ctx: Context) -> TriggerResult:
        return CONTINUE

    def _register(self, time: int, ctx: Context) -> None:
        ctx.register_processing_time_timer(time)

    def _delete(self, time: int, ctx: Context) -> None:
        ctx.delete_processing_time_timer(time)
