"""The window operator: records into windows, windows into results, as assigner and trigger say."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar

from flott.errors import USER_CODE_RAISES, FlottError
from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flott.runtime.context import RuntimeContext
from flott.runtime.operator import Operator, close_all
from flott.runtime.operators.results import Results, not_results
from flott.runtime.operators.selected_keys import selected_keys
from flott.runtime.state.kinds import ACCUMULATORS, VALUE_STATE
from flott.runtime.state.values import ValueState
from flott.runtime.timers import TimerService
from flott.runtime.windowing.assigner import MergingWindowAssigner
from flott.runtime.windowing.contents import AccumulatedContents, Aggregating, ListContents, Reducing
from flott.runtime.windowing.contexts import AssignerContext, PaneContext
from flott.runtime.windowing.functions import WindowContext, firing_function
from flott.runtime.windowing.merging import MergingWindowSet
from flott.runtime.windowing.panes import PaneBackend, PaneOwner
from flott.runtime.windowing.trigger import TriggerResult
from flott.runtime.windowing.triggers import EventTimeTrigger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.batch import Batch
    from flott.runtime.state.key_scope import KeyScope
    from flott.runtime.windowing.contents import Contents
    from flott.runtime.windowing.panes import Pane
    from flott.runtime.windowing.spec import WindowSpec

CONTINUE = TriggerResult.CONTINUE
LATE_RECORDS = "numLateRecordsDropped"
MANY_RESULTS = 10_000


class WindowOperator(Operator):
    """Runs any window operation."""

    scope: KeyScope
    panes: PaneBackend
    timers: TimerService
    contents: Contents
    results: Results
    fires_by_moment: ClassVar[bool] = False
    """Whether so many windows end together that their timers are stored together."""

    def __init__(self, spec: WindowSpec, key_selector: Callable[[Any], Any]) -> None:
        self.spec = spec
        self.key_selector = key_selector
        self.assigner = spec.assigner
        self.trigger = spec.trigger
        self.event_time = spec.assigner.is_event_time()
        self.waits_for_watermarks = self.event_time and type(spec.trigger) is EventTimeTrigger
        self.lateness = spec.allowed_lateness
        self.firing = firing_function(spec.function, spec.over_all)

    # Life

    def open(self) -> None:
        context = self.context
        backend = context.keyed("what windows hold")
        self.scope = backend.scope
        self.panes = PaneBackend(backend)
        self.timers = self._make_timers()
        merging = isinstance(self.assigner, MergingWindowAssigner)
        self.results = Results(context.emission)
        self.pane_context = PaneContext(context, self.timers, self.panes)
        self._assigner_context = AssignerContext(context)
        self._late = context.metrics.counter(LATE_RECORDS)
        self.contents = self._make_contents()
        self.firing.open(WindowContext(context, self.timers, self.panes, merging))
        self._merging_set: ValueState | None = None
        if merging:
            name = "merging-window-set"
            self._merging_set = backend.part(name, VALUE_STATE, lambda: ValueState(backend, name))
        for function in self._functions():
            try:
                function.open(RuntimeContext(context))
            except USER_CODE_RAISES as error:  # whatever a user's open raises
                raise self.failure(error, "none: it failed in open()") from None

    def _functions(self) -> list[Any]:
        spec = self.spec
        functions = [spec.reduce, spec.aggregate, spec.function]
        return [function for function in functions if hasattr(function, "open")]

    def _make_timers(self) -> TimerService:
        context, panes = self.context, self.panes
        callbacks = self._on_event_time, self._on_processing_time
        owner = PaneOwner(panes.windows)
        return TimerService(
            panes.backend, "window-timers", context.clock, *callbacks, owner, by_moment=self.fires_by_moment
        )

    def _make_contents(self) -> Contents:
        spec, panes = self.spec, self.panes
        if spec.reduce is None and spec.aggregate is None:
            return ListContents(panes)
        accumulation = Reducing(spec.reduce) if spec.aggregate is None else Aggregating(spec.aggregate)
        made: Contents = panes.backend.part(
            "window-contents@window", ACCUMULATORS, lambda: AccumulatedContents(panes, accumulation)
        )
        return made

    def restore(self, carried: Any) -> None:
        timers, stagger = carried or (None, None)
        self.timers.restore(timers)
        if stagger is not None:
            self.assigner.stagger_offset = stagger  # type: ignore[attr-defined]

    def snapshot(self) -> Any:
        return self.timers.snapshot(), getattr(self.assigner, "stagger_offset", None)

    def next_wakeup(self) -> int | None:
        return self.timers.next_processing_time()

    def close(self) -> None:
        close_all(self._functions())

    # Records

    def process(self, batch: Batch) -> None:
        values = batch.values
        keys = selected_keys(self, self.key_selector, values)
        records = iter(values)
        try:
            self._process_all(records, keys, batch.stamps)
        except USER_CODE_RAISES as error:  # whatever a user's function raises
            record = values[len(values) - records.__length_hint__() - 1]  # type: ignore[attr-defined]
            raise self.failure_of(error, record) from None
        self.scope.unset()
        self.panes.scope.unset()
        self.results.emit(self.output)

    def failure_of(self, error: BaseException, record: Any) -> FlottError:
        """Wrap what the user's code raised, or say that it returned something that holds no results."""
        who = f"{self.context.title}, {type(self.spec.function).__name__}"
        return not_results(error, who, record) or self.failure(error, record)

    def _process_all(self, records: Iterator[Any], keys: list[Any], stamps: list[int | None] | None) -> None:
        scope, process_element = self.scope, self.process_element
        for value, scope.key, stamp in zip(records, keys, repeat(None) if stamps is None else stamps, strict=False):
            process_element(value, scope.key, stamp)

    def process_element(self, value: Any, key: Any, stamp: int | None) -> None:
        """Put one record into its windows, and let those fire that its trigger wants to."""
        timestamp = MIN_TIMESTAMP if stamp is None else stamp
        windows = tuple(self.assigner.assign_windows(value, timestamp, self._assigner_context))
        element = self._element(value, stamp)
        skipped = True
        if self._merging_set is None:
            for window in windows:
                if not self._is_late(window):
                    # What one window does to the record, which may fire at once, must not be seen in the next.
                    own = element if len(windows) == 1 else self.results.emitted(element)
                    skipped = False
                    self._add(value, own, key, window, window, timestamp)
        else:
            merging = self._open_windows()
            for window in windows:
                actual = merging.add_window(window, self._merge)
                if self._is_late(actual):
                    merging.retire_window(actual)
                else:
                    skipped = False
                    self._add(value, element, key, actual, merging.get_state_window(actual), timestamp)
            merging.persist()
        if skipped and self.event_time and timestamp + self.lateness <= self.timers.current_watermark():
            self._drop_late(value, stamp)

    def _element(self, value: Any, stamp: int | None) -> Any:
        """Return what is kept of a record."""
        return value

    def _add(self, value: Any, element: Any, key: Any, window: Any, state_window: Any, timestamp: int) -> None:
        self.contents.add(key, state_window, element)
        self.panes.scope.key = (key, window)
        result = self.trigger.on_element(value, timestamp, window, self.pane_context)
        if result is not CONTINUE:
            if result.is_fire() and not self._fire(key, window, state_window):
                return
            if result.is_purge():
                self.contents.clear(key, state_window)
        self._register_cleanup(key, window)

    def _drop_late(self, value: Any, stamp: int | None) -> None:
        if self.spec.late_tag is None:
            self._late.inc()
        else:
            self.results.add_side(self.spec.late_tag, value, stamp)

    # Time

    def on_watermark(self, timestamp: int) -> int | None:
        self.timers.advance_watermark(timestamp)
        self.panes.scope.unset()
        self.results.emit(self.output)
        return timestamp

    def process_time(self, now: int) -> None:
        self.timers.advance_processing_time(now)
        self.panes.scope.unset()
        self.results.emit(self.output)

    def _on_event_time(self, time: int, pane: Pane) -> None:
        self._on_timer(time, pane, self.trigger.on_event_time, cleans=self.event_time)

    def _on_processing_time(self, time: int, pane: Pane) -> None:
        self._on_timer(time, pane, self.trigger.on_processing_time, cleans=not self.event_time)

    def _on_timer(self, time: int, pane: Pane, ask: Callable[[int, Any, Any], TriggerResult], *, cleans: bool) -> None:
        key, window = pane
        merging = None
        state_window = window
        if self._merging_set is not None:
            merging = self._open_windows()
            state_window = merging.get_state_window(window)
            if state_window is None:
                return  # The window became part of another one, which has a timer of its own.
        self.panes.scope.key = pane
        try:
            result = ask(time, window, self.pane_context)
            if result.is_fire():
                self._fire(key, window, state_window)
            if result.is_purge():
                self.contents.clear(key, state_window)
            if cleans and time == self.cleanup_time(window):
                self._clear_all(key, window, state_window, merging)
        except USER_CODE_RAISES as error:  # whatever a user's function raises
            raise self.failure_of(error, f"none: a timer for {time}, key {key!r}, {window!r}") from None
        if merging is not None:
            merging.persist()
        if len(self.results.values) >= MANY_RESULTS:
            self.results.emit(self.output)

    # Firing

    def _fire(self, key: Any, window: Any, state_window: Any) -> bool:
        """Hand on the results of a pane; say whether it held anything."""
        held = self.contents.get(key, state_window)
        if held is None:
            return False
        self.panes.scope.key = (key, window)
        produced = self.firing.fire(key, window, held if self.contents.lists else [held])
        if produced is not None:
            self.put_out(produced, window)
        return True

    def put_out(self, produced: Any, window: Any) -> None:
        """Gather results of a window, with its last moment as their timestamp."""
        values, stamps = self.results.values, self.results.stamps
        self.results.extend(values, produced)
        if stamps is not None:
            stamps.extend(repeat(window.max_timestamp(), len(values) - len(stamps)))

    # The end of windows

    def cleanup_time(self, window: Any) -> int:
        """Return when a window is gone for good."""
        last: int = window.max_timestamp()
        if not self.event_time:
            return last
        time = last + self.lateness
        return time if time < MAX_WATERMARK else MAX_WATERMARK  # noqa: FURB136 - asked for every record

    def _is_late(self, window: Any) -> bool:
        return self.event_time and self.cleanup_time(window) <= self.timers.current_watermark()

    def _register_cleanup(self, key: Any, window: Any) -> None:
        time = self.cleanup_time(window)
        if time < MAX_WATERMARK:
            (self.timers.events if self.event_time else self.timers.processing).add((key, window), time)

    def _clear_all(self, key: Any, window: Any, state_window: Any, merging: MergingWindowSet | None) -> None:
        self.contents.clear(key, state_window)
        self.panes.scope.key = (key, window)
        self.trigger.clear(window, self.pane_context)
        self.firing.clear(window)
        if merging is not None:
            merging.retire_window(window)

    # Merging

    def _open_windows(self) -> MergingWindowSet:
        return MergingWindowSet(self.assigner, self._merging_set)  # type: ignore[arg-type]

    def _merge(self, result: Any, merged: list[Any], kept: Any, state_windows: list[Any]) -> None:
        """Let windows of the current key become one: the trigger's state and timers, then the contents."""
        now = self.timers.current_watermark() if self.event_time else self.timers.current_processing_time()
        if self.cleanup_time(result) <= now:
            message = (
                f"{self.context.title}: {self.assigner!r} merged {merged} into {result!r}, which is over already: "
                f"time is at {now}. A merged window may not end before the windows it is made of."
            )
            raise FlottError(message)
        key, panes, context = self.scope.key, self.panes, self.pane_context
        panes.scope.key = (key, result)
        context.merged = merged
        self.trigger.on_merge(result, context)
        timers = self.timers.events if self.event_time else self.timers.processing
        for window in merged:
            panes.scope.key = (key, window)
            self.trigger.clear(window, context)
            timers.remove((key, window), self.cleanup_time(window))
        self.contents.merge(key, kept, state_windows)
