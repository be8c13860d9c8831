"""The window operator for the most common case, without a call of assigner or trigger for each record."""

from __future__ import annotations

from itertools import repeat
from math import gcd
from typing import TYPE_CHECKING, Any

from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flott.runtime.windowing.assigner import no_timestamp
from flott.runtime.windowing.operator import MANY_RESULTS, WindowOperator
from flott.runtime.windowing.windows import TimeWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.windowing.contents import AccumulatedContents
    from flott.runtime.windowing.spec import WindowSpec


class PlainWindowOperator(WindowOperator):
    """Tumbling or sliding event-time windows that fire at their end and hold one accumulator for each key.

    Time is cut into slices that belong to the same windows. A record finds its slice by one division; the slice
    knows the accumulators of its windows. Late records take the way of the general operator.
    """

    contents: AccumulatedContents

    def __init__(self, spec: WindowSpec, key_selector: Callable[[Any], Any]) -> None:
        super().__init__(spec, key_selector)
        assigner: Any = spec.assigner
        self._size: int = assigner._size  # noqa: SLF001 - the two know each other
        self._slide: int = getattr(assigner, "_slide", self._size)
        self._offset: int = assigner._offset  # noqa: SLF001
        self._slice = gcd(self._size, self._slide)
        self._stored_until = MAX_WATERMARK
        """No window that ends after this has anything in the store, so that nobody need look."""

    def restore(self, carried: Any) -> None:
        common, self._stored_until = carried or (None, MAX_WATERMARK)
        super().restore(common)
        if carried is None and self.panes.backend.is_empty():
            self._stored_until = MIN_TIMESTAMP

    def snapshot(self) -> Any:
        return super().snapshot(), max(self._stored_until, self.contents.latest_end())

    def _process_all(self, records: Iterator[Any], keys: list[Any], stamps: list[int | None] | None) -> None:
        times: Any = repeat(None) if stamps is None else stamps
        try:
            if self.spec.aggregate is not None:
                self._aggregate(records, keys, times)
            else:
                self._reduce(records, keys, times)
        except TypeError:
            if stamps is None or None in stamps:
                raise no_timestamp(self.assigner, "without one") from None
            raise

    def _aggregate(self, records: Iterator[Any], keys: list[Any], times: list[int]) -> None:
        add, create = self.spec.aggregate.add, self.spec.aggregate.create_accumulator
        offset, length, begin = self._offset, self._slice, self._begin
        slices: dict[int, list[tuple[Any, dict[Any, Any]]] | None] = {}
        current = None
        panes: list[tuple[Any, dict[Any, Any]]] | None = None
        for value, key, time in zip(records, keys, times, strict=False):
            start = time - (time - offset) % length
            if start != current:
                panes = slices[start] if start in slices else slices.setdefault(start, self._panes(start))
                current = start
            if panes is None:
                self.scope.key = key
                self.process_element(value, key, time)
                continue
            for window, accumulators in panes:
                accumulator = accumulators.get(key)
                if accumulator is None:
                    accumulator = begin(key, window)
                    if accumulator is None:
                        accumulator = create()
                accumulators[key] = add(value, accumulator)

    def _reduce(self, records: Iterator[Any], keys: list[Any], times: list[int]) -> None:
        reduce = self.spec.reduce.reduce
        offset, length, begin = self._offset, self._slice, self._begin
        slices: dict[int, list[tuple[Any, dict[Any, Any]]] | None] = {}
        current = None
        panes: list[tuple[Any, dict[Any, Any]]] | None = None
        for value, key, time in zip(records, keys, times, strict=False):
            start = time - (time - offset) % length
            if start != current:
                panes = slices[start] if start in slices else slices.setdefault(start, self._panes(start))
                current = start
            if panes is None:
                self.scope.key = key
                self.process_element(value, key, time)
                continue
            for window, accumulators in panes:
                accumulator = accumulators.get(key)
                if accumulator is None:
                    accumulator = begin(key, window)
                accumulators[key] = value if accumulator is None else reduce(accumulator, value)

    def _panes(self, start: int) -> list[tuple[Any, dict[Any, Any]]] | None:
        """Return the windows of a slice with their accumulators; None when one of them has fired already."""
        size = self._size
        last = start - (start - self._offset) % self._slide
        windows = [TimeWindow(begin, begin + size) for begin in range(last, start - size, -self._slide)]
        watermark = self.timers.current_watermark()
        if not windows and start + self.lateness <= watermark:
            return None  # Between two windows, and perhaps late.
        if any(window.end - 1 <= watermark for window in windows):
            return None
        return [(window, self.contents.written(window)) for window in windows]

    def _begin(self, key: Any, window: TimeWindow) -> Any:
        """Return what the store has for a pane; a new pane gets its timers."""
        accumulator = self.contents.stored(key, window) if window.end <= self._stored_until else None
        if accumulator is None:
            pane = (key, window)
            self.timers.events.add(pane, window.end - 1)
            if self.lateness:
                self._register_cleanup(key, window)
        return accumulator

    def process_watermark(self, timestamp: int) -> None:
        for time, panes in self.timers.advance_watermark_by_moment(timestamp):
            self._fire_moment(time, panes)
        self.scope.unset()
        self.panes.scope.unset()
        self.results.emit(self.output)
        self.output.emit_watermark(timestamp)

    def _fire_moment(self, time: int, panes: list[Any]) -> None:
        """Let all panes fire whose window ends now, and drop those whose lateness does."""
        if self.spec.function is not None or self.lateness:
            for pane in panes:
                self.scope.key = pane[0]
                self._on_event_time(time, pane)
            return
        take = self.contents.take
        values = self.results.values
        accumulators = [accumulator for pane in panes if (accumulator := take(*pane)) is not None]
        if self.spec.aggregate is None:
            values.extend(accumulators)
        else:
            done = iter(accumulators)
            try:
                values.extend(map(self.spec.aggregate.get_result, done))
            except Exception as error:  # noqa: BLE001 - whatever a user's get_result raises
                raise self.failed(error, done, accumulators) from None
        stamps: Any = self.results.stamps
        stamps.extend(repeat(time, len(values) - len(stamps)))
        if len(values) >= MANY_RESULTS:
            self.results.emit(self.output)
