"""Functions that wait for something outside, many at a time, and when to try again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from flott.datastream.functions.base import Function

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from flott.common.time import Time
    from flott.datastream.async_retry_strategies import (
        ExponentialBackoffDelayRetryStrategy,
        FixedDelayRetryStrategy,
    )

    ResultPredicate: TypeAlias = Callable[[list[Any]], bool]
    ExceptionPredicate: TypeAlias = Callable[[Exception], bool]

__all__ = ["AsyncFunction", "AsyncFunctionDescriptor", "AsyncRetryPredicate", "AsyncRetryStrategy"]

IN = TypeVar("IN")
OUT = TypeVar("OUT")


class AsyncFunction(Function, Generic[IN, OUT]):
    """Asks something outside (a service, a database) about each record, without waiting in line.

    >>> class Lookup(AsyncFunction):
    ...     async def async_invoke(self, value):
    ...         return [await self.client.get(value)]
    """

    @abstractmethod
    async def async_invoke(self, value: IN) -> list[OUT]:
        """Returns the results of a record."""

    def timeout(self, value: IN) -> list[OUT]:
        """Returns the results of a record that took too long; by default that is an error."""
        raise TimeoutError(f"the asynchronous call for {value!r} took longer than the timeout")


class AsyncRetryPredicate(ABC, Generic[OUT]):
    """Says after which results, and after which errors, a call is tried again."""

    @abstractmethod
    def result_predicate(self) -> Callable[[list[OUT]], bool] | None:
        """Returns what says yes to a result that calls for another try; None: no result does."""

    @abstractmethod
    def exception_predicate(self) -> Callable[[Exception], bool] | None:
        """Returns what says yes to an error that calls for another try; None: no error does."""


class AsyncRetryStrategy(ABC, Generic[OUT]):
    """Says how often a call is tried again, and how long to wait in between."""

    @abstractmethod
    def can_retry(self, current_attempts: int) -> bool:
        """Says whether there may be another try after so many."""

    @abstractmethod
    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """Returns how long to wait before the next try, in milliseconds."""

    @abstractmethod
    def get_retry_predicate(self) -> AsyncRetryPredicate[OUT]:
        """Returns what decides whether a call needs another try."""

    @staticmethod
    def no_restart() -> AsyncRetryStrategy[Any]:
        """Returns the strategy that never tries again.

        >>> AsyncRetryStrategy.no_restart().can_retry(1)
        False
        """
        from flott.datastream.async_retry_strategies import NO_RETRY_STRATEGY

        return NO_RETRY_STRATEGY

    @staticmethod
    def fixed_delay(
        max_attempts: int,
        backoff_time_millis: int,
        result_predicate: ResultPredicate | None,
        exception_predicate: ExceptionPredicate | None,
    ) -> FixedDelayRetryStrategy[Any]:
        """Returns a strategy that waits equally long before each try."""
        from flott.datastream.async_retry_strategies import FixedDelayRetryStrategy

        return FixedDelayRetryStrategy(max_attempts, backoff_time_millis, result_predicate, exception_predicate)

    @staticmethod
    def exponential_backoff(
        max_attempts: int,
        initial_delay: int,
        max_retry_delay: int,
        multiplier: float,
        result_predicate: ResultPredicate | None,
        exception_predicate: ExceptionPredicate | None,
    ) -> ExponentialBackoffDelayRetryStrategy[Any]:
        """Returns a strategy that waits longer before each try."""
        from flott.datastream.async_retry_strategies import ExponentialBackoffDelayRetryStrategy

        return ExponentialBackoffDelayRetryStrategy(
            max_attempts, initial_delay, max_retry_delay, multiplier, result_predicate, exception_predicate
        )


@dataclass(slots=True)
class AsyncFunctionDescriptor:
    """An asynchronous function, and how it is to be called."""

    class OutputMode(Enum):
        """Whether results keep the order of the records they belong to."""

        ORDERED = 0
        UNORDERED = 1

    async_function: AsyncFunction[Any, Any]
    timeout: Time
    capacity: int
    async_retry_strategy: AsyncRetryStrategy[Any]
    output_mode: AsyncFunctionDescriptor.OutputMode
