"""A process function on a keyed stream."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any

from flott.runtime.operators.results import not_results
from flott.runtime.operators.selected_keys import selected_keys
from flott.runtime.operators.timed import TimedOperator
from flott.runtime.operators.wrong_key import wrong_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.batch import Batch


class KeyedProcess(TimedOperator):
    """Calls ``process_element`` for each record, with the record's key set, and ``on_timer`` when a timer is due."""

    def __init__(self, function: Any, key_selector: Callable[[Any], Any]) -> None:
        super().__init__(function)
        self.key_selector = key_selector

    def process(self, batch: Batch) -> None:
        values = batch.values
        keys = selected_keys(self, self.key_selector, values)
        self.look_ahead(keys)
        records = iter(values)
        try:
            if batch.stamps is None:
                self._without_stamps(records, keys)
            else:
                self._with_stamps(records, keys, batch.stamps)
        except Exception as error:
            position = len(values) - records.__length_hint__() - 1  # type: ignore[attr-defined]
            record = values[position]
            wrong = wrong_key(self.context.title, keys[position], record) or not_results(error, self.who(), record)
            raise wrong or self.failure(error, record) from None
        self.scope.unset()
        self.results.emit(self.output)

    def _without_stamps(self, records: Iterator[Any], keys: list[Any]) -> None:
        process, ctx, scope = self.function.process_element, self.ctx, self.scope
        self.results.stamps = None
        extend = self.results.values.extend
        ctx.stamp = None
        for value, scope.key in zip(records, keys, strict=True):
            produced = process(value, ctx)
            if produced is not None:
                extend(produced)

    def _with_stamps(self, records: Iterator[Any], keys: list[Any], times: list[int | None]) -> None:
        process, ctx, scope = self.function.process_element, self.ctx, self.scope
        values = self.results.values
        stamps: list[int | None] = []
        self.results.stamps = stamps
        extend, stamp_one = values.extend, stamps.append
        before = 0
        for value, scope.key, stamp in zip(records, keys, times, strict=True):
            ctx.stamp = stamp
            produced = process(value, ctx)
            if produced is not None:
                extend(produced)
                after = len(values)
                if after == before + 1:
                    stamp_one(stamp)
                else:
                    stamps.extend(repeat(stamp, after - before))
                before = after
