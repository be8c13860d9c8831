"""Asynchronous I/O: asking something outside about many records at a time."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from flott.common.time import to_milliseconds
from flott.datastream._checks.describe import describe
from flott.datastream._checks.picklable import check_picklable
from flott.datastream._typed_values import declared
from flott.datastream.async_retry_strategies import NO_RETRY_STRATEGY
from flott.datastream.functions import AsyncFunction
from flott.errors import GraphError
from flott.runtime.operators.async_wait import AsyncSettings, AsyncWait

if TYPE_CHECKING:
    from flott.common.time import TimeInterval
    from flott.datastream.data_stream import DataStream
    from flott.datastream.data_stream.stream import DeclaredType
    from flott.datastream.functions import AsyncRetryStrategy

__all__ = ["AsyncDataStream"]


class AsyncDataStream:
    """Applies an AsyncFunction to a stream; results keep the order of their records, or do not.

    >>> from flott.common import Duration
    >>> from flott.datastream import AsyncFunction, StreamExecutionEnvironment
    >>> class Lookup(AsyncFunction):
    ...     async def open(self, runtime_context):
    ...         self.client = await connect("http://prices.example")
    ...
    ...     async def async_invoke(self, value):
    ...         return [await self.client.price_of(value)]
    ...
    ...     async def close(self):
    ...         await self.client.close()
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> items = env.from_collection(["pen", "ink"])
    >>> prices = AsyncDataStream.unordered_wait(items, Lookup(), Duration.of_seconds(5), capacity=200)

    As this shows, ``open`` and ``close`` may be coroutines, too; they run in the event loop of the calls.
    """

    @staticmethod
    def unordered_wait(
        data_stream: DataStream,
        async_function: AsyncFunction[Any, Any],
        timeout: TimeInterval,
        capacity: int = 100,
        output_type: DeclaredType | None = None,
    ) -> DataStream:
        """Hands results on as they come; only watermarks are not overtaken."""
        made = _settings("unordered_wait", async_function, timeout, NO_RETRY_STRATEGY, capacity)
        return _apply("unordered_wait", data_stream, async_function, made, output_type)

    @staticmethod
    def unordered_wait_with_retry(
        data_stream: DataStream,
        async_function: AsyncFunction[Any, Any],
        timeout: TimeInterval,
        async_retry_strategy: AsyncRetryStrategy[Any],
        capacity: int = 100,
        output_type: DeclaredType | None = None,
    ) -> DataStream:
        """Hands results on as they come, and tries again what a strategy says."""
        made = _settings("unordered_wait_with_retry", async_function, timeout, async_retry_strategy, capacity)
        return _apply("unordered_wait_with_retry", data_stream, async_function, made, output_type)

    @staticmethod
    def ordered_wait(
        data_stream: DataStream,
        async_function: AsyncFunction[Any, Any],
        timeout: TimeInterval,
        capacity: int = 100,
        output_type: DeclaredType | None = None,
    ) -> DataStream:
        """Hands results on in the order of their records."""
        made = _settings("ordered_wait", async_function, timeout, NO_RETRY_STRATEGY, capacity)
        return _apply("ordered_wait", data_stream, async_function, made, output_type)

    @staticmethod
    def ordered_wait_with_retry(
        data_stream: DataStream,
        async_function: AsyncFunction[Any, Any],
        timeout: TimeInterval,
        async_retry_strategy: AsyncRetryStrategy[Any],
        capacity: int = 100,
        output_type: DeclaredType | None = None,
    ) -> DataStream:
        """Hands results on in the order of their records, and tries again what a strategy says."""
        made = _settings("ordered_wait_with_retry", async_function, timeout, async_retry_strategy, capacity)
        return _apply("ordered_wait_with_retry", data_stream, async_function, made, output_type)


def _settings(
    call: str, function: Any, timeout: TimeInterval, strategy: AsyncRetryStrategy[Any], capacity: int
) -> AsyncSettings:
    if not isinstance(function, AsyncFunction) or not inspect.iscoroutinefunction(function.async_invoke):
        raise GraphError(
            f"{call}(...): {describe(function)} does not fit; give an AsyncFunction object whose async_invoke is "
            "declared with async def"
        )
    millis = to_milliseconds(timeout)
    if millis < 0:
        raise GraphError(f"{call}(...): a timeout is 0 (none) or more, not {timeout}")
    if strategy is not NO_RETRY_STRATEGY and millis == 0:
        raise GraphError(f"{call}(...): trying again needs a timeout greater than 0, not {timeout}")
    if capacity < 1:
        raise GraphError(f"{call}(...): the capacity is 1 or more, not {capacity}")
    retries = None if strategy is NO_RETRY_STRATEGY else strategy
    return AsyncSettings(call.startswith("ordered"), millis, capacity, retries)


def _apply(
    call: str, stream: DataStream, function: Any, settings: AsyncSettings, output_type: DeclaredType | None
) -> DataStream:
    where = f"{call}(...)"
    type_info = declared(where, output_type)
    check_picklable(where, function)
    check_picklable(where, settings.retries)
    return stream._apply("async wait operator", AsyncWait(function, settings), type_info)  # noqa: SLF001
