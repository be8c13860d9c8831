"""What assigners, triggers and evictors can see and do while the operator works on a pane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.context import RuntimeContext
from flott.runtime.windowing.assigner import WindowAssigner
from flott.runtime.windowing.evictors import Evictor
from flott.runtime.windowing.panes import PaneStateStore
from flott.runtime.windowing.trigger import Trigger

if TYPE_CHECKING:
    from flott.runtime.clock import Clock
    from flott.runtime.context import OperatorContext
    from flott.runtime.metric_group import MetricGroup
    from flott.runtime.timers import TimerService
    from flott.runtime.windowing.panes import Pane, PaneBackend


class AssignerContext(WindowAssigner.WindowAssignerContext):
    """Tells an assigner the time of day, and where it runs."""

    def __init__(self, context: OperatorContext) -> None:
        self._clock: Clock = context.clock
        self._runtime_context = RuntimeContext(context)

    def get_current_processing_time(self) -> int:
        return self._clock.now()

    def get_runtime_context(self) -> RuntimeContext:
        return self._runtime_context


class PaneContext(Trigger.OnMergeContext, Evictor.EvictorContext):
    """Timers and state of the pane at hand. One object for all panes; the operator moves it."""

    def __init__(self, context: OperatorContext, timers: TimerService, panes: PaneBackend) -> None:
        self._metrics = context.metrics
        self._timers = timers
        self._scope = panes.scope
        self._states = PaneStateStore(panes, context.clock)
        self.merged: list[Any] = []
        """The windows that the window at hand was made of, in on_merge."""

    @property
    def pane(self) -> Pane:
        """Key and window at hand."""
        pane: Pane = self._scope.key
        return pane

    def get_current_processing_time(self) -> int:
        return self._timers.current_processing_time()

    def get_metric_group(self) -> MetricGroup:
        return self._metrics

    def get_current_watermark(self) -> int:
        return self._timers.current_watermark()

    def register_processing_time_timer(self, time: int) -> None:
        self._timers.processing.add(self._scope.key, time)

    def register_event_time_timer(self, time: int) -> None:
        self._timers.events.add(self._scope.key, time)

    def delete_processing_time_timer(self, time: int) -> None:
        self._timers.processing.remove(self._scope.key, time)

    def delete_event_time_timer(self, time: int) -> None:
        self._timers.events.remove(self._scope.key, time)

    def get_partitioned_state(self, state_descriptor: Any) -> Any:
        return self._states.get_partitioned_state(state_descriptor)

    def merge_partitioned_state(self, state_descriptor: Any) -> None:
        key, window = self._scope.key
        self._states.merge(state_descriptor, key, window, [merged for merged in self.merged if merged != window])
