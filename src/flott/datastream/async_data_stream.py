"""Asynchronous I/O: asking something outside about many records at a time."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, NoReturn

from flott.common.time import to_milliseconds
from flott.datastream._checks.describe import describe
from flott.datastream._not_yet import not_yet
from flott.datastream._typed_values import declared
from flott.datastream.async_retry_strategies import NO_RETRY_STRATEGY
from flott.datastream.functions import AsyncFunction
from flott.errors import GraphError

if TYPE_CHECKING:
    from flott.common.time import TimeInterval
    from flott.datastream.data_stream import DataStream
    from flott.datastream.data_stream.stream import DeclaredType
    from flott.datastream.functions import AsyncRetryStrategy

__all__ = ["AsyncDataStream"]


class AsyncDataStream:
    """Applies an AsyncFunction to a stream; results keep the order of their records, or do not."""

    @staticmethod
    def unordered_wait(
        data_stream: DataStream,
        async_function: AsyncFunction[Any, Any],
        timeout: TimeInterval,
        capacity: int = 100,
        output_type: DeclaredType | None = None,
    ) -> DataStream:
        """Hands results on as they come; only watermarks are not overtaken."""
        _refuse("unordered_wait", data_stream, async_function, timeout, NO_RETRY_STRATEGY, capacity, output_type)

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
        _refuse(
            "unordered_wait_with_retry",
            data_stream,
            async_function,
            timeout,
            async_retry_strategy,
            capacity,
            output_type,
        )

    @staticmethod
    def ordered_wait(
        data_stream: DataStream,
        async_function: AsyncFunction[Any, Any],
        timeout: TimeInterval,
        capacity: int = 100,
        output_type: DeclaredType | None = None,
    ) -> DataStream:
        """Hands results on in the order of their records."""
        _refuse("ordered_wait", data_stream, async_function, timeout, NO_RETRY_STRATEGY, capacity, output_type)

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
        _refuse(
            "ordered_wait_with_retry", data_stream, async_function, timeout, async_retry_strategy, capacity, output_type
        )


def _refuse(
    call: str,
    data_stream: DataStream,
    async_function: Any,
    timeout: TimeInterval,
    strategy: AsyncRetryStrategy[Any],
    capacity: int,
    output_type: DeclaredType | None,
) -> NoReturn:
    if not isinstance(async_function, AsyncFunction) or not inspect.iscoroutinefunction(async_function.async_invoke):
        raise GraphError(
            f"{call}(...): {describe(async_function)} does not fit; give an AsyncFunction object whose async_invoke is "
            "declared with async def"
        )
    if strategy is not NO_RETRY_STRATEGY and to_milliseconds(timeout) <= 0:
        raise GraphError(f"{call}(...): trying again needs a timeout greater than 0, not {timeout}")
    if capacity < 1:
        raise GraphError(f"{call}(...): the capacity is 1 or more, not {capacity}")
    declared(f"{call}(...)", output_type)
    raise not_yet(f"AsyncDataStream.{call}(...)", f"use {data_stream.get_name()}'s stream with map(...) meanwhile")
