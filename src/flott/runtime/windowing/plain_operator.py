"""The window operator for the most common case, without a call of assigner or trigger for each record."""

from __future__ import annotations

from itertools import repeat
from math import gcd
from typing import TYPE_CHECKING, Any, ClassVar

from flott.errors import USER_CODE_RAISES
from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flott.runtime.state.kinds import LISTS_OF_RECORDS
from flott.runtime.windowing.assigner import no_timestamp
from flott.runtime.windowing.listed_contents import ListedContents
from flott.runtime.windowing.operator import MANY_RESULTS, WindowOperator
from flott.runtime.windowing.windows import TimeWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.windowing.contents import Contents
    from flott.runtime.windowing.spec import WindowSpec


class PlainWindowOperator(WindowOperator):
    """Tumbling or sliding event-time windows that fire at their end.

    Time is cut into slices that belong to the same windows. A record finds its slice by one division; the slice
    knows what its windows hold, by key. Late records take the way of the general operator.
    """

    contents: Any
    """AccumulatedContents or ListedContents."""
    fires_by_moment: ClassVar[bool] = True

    def __init__(self, spec: WindowSpec, key_selector: Callable[[Any], Any]) -> None:
        super().__init__(spec, key_selector)
        assigner: Any = spec.assigner
        self._size: int = assigner._size  # noqa: SLF001 - the two know each other
        self._slide: int = getattr(assigner, "_slide", self._size)
        self._offset: int = assigner._offset  # noqa: SLF001
        self._slice = gcd(self._size, self._slide)

    def _make_contents(self) -> Contents:
        if self.spec.reduce is not None or self.spec.aggregate is not None:
            return super()._make_contents()
        panes = self.panes
        made: Contents = panes.backend.part("window-contents@window", LISTS_OF_RECORDS, lambda: ListedContents(panes))
        return made

    def restore(self, carried: Any) -> None:
        common, self.contents.stored_until = carried or (None, MAX_WATERMARK)
        super().restore(common)
        if carried is None and self.panes.backend.is_empty():
            self.contents.stored_until = MIN_TIMESTAMP

    def snapshot(self) -> Any:
        return super().snapshot(), max(self.contents.stored_until, self.contents.latest_end())

    def _process_all(self, records: Iterator[Any], keys: list[Any], stamps: list[int | None] | None) -> None:
        times: Any = repeat(None) if stamps is None else stamps
        try:
            if self.spec.aggregate is not None:
                self._aggregate(records, keys, times)
            elif self.spec.reduce is not None:
                self._reduce(records, keys, times)
            else:
                self._collect(records, keys, times)
        except TypeError:
            if stamps is None or None in stamps:
                raise no_timestamp(self.assigner) from None
            raise

    def _aggregate(self, records: Iterator[Any], keys: list[Any], times: list[int]) -> None:
        add, create = self.spec.aggregate.add, self.spec.aggregate.create_accumulator
        offset, length, begin = self._offset, self._slice, self._begin
        emitted, alone = self.results.emitted, True
        slices: dict[int, list[tuple[Any, dict[Any, Any]]] | None] = {}
        current = None
        panes: list[tuple[Any, dict[Any, Any]]] | None = None
        for value, key, time in zip(records, keys, times, strict=False):
            start = time - (time - offset) % length
            if start != current:
                panes = slices[start] if start in slices else slices.setdefault(start, self._panes(start))
                current, alone = start, panes is None or len(panes) == 1
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
                accumulators[key] = add(value if alone else emitted(value), accumulator)

    def _reduce(self, records: Iterator[Any], keys: list[Any], times: list[int]) -> None:
        reduce = self.spec.reduce.reduce
        offset, length, begin = self._offset, self._slice, self._begin
        emitted, alone = self.results.emitted, True
        slices: dict[int, list[tuple[Any, dict[Any, Any]]] | None] = {}
        current = None
        panes: list[tuple[Any, dict[Any, Any]]] | None = None
        for value, key, time in zip(records, keys, times, strict=False):
            start = time - (time - offset) % length
            if start != current:
                panes = slices[start] if start in slices else slices.setdefault(start, self._panes(start))
                current, alone = start, panes is None or len(panes) == 1
            if panes is None:
                self.scope.key = key
                self.process_element(value, key, time)
                continue
            for window, accumulators in panes:
                accumulator = accumulators.get(key)
                if accumulator is None:
                    accumulator = begin(key, window)
                own = value if alone else emitted(value)
                accumulators[key] = own if accumulator is None else reduce(accumulator, own)

    def _collect(self, records: Iterator[Any], keys: list[Any], times: list[int]) -> None:
        offset, length, register = self._offset, self._slice, self._register
        emitted, alone = self.results.emitted, True
        slices: dict[int, list[tuple[Any, dict[Any, Any]]] | None] = {}
        current = None
        panes: list[tuple[Any, dict[Any, Any]]] | None = None
        for value, key, time in zip(records, keys, times, strict=False):
            start = time - (time - offset) % length
            if start != current:
                panes = slices[start] if start in slices else slices.setdefault(start, self._panes(start))
                current, alone = start, panes is None or len(panes) == 1
            if panes is None:
                self.scope.key = key
                self.process_element(value, key, time)
                continue
            for window, lists in panes:
                own = value if alone else emitted(value)
                gathered = lists.get(key)
                if gathered is None:
                    register(key, window)
                    lists[key] = [own]
                else:
                    gathered.append(own)

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
        accumulator = self.contents.stored(key, window)
        if accumulator is None:
            self._register(key, window)
        return accumulator

    def _register(self, key: Any, window: TimeWindow) -> None:
        self.timers.events.add((key, window), window.end - 1)
        if self.lateness:
            self._register_cleanup(key, window)

    def on_watermark(self, timestamp: int) -> int | None:
        for time, panes in self.timers.advance_watermark_by_moment(timestamp):
            self._fire_moment(time, panes)
        self.scope.unset()
        self.panes.scope.unset()
        self.results.emit(self.output)
        return timestamp

    def _fire_moment(self, time: int, panes: list[Any]) -> None:
        """Let all panes fire whose window ends now, and drop those whose lateness does."""
        if self.lateness:
            for pane in panes:
                self.scope.key = pane[0]
                self._on_event_time(time, pane)
        elif self.spec.function is not None:
            self._call_function(time, panes)
        else:
            self._put_out_results(time, panes)
        if len(self.results.values) >= MANY_RESULTS:
            self.results.emit(self.output)

    def _call_function(self, time: int, panes: list[Any]) -> None:
        take, fire, result_of = self.contents.take, self.firing.fire, self._result_of
        for pane in panes:
            key, window = pane
            held = take(key, window)
            if held is None:
                continue
            self.scope.key = key
            self.panes.scope.key = pane
            try:
                produced = fire(key, window, held if result_of is None else [result_of(held)])
                if produced is not None:
                    self.put_out(produced, window)
                self.firing.clear(window)
            except USER_CODE_RAISES as error:  # whatever a user's function raises
                raise self.failure_of(error, f"none: a timer for {time}, key {key!r}, {window!r}") from None

    @property
    def _result_of(self) -> Callable[[Any], Any] | None:
        """What makes a result of what a pane holds; None when that is a list of records."""
        if self.contents.lists:
            return None
        return _same if self.spec.aggregate is None else self.spec.aggregate.get_result

    def _put_out_results(self, time: int, panes: list[Any]) -> None:
        take, result_of = self.contents.take, self._result_of
        values, extend = self.results.values, self.results.extend
        held = [found for pane in panes if (found := take(*pane)) is not None]
        done = iter(held)
        try:
            if result_of is None:
                for records in done:
                    extend(values, records)
            else:
                extend(values, map(result_of, done))
        except USER_CODE_RAISES as error:  # whatever a user's get_result raises
            raise self.failed(error, done, held) from None
        stamps: Any = self.results.stamps
        stamps.extend(repeat(time, len(values) - len(stamps)))


def _same(accumulator: Any) -> Any:
    return accumulator
