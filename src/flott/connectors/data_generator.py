"""Records made from their index: test data, load, simulations."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, ClassVar

import cloudpickle

from flott.connectors.base import BATCH_SIZE, Source
from flott.connectors.generator_functions import add_note, gather
from flott.connectors.index_range import IndexRangeEnumerator
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.errors import GraphError
from flott.runtime.batch import Batch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.common.typeinfo import TypeInformation
    from flott.connectors.generator_functions import GeneratorFunction
    from flott.runtime.source import SplitRead


COLUMNS_AT_ONCE = 65_536
"""How many records a generator of columns makes at once."""


class DataGeneratorSource(Source):
    """Gives out ``generator_function`` of the indexes 0, 1, 2, … up to ``count``, or without end if that is None.

    >>> source = DataGeneratorSource(lambda index: f"user-{index}", count=3)
    >>> [reads] = source.create_enumerator(parallelism=1).plan(1.0, now=0).reads
    >>> [batch.values for read in reads for batch in source.read(read)]
    [['user-0', 'user-1', 'user-2']]
    """

    fresh_batches: ClassVar[bool] = True

    def __init__(
        self,
        generator_function: GeneratorFunction | Callable[[int], Any],
        count: int | None = None,
        rate_limiter_strategy: RateLimiterStrategy | None = None,
        type_info: TypeInformation | None = None,
    ) -> None:
        if count is not None and count < 0:
            raise GraphError(f"DataGeneratorSource: count is {count}; say how many records, or None for no end")
        self.generator_function = _checked(generator_function)
        self.count = count
        self.rate_limiter_strategy = rate_limiter_strategy or RateLimiterStrategy.no_op()
        self.type_info = type_info or getattr(generator_function, "type_info", None)

    def is_bounded(self) -> bool:
        return self.count is not None

    def create_enumerator(self, parallelism: int) -> IndexRangeEnumerator:
        limiter = self.rate_limiter_strategy.create_rate_limiter()
        return IndexRangeEnumerator(0, self.count, parallelism, limiter)

    def read(self, read: SplitRead) -> Iterator[Batch]:
        if hasattr(self.generator_function, "map_columns"):
            yield from _generate_columns(self.generator_function, read.start, read.end)
            return
        for start in range(read.start, read.end, BATCH_SIZE):
            yield Batch(self._generate(start, min(start + BATCH_SIZE, read.end)))

    def get_produced_type(self) -> TypeInformation | None:
        return self.type_info

    def _generate(self, start: int, stop: int) -> list[Any]:
        map_range = getattr(self.generator_function, "map_range", None)
        if map_range is not None:
            return _generate_at_once(map_range, start, stop)
        function = getattr(self.generator_function, "map", self.generator_function)
        run = range(start, stop)
        return gather(map(function, run), run)


def _generate_columns(generator: Any, start: int, stop: int) -> Iterator[Batch]:
    for first in range(start, stop, COLUMNS_AT_ONCE):
        last = min(first + COLUMNS_AT_ONCE, stop)
        try:
            batch: Batch = generator.map_columns(first, last)
        except Exception as error:
            add_note(error, f"raised for the indexes {first} to {last - 1} of the data generator")
            raise
        yield batch


def _generate_at_once(map_range: Callable[[int, int], list[Any]], start: int, stop: int) -> list[Any]:
    try:
        records = list(map_range(start, stop))
    except Exception as error:
        add_note(error, f"raised for the indexes {start} to {stop - 1} of the data generator")
        raise
    if len(records) != stop - start:
        raise ValueError(f"map_range({start}, {stop}) returned {len(records)} records; it must return {stop - start}")
    return records


def _checked(function: Any) -> Any:
    """Refuse, while the program is built, what would only fail in a task."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    called = getattr(function, "map", function)
    if not callable(called):
        raise GraphError(
            f"DataGeneratorSource: {function!r} is no generator; pass a function of the index or a GeneratorFunction"
        )
    try:
        inspect.signature(called).bind(0)
    except TypeError as error:
        raise GraphError(f"DataGeneratorSource: {name} must take one argument, the index: {error}") from None
    except ValueError:
        pass  # some built-in functions do not tell their signature
    try:
        cloudpickle.dumps(function)
    except Exception as error:
        raise GraphError(
            f"DataGeneratorSource: {name} can't be pickled and so can't travel to a task: {error}. Let it refer to "
            f"plain values only, not to open files, connections or locks."
        ) from error
    return function
