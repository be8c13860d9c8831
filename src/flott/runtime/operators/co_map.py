"""Map and flat map over two connected streams: one function, a method for each side."""

from __future__ import annotations

from itertools import compress, repeat
from typing import Any

from flott.errors import USER_CODE_RAISES
from flott.runtime.batch import Batch
from flott.runtime.operators.combined_inputs import CombinedInputs
from flott.runtime.operators.results import not_results
from flott.runtime.operators.user_function import UserFunctionOperator


class CoMap(CombinedInputs, UserFunctionOperator):
    """Calls ``map1`` or ``map2``; a result of None is no record."""

    def process_input(self, index: int, batch: Batch) -> None:
        call = self.function.map2 if index else self.function.map1
        stamps = batch.stamps
        values: list[Any] = []
        try:
            self.context.emission.map_into(values, call, batch.values)
        except USER_CODE_RAISES as error:
            raise self.failure(error, batch.values[len(values)]) from None
        there = [value is not None for value in values]
        if not all(there):
            values = list(compress(values, there))
            stamps = None if stamps is None else list(compress(stamps, there))
        if values:
            self.output.emit(Batch(values, stamps))


class CoFlatMap(CombinedInputs, UserFunctionOperator):
    """Calls ``flat_map1`` or ``flat_map2``."""

    def process_input(self, index: int, batch: Batch) -> None:
        call = self.function.flat_map2 if index else self.function.flat_map1
        values: list[Any] = []
        extend = self.context.emission.extend
        stamps: list[int | None] | None = None if batch.stamps is None else []
        records = iter(batch.values)
        try:
            for value, stamp in zip(records, batch.stamps or repeat(None), strict=False):
                produced = call(value)
                if produced is not None:
                    before = len(values)
                    extend(values, produced)
                    if stamps is not None:
                        stamps.extend(repeat(stamp, len(values) - before))
        except USER_CODE_RAISES as error:
            record = batch.values[len(batch) - records.__length_hint__() - 1]  # type: ignore[attr-defined]
            raise not_results(error, self.who(), record) or self.failure(error, record) from None
        if values:
            self.output.emit(Batch(values, stamps))
