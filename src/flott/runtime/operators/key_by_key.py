"""A keyed operator in batch mode: its input is gathered to the end, then each key has its turn alone."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, cast

from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP, Batch
from flott.runtime.canonical_keys import loaded_key
from flott.runtime.keys import encode_key
from flott.runtime.operator import Operator, TwoInputOperator
from flott.runtime.operators.selected_keys import selected_keys
from flott.runtime.state.gathered_input import GatheredInput
from flott.runtime.state.kinds import GATHERED_INPUT
from flott.runtime.timer_queue import TimerQueue

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.context import OperatorContext
    from flott.runtime.operator import Output
    from flott.runtime.reports import Notice
    from flott.runtime.state.gathered_input import Record

NUMBER, KEY, VALUE, STAMP = range(4)


class TimelessOutput:
    """An output that lets records pass but no time: for each key time runs to its end, downstream it does so once."""

    def __init__(self, output: Output) -> None:
        self.emit = output.emit
        self.emit_side = output.emit_side

    def emit_watermark(self, timestamp: int) -> None:
        """Keep it."""

    def emit_status(self, active: bool) -> None:
        """Keep it."""


class KeyByKey(Operator):
    """Runs a keyed operator as Flink's batch mode does.

    Once the input has ended, the records of a key come in the order of their timestamps; then all its timers fire,
    first those of event time, and its state is dropped. So there is never state of more than one key. What
    is gathered waits in the store, and of it one key group at a time is in memory.
    """

    _waiting: set[int]
    """The inputs that have not ended."""

    def __init__(self, operator: Operator, key_selectors: tuple[Callable[[Any], Any], ...]) -> None:
        self.operator = operator
        self.key_selectors = key_selectors

    def setup(self, context: OperatorContext, output: Output) -> None:
        super().setup(context, output)
        self.operator.setup(context, TimelessOutput(output))

    def open(self) -> None:
        self._backend = backend = self.context.keyed("the input of a batch")
        name = "batch-input"
        self._gathered: GatheredInput = backend.part(name, GATHERED_INPUT, lambda: GatheredInput(backend, name))
        self.operator.open()

    def restore(self, carried: Any) -> None:
        self._waiting, self._gathered.sequence = carried or (set(range(len(self.key_selectors))), 0)

    def snapshot(self) -> Any:
        self._gathered.pack()
        return self._waiting, self._gathered.sequence

    def notify(self, notice: Notice) -> None:
        self.operator.notify(notice)

    def close(self) -> None:
        self.operator.close()

    # Gathering

    def process(self, batch: Batch) -> None:
        self._gather(0, batch)

    def _gather(self, number: int, batch: Batch) -> None:
        values = batch.values
        keys = selected_keys(self, self.key_selectors[number], values)
        self._gathered.add(number, keys, values, batch.stamps or [None] * len(values))

    def process_watermark(self, timestamp: int) -> None:
        self._ends(0, timestamp)

    def process_status(self, active: bool) -> None:
        """Ignore it: whoever has no records now may have some until the end."""

    def _ends(self, number: int, timestamp: int) -> None:
        if timestamp == MAX_WATERMARK and number in self._waiting:
            self._waiting = self._waiting - {number}
            if not self._waiting:
                self._run()
                self.output.emit_watermark(timestamp)

    # Each key alone

    def _run(self) -> None:
        operator = self.operator
        operator.restore(None)
        timers = getattr(operator, "timers", None)
        if timers is not None:
            # From here on they know that the store has none, and do not look again for each key.
            timers.events.earliest()
            timers.processing.earliest()
        nothing = operator.snapshot()
        for records in self._gathered.take():
            by_key: dict[Any, list[Record]] = {}
            for record in records:
                by_key.setdefault(loaded_key(record[KEY]), []).append(record)
            for key in sorted(by_key, key=encode_key):
                operator.restore(nothing)
                self._work_on(sorted(by_key[key], key=_time))
                self._drop_state()
            self._backend.heads.clear()
        operator.restore(nothing)
        operator.finish()

    def _work_on(self, records: list[Record]) -> None:
        operator = cast("TwoInputOperator", self.operator)
        for number, some in groupby(records, itemgetter(NUMBER)):
            _, _, values, stamps = zip(*some, strict=True)
            batch = Batch(list(values), None if set(stamps) == {None} else list(stamps))
            (operator.process2 if number else operator.process)(batch)
        operator.process_watermark(MAX_WATERMARK)
        if len(self.key_selectors) > 1:
            operator.process_watermark2(MAX_WATERMARK)
        timers = getattr(operator, "timers", None)
        waiting = timers.processing.all() if timers is not None else []
        if waiting:
            operator.process_time(waiting[-1][0])

    def _drop_state(self) -> None:
        for part in self._backend.parts().values():
            if part is not self._gathered and (not isinstance(part, TimerQueue) or part.all()):
                part.forget()


class TwoKeyByKey(KeyByKey, TwoInputOperator):
    """The same with two inputs: the records of a key come from both in the order of their timestamps."""

    def process2(self, batch: Batch) -> None:
        self._gather(1, batch)

    def process_watermark2(self, timestamp: int) -> None:
        self._ends(1, timestamp)

    def process_status2(self, active: bool) -> None:
        """Ignore it, as that of the first input."""


def _time(record: Record) -> int:
    stamp = record[STAMP]
    return MIN_TIMESTAMP if stamp is None else stamp
