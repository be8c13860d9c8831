"""A keyed operator in batch mode: its input is gathered to the end, then each key has its turn alone."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP, Batch
from flott.runtime.canonical_keys import loaded_key
from flott.runtime.input import Input
from flott.runtime.keys import encode_key
from flott.runtime.operator import MultiInputOperator
from flott.runtime.operators.selected_keys import selected_keys
from flott.runtime.state.gathered_input import GatheredInput
from flott.runtime.state.kinds import GATHERED_INPUT
from flott.runtime.timer_queue import TimerQueue

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.context import OperatorContext
    from flott.runtime.operator import Operator, Output
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


class KeyByKey(MultiInputOperator):
    """Runs a keyed operator as Flink's batch mode does.

    Once the input has ended, the records of a key come in the order of their timestamps; then all its timers fire,
    first those of event time, and its state is dropped. So there is never state of more than one key. What
    is gathered waits in the store, and of it one key group at a time is in memory. Of several inputs, the records of a
    key come together in the order of their timestamps.
    """

    _waiting: set[int]
    """The inputs that have not ended."""

    def __init__(self, operator: Operator, key_selectors: tuple[Callable[[Any], Any], ...]) -> None:
        self.operator = operator
        self.key_selectors = key_selectors
        self.inputs = len(key_selectors)

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

    def process_input(self, index: int, batch: Batch) -> None:
        values = batch.values
        keys = selected_keys(self, self.key_selectors[index], values)
        self._gathered.add(index, keys, values, batch.stamps or [None] * len(values))

    def on_input_watermark(self, index: int, timestamp: int) -> int | None:
        if timestamp != MAX_WATERMARK or index not in self._waiting:
            return None
        self._waiting = self._waiting - {index}
        if self._waiting:
            return None
        self._run()
        return timestamp

    def on_input_status(self, index: int, active: bool) -> tuple[None, None]:
        """Ignore it: whoever has no records now may have some until the end."""
        return None, None

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
        operator = self.operator
        inputs = [Input(operator, index) for index in range(self.inputs)]
        for number, some in groupby(records, itemgetter(NUMBER)):
            _, _, values, stamps = zip(*some, strict=True)
            batch = Batch(list(values), None if set(stamps) == {None} else list(stamps))
            inputs[number].process(batch)
        for one in inputs:
            one.watermark(MAX_WATERMARK)
        timers = getattr(operator, "timers", None)
        waiting = timers.processing.all() if timers is not None else []
        if waiting:
            operator.process_time(waiting[-1][0])

    def _drop_state(self) -> None:
        for part in self._backend.parts().values():
            if part is not self._gathered and (not isinstance(part, TimerQueue) or part.all()):
                part.forget()


def _time(record: Record) -> int:
    stamp = record[STAMP]
    return MIN_TIMESTAMP if stamp is None else stamp
