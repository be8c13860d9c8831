"""Map, flat map and filter: a list comes in, a list goes out.

Python calls one function from another faster than ``map`` does: hence comprehensions where nothing is compiled.
"""

from __future__ import annotations

from itertools import compress, repeat
from typing import TYPE_CHECKING, Any

from flott.errors import USER_CODE_RAISES
from flott.runtime.batch import Batch
from flott.runtime.operators.user_function import UserFunctionOperator

if TYPE_CHECKING:
    from collections.abc import Callable


class Map(UserFunctionOperator):
    """One record in, one record out."""

    call: Callable[[Any], Any]

    def open(self) -> None:
        super().open()
        self.call = self.function.map

    def process(self, batch: Batch) -> None:
        values: list[Any] = []
        try:
            self.context.emission.map_into(values, self.call, batch.values)
        except USER_CODE_RAISES as error:
            raise self.failure(error, batch.values[len(values)]) from None
        self.output.emit(Batch(values, batch.stamps))


class Filter(UserFunctionOperator):
    """Keeps the records for which the function says yes."""

    call: Callable[[Any], Any]

    def open(self) -> None:
        super().open()
        self.call = self.function.filter

    def process(self, batch: Batch) -> None:
        records, call = iter(batch.values), self.call
        try:
            chosen = [call(record) for record in records]
        except USER_CODE_RAISES as error:
            raise self.failed(error, records, batch.values) from None
        values = list(compress(batch.values, chosen))
        if values:
            stamps = batch.stamps
            self.output.emit(Batch(values, None if stamps is None else list(compress(stamps, chosen))))


class FlatMap(UserFunctionOperator):
    """One record in, any number out."""

    call: Callable[[Any], Any]

    def open(self) -> None:
        super().open()
        self.call = self.function.flat_map

    def process(self, batch: Batch) -> None:
        call, extend = self.call, self.context.emission.extend
        values: list[Any] = []
        stamps: list[int | None] | None = None
        records = iter(batch.values)
        try:
            if batch.stamps is None:
                for value in records:
                    results = call(value)
                    if results is not None:
                        extend(values, results)
            else:
                stamps = []
                for value, stamp in zip(records, batch.stamps, strict=True):
                    results = call(value)
                    if results is not None:
                        before = len(values)
                        extend(values, results)
                        stamps.extend(repeat(stamp, len(values) - before))
        except USER_CODE_RAISES as error:
            raise self.failed(error, records, batch.values) from None
        if values:
            self.output.emit(Batch(values, stamps))
