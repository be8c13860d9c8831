"""A process function on a stream that is not keyed: timestamps and side outputs, but neither state nor timers."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any, NoReturn

from flott.errors import USER_CODE_RAISES, StateAccessError
from flott.runtime.batch import MIN_TIMESTAMP
from flott.runtime.operators.results import Results, not_results
from flott.runtime.operators.user_function import UserFunctionOperator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.batch import Batch
    from flott.runtime.clock import Clock


class TimeOnlyService:
    """A timer service that knows the time, and refuses timers: they belong to keys."""

    __slots__ = ("_clock", "_title", "watermark")

    def __init__(self, clock: Clock, title: str) -> None:
        self._clock = clock
        self._title = title
        self.watermark = MIN_TIMESTAMP

    def current_watermark(self) -> int:
        """Return the event time that was reached."""
        return self.watermark

    def current_processing_time(self) -> int:
        """Return the time of day in milliseconds since 1970."""
        return self._clock.now()

    def register_event_time_timer(self, timestamp: int) -> NoReturn:
        """Refuse: the stream is not keyed."""
        self._refuse("register")

    def register_processing_time_timer(self, timestamp: int) -> NoReturn:
        """Refuse: the stream is not keyed."""
        self._refuse("register")

    def delete_event_time_timer(self, timestamp: int) -> NoReturn:
        """Refuse: the stream is not keyed."""
        self._refuse("delete")

    def delete_processing_time_timer(self, timestamp: int) -> NoReturn:
        """Refuse: the stream is not keyed."""
        self._refuse("delete")

    def _refuse(self, what: str) -> NoReturn:
        message = (
            f"{self._title}: can't {what} a timer on a stream that is not keyed, because a timer belongs to a key. "
            f"Write stream.key_by(...).process(...) with a KeyedProcessFunction; for one timer of all records, "
            f"key_by(lambda record: 0)."
        )
        raise StateAccessError(message)


class ProcessContext:
    """What a call to ``process_element`` knows besides the record."""

    __slots__ = ("_results", "_timers", "stamp")

    def __init__(self, timers: TimeOnlyService, results: Results) -> None:
        self._timers = timers
        self._results = results
        self.stamp: int | None = None

    def timestamp(self) -> int | None:
        """Return the timestamp of the record, or None if it has none."""
        return self.stamp

    def timer_service(self) -> TimeOnlyService:
        """Return the service that knows the time."""
        return self._timers

    def output(self, tag: Any, value: Any) -> None:
        """Send a value to a side output, with the timestamp of the record."""
        self._results.add_side(tag, value, self.stamp)


class Process(UserFunctionOperator):
    """Calls ``process_element`` for each record."""

    timers: TimeOnlyService
    results: Results
    ctx: ProcessContext

    def open(self) -> None:
        self.results = Results(self.context.emission)
        self.timers = TimeOnlyService(self.context.clock, self.context.title)
        self.ctx = ProcessContext(self.timers, self.results)
        super().open()

    def restore(self, carried: Any) -> None:
        self.timers.watermark = MIN_TIMESTAMP if carried is None else carried

    def snapshot(self) -> Any:
        return self.timers.watermark

    def on_watermark(self, timestamp: int) -> int | None:
        self.timers.watermark = timestamp
        return timestamp

    def process(self, batch: Batch) -> None:
        records = iter(batch.values)
        try:
            self._run(records, batch.stamps)
        except USER_CODE_RAISES as error:
            position = len(batch) - records.__length_hint__() - 1  # type: ignore[attr-defined]
            record = batch.values[position]
            raise not_results(error, self.who(), record) or self.failure(error, record) from None
        self.results.emit(self.output)

    def _run(self, records: Iterator[Any], times: list[int | None] | None) -> None:
        process, ctx, results = self.function.process_element, self.ctx, self.results
        values, extend = results.values, results.extend
        if times is None:
            results.stamps = None
            ctx.stamp = None
            for value in records:
                produced = process(value, ctx)
                if produced is not None:
                    extend(values, produced)
            return
        stamps: list[int | None] = []
        results.stamps = stamps
        before = 0
        for value, ctx.stamp in zip(records, times, strict=True):
            produced = process(value, ctx)
            if produced is not None:
                extend(values, produced)
                after = len(values)
                stamps.extend(repeat(ctx.stamp, after - before))
                before = after
