"""The base of operators around a process function on a keyed stream: state, timers, side outputs."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any

from flott.errors import USER_CODE_RAISES
from flott.runtime.operators.results import Results, not_results
from flott.runtime.operators.user_function import UserFunctionOperator
from flott.runtime.time_domain import TimeDomain
from flott.runtime.timers import TimerService

if TYPE_CHECKING:
    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.key_scope import KeyScope

MANY_RESULTS = 10_000
"""So many results of timers are handed on at once, before the next timers fire."""


class KeyedContext:
    """What a call to ``process_element`` or ``on_timer`` knows besides the record: key, timestamp, timers."""

    __slots__ = ("_results", "_scope", "_timers", "domain", "stamp")

    def __init__(self, scope: KeyScope, timers: TimerService, results: Results) -> None:
        self._scope = scope
        self._timers = timers
        self._results = results
        self.stamp: int | None = None
        self.domain = TimeDomain.EVENT_TIME

    def get_current_key(self) -> Any:
        """Return the key of the record or the timer."""
        return self._scope.key

    def timestamp(self) -> int | None:
        """Return the timestamp of the record, or None if it has none; in ``on_timer``, the time of the timer."""
        return self.stamp

    def timer_service(self) -> TimerService:
        """Return the service that knows the time and keeps timers."""
        return self._timers

    def time_domain(self) -> TimeDomain:
        """Say whether the timer was one of event time or of processing time."""
        return self.domain

    def output(self, tag: Any, value: Any) -> None:
        """Send a value to a side output, with the timestamp of the record."""
        self._results.add_side(tag, value, self.stamp)


class TimedOperator(UserFunctionOperator):
    """Opens the function with its timers and calls ``on_timer`` when they are due."""

    timers: TimerService
    results: Results
    scope: KeyScope
    ctx: KeyedContext
    backend: KeyedBackend

    def open(self) -> None:
        self.backend = backend = self.context.keyed("a process function's timer")
        self.scope = backend.scope
        self.results = Results(self.context.emission)
        self.timers = TimerService(
            backend, "user-timers", self.context.clock, self._on_event_time, self._on_processing_time
        )
        self.ctx = KeyedContext(self.scope, self.timers, self.results)
        super().open()

    def restore(self, carried: Any) -> None:
        self.timers.restore(carried)

    def snapshot(self) -> Any:
        return self.timers.snapshot()

    def next_wakeup(self) -> int | None:
        return self.timers.next_processing_time()

    def on_watermark(self, timestamp: int) -> int | None:
        self.timers.advance_watermark(timestamp)
        self.results.emit(self.output)
        return timestamp

    def process_time(self, now: int) -> None:
        self.timers.advance_processing_time(now)
        self.results.emit(self.output)

    def _on_event_time(self, time: int, key: Any) -> None:
        self.ctx.domain = TimeDomain.EVENT_TIME
        self._on_timer(time, key, time)

    def _on_processing_time(self, time: int, key: Any) -> None:
        self.ctx.domain = TimeDomain.PROCESSING_TIME
        self._on_timer(time, key, None)

    def _on_timer(self, time: int, key: Any, stamp: int | None) -> None:
        self.ctx.stamp = time
        results = self.results
        try:
            produced = self.function.on_timer(time, self.ctx)
            if produced is not None:
                results.extend(results.values, produced)
        except USER_CODE_RAISES as error:
            record = f"none: a timer for {time}, key {key!r}"
            raise not_results(error, self.who(), record) or self.failure(error, record) from None
        if results.stamps is not None:
            results.stamps.extend(repeat(stamp, len(results.values) - len(results.stamps)))
        if len(results.values) >= MANY_RESULTS:
            results.emit(self.output)
