"""The CEP operator: one automaton, and for each key the partial matches that are under way."""

from __future__ import annotations

from functools import cmp_to_key
from itertools import groupby, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, cast

from flott.cep.column_events import ColumnEvents
from flott.cep.errors import CepError
from flott.cep.event_queue import EventQueue, Events, in_order, joined
from flott.cep.match_output import MatchOutput
from flott.cep.matcher import Matcher
from flott.cep.run_store import UNKNOWN, RunStore
from flott.cep.start_filter import StartFilter
from flott.errors import USER_CODE_RAISES
from flott.runtime.batch import Batch
from flott.runtime.context import RuntimeContext
from flott.runtime.operator import close_all
from flott.runtime.operators.selected_keys import selected_keys
from flott.runtime.operators.user_function import UserFunctionOperator
from flott.runtime.state.kinds import EVENTS, RUNS
from flott.runtime.timer_queue import NEVER
from flott.runtime.timers import TimerService

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from flott.cep.nfa import Nfa
    from flott.cep.run import Run
    from flott.runtime.columns import ColumnBatch
    from flott.runtime.output_tag import OutputTag

__all__ = ["CepOperator"]


class CepOperator(UserFunctionOperator):
    """Looks for a pattern in the records of each key.

    In event time, records wait for the watermark and are looked at in the order of their timestamps. In processing
    time they are looked at as they come; with a comparator, those of one millisecond are sorted first.
    """

    def __init__(
        self,
        nfa: Nfa,
        function: Any,
        key_selector: Callable[[Any], Any],
        *,
        comparator: Callable[[Any, Any], int] | None = None,
        event_time: bool = True,
        late_tag: OutputTag | None = None,
    ) -> None:
        super().__init__(function)
        self.nfa = nfa
        self.key_selector = key_selector
        self.comparator = comparator
        self.event_time = self.waits_for_watermarks = event_time
        self.late_tag = late_tag

    # -- life ------------------------------------------------------------------------------------------------

    def open(self) -> None:
        backend = self.context.keyed("the partial matches of a pattern")
        clock = self.context.clock
        self.scope = backend.scope
        self.matcher = Matcher(self.nfa, clock)
        self.starts = StartFilter(self.nfa)
        self.columns = ColumnEvents(self.key_selector, self.starts.condition, self.matcher.leaves)
        self.queue: EventQueue = backend.part("cep-events", EVENTS, lambda: EventQueue(backend, "cep-events"))
        self.runs: RunStore = backend.part("cep-runs", RUNS, lambda: RunStore(backend, "cep-runs"))
        self.timers = TimerService(backend, "cep-timers", clock, self._on_timer, self._on_timer)
        self.deadlines = self.timers.events if self.event_time else self.timers.processing
        self.late = self.context.metrics.counter("numLateRecordsDropped")
        self._open_conditions()
        super().open()
        self.found = MatchOutput(self.function, self.context, self.who(), stamped=self.event_time)

    def _open_conditions(self) -> None:
        context = RuntimeContext(self.context)
        for leaf in self.nfa.leaves():
            if hasattr(leaf.function, "filter") and hasattr(leaf.function, "open"):
                try:
                    leaf.function.open(context)
                except USER_CODE_RAISES as error:  # whatever a user's condition raises
                    raise self.failure(error, f"none: condition {leaf.text} failed in open()") from None

    def close(self) -> None:
        conditions = (leaf.function for leaf in self.nfa.leaves() if hasattr(leaf.function, "filter"))
        close_all([self.function, *(function for function in conditions if hasattr(function, "close"))])

    def restore(self, carried: Any) -> None:
        self.timers.restore(carried)
        self.queue.restore()

    def snapshot(self) -> Any:
        waiting = self.columns.take_all()
        if waiting is not None:
            self.queue.add_all(*self.columns.as_events(waiting))
        return self.timers.snapshot()

    def next_wakeup(self) -> int | None:
        if self.event_time:
            return None
        waiting = self.queue.earliest()
        due = self.timers.next_processing_time()
        if waiting == NEVER:
            return due
        return waiting + 1 if due is None else min(due, waiting + 1)

    # -- records ---------------------------------------------------------------------------------------------

    def process(self, batch: Batch) -> None:
        if self.event_time and self.comparator is None and self.columns.takes(batch):
            self._wait_in_columns(cast("ColumnBatch", batch))
            return
        values = batch.values
        keys = selected_keys(self, self.key_selector, values)
        if self.event_time:
            self._wait(batch, keys)
            return
        now = self.context.clock.now()
        stamps = [now] * len(values)
        if self.comparator is None:
            self._match((stamps, keys, values))
            self.found.emit(self.output)
        else:
            self.queue.add_all(stamps, keys, values)

    def _wait(self, batch: Batch, keys: list[Any]) -> None:
        """Put records where they wait for the watermark; those that come after it are late."""
        stamps = batch.stamps
        if stamps is None or None in stamps:
            record = batch.values[0 if stamps is None else stamps.index(None)]
            raise CepError(
                f"{self.who()}: record {record!r:.200} has no timestamp, so it has no place in event time. Call "
                "assign_timestamps_and_watermarks(...) before CEP.pattern(...), or in_processing_time() after it."
            )
        times = cast("list[int]", stamps)
        values = batch.values
        watermark = self.timers.current_watermark()
        if times and min(times) <= watermark:
            late = [time <= watermark for time in times]
            self._drop_late(batch, late)
            times = [time for time, is_late in zip(times, late, strict=True) if not is_late]
            keys = [key for key, is_late in zip(keys, late, strict=True) if not is_late]
            values = [value for value, is_late in zip(values, late, strict=True) if not is_late]
        self.queue.add_all(times, keys, values)

    def _wait_in_columns(self, batch: ColumnBatch) -> None:
        late = cast("NDArray[np.int64]", batch.times) <= self.timers.current_watermark()
        if late.any():
            self._drop_late(batch, late.tolist())
            batch = batch.take((~late).nonzero()[0])
        if len(batch):
            self.columns.add(batch)

    def _drop_late(self, batch: Batch, late: list[bool]) -> None:
        records = [record for record, is_late in zip(batch, late, strict=True) if is_late]
        if self.late_tag is None:
            self.late.inc(len(records))
            return
        self.output.emit_side(
            self.late_tag.tag_id, Batch([value for value, _ in records], [stamp for _, stamp in records])
        )

    # -- time ------------------------------------------------------------------------------------------------

    def on_watermark(self, timestamp: int) -> int | None:
        if self.event_time:
            self._match_due(timestamp)
        self.timers.advance_watermark(timestamp)
        self.found.emit(self.output)
        return timestamp

    def process_time(self, now: int) -> None:
        if self.event_time:
            return
        if self.comparator is not None:
            self._match(self.queue.due(now - 1))
        self.timers.advance_processing_time(now)
        self.found.emit(self.output)

    def finish(self) -> None:
        if not self.event_time and self.comparator is not None:
            self._match(self.queue.due(NEVER))
            self.found.emit(self.output)

    def _on_timer(self, time: int, key: Any) -> None:
        """The time of a partial match may be up."""
        run = self.runs.live.get(key, UNKNOWN)
        if run is UNKNOWN:
            run = self.runs.fetch(key)
        if run is None:
            return
        run.timer = None
        now = self.timers.current_watermark() if self.event_time else self.context.clock.now()
        try:
            self._advance(run, now)
        except USER_CODE_RAISES as error:  # whatever a user's function raises
            raise self.failure(error, f"none: partial matches of key {key!r} timed out") from None
        self._put_back(key, run)

    # -- matching --------------------------------------------------------------------------------------------

    def _match_due(self, until: int) -> None:
        """Look at all events up to a time; of those in columns, only at the ones that matter."""
        events = self.queue.due(until)
        batch = self.columns.due(until)
        if batch is None:
            self._match(events)
        elif events[0]:
            # Some waited since an earlier epoch, as objects; those in columns came after them.
            self._match(in_order(joined([events, self.columns.as_events(batch)])))
        else:
            self._look(*self.columns.that_matter(batch, self._is_active))

    def _is_active(self, key: Any) -> bool:
        run = self.runs.live.get(key, UNKNOWN)
        return (self.runs.fetch(key) if run is UNKNOWN else run) is not None

    def _match(self, events: Events) -> None:
        """Look at events in their order."""
        if self.comparator is not None:
            events = self._sorted_ties(events, self.comparator)
        values = events[2]
        if not values:
            return
        records = iter(values)
        try:
            starts = self.starts.apply(records, len(values))
        except USER_CODE_RAISES as error:  # whatever a user's condition raises
            raise self.failed(error, records, values) from None
        self._look(events, starts, repeat(None))

    def _look(self, events: Events, starts: list[Any], memories: Iterable[list[bool | None] | None]) -> None:
        """Show events to what is under way, or start something with them; say which of them failed."""
        stamps, keys, values = events
        records = iter(values)
        try:
            self._look_at(records, stamps, keys, starts, memories)
        except USER_CODE_RAISES as error:  # whatever a user's condition or function raises
            raise self.failed(error, records, values) from None
        self.scope.unset()

    def _look_at(
        self,
        records: Iterator[Any],
        stamps: list[int],
        keys: list[Any],
        starts: list[Any],
        memories: Iterable[list[bool | None] | None],
    ) -> None:
        """Most events start nothing, and nothing is under way for their keys: on to the next one."""
        fetch, new_run, process = self.runs.fetch, self.matcher.new_run, self.matcher.process
        lookup, scope = self.runs.live.get, self.scope
        for value, stamp, key, start, memory in zip(records, stamps, keys, starts, memories, strict=False):
            run: Run | None = lookup(key, UNKNOWN)
            if run is UNKNOWN:
                run = fetch(key)
            if run is None:
                if not start:
                    continue
                run = new_run()
            scope.key = key
            if run.timer is not None and run.timer <= stamp:
                self._advance(run, stamp)
            matches = process(run, value, stamp, start, memory)
            if matches:
                self.found.matches(matches, stamp)
            self._put_back(key, run)

    def _advance(self, run: Run, now: int) -> None:
        matches, timeouts = self.matcher.advance(run, now)
        self.found.timeouts(timeouts)
        self.found.matches(matches, now)

    def _put_back(self, key: Any, run: Run) -> None:
        """Keep what is under way, with a timer for when the next part of it times out."""
        if len(run.partials) == 1 and not run.completed:
            if run.timer is not None:
                self.deadlines.remove(key, self._moment(run.timer))
                run.timer = None
            self.runs.drop(key)
            return
        if self.matcher.timed:
            deadline = self.matcher.deadline(run)
            if deadline is not None and (run.timer is None or deadline < run.timer):
                if run.timer is not None:
                    self.deadlines.remove(key, self._moment(run.timer))
                run.timer = deadline
                self.deadlines.add(key, self._moment(deadline))
        self.runs.keep(key, run)

    def _moment(self, deadline: int) -> int:
        """In processing time, a millisecond is over only when the next one begins."""
        return deadline if self.event_time else deadline + 1

    @staticmethod
    def _sorted_ties(events: Events, comparator: Callable[[Any, Any], int]) -> Events:
        """Sort the events of each moment with the user's comparator; equal ones keep their order."""
        by = cmp_to_key(comparator)
        stamps: list[int] = []
        keys: list[Any] = []
        values: list[Any] = []
        for stamp, some in groupby(zip(*events, strict=True), key=itemgetter(0)):
            tied = list(some)
            if len(tied) > 1:
                tied.sort(key=lambda event: by(event[2]))
            stamps.extend(repeat(stamp, len(tied)))
            keys.extend(key for _, key, _ in tied)
            values.extend(value for _, _, value in tied)
        return stamps, keys, values
