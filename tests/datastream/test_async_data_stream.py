from __future__ import annotations

import pytest

from flott.common import Time, Types
from flott.datastream import AsyncDataStream, AsyncFunction, AsyncRetryStrategy
from flott.datastream.async_retry_predicates import has_exception_predicate
from flott.errors import FlottError, GraphError


class Lookup(AsyncFunction):
    async def async_invoke(self, value):
        return [value]


class NotAsync(AsyncFunction):
    def async_invoke(self, value):
        return [value]


RETRY = AsyncRetryStrategy.fixed_delay(3, 10, None, has_exception_predicate)
CALLS = {
    "ordered_wait": (),
    "unordered_wait": (),
    "ordered_wait_with_retry": (RETRY,),
    "unordered_wait_with_retry": (RETRY,),
}


@pytest.mark.parametrize("call", CALLS)
def test_it_says_that_it_is_not_there_yet(env, call):
    numbers = env.from_collection([1])
    with pytest.raises(FlottError, match=f"AsyncDataStream.{call}.*not available"):
        getattr(AsyncDataStream, call)(numbers, Lookup(), Time.seconds(1), *CALLS[call], 10, Types.INT())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((NotAsync(), Time.seconds(1), RETRY), "async def"),
        ((lambda value: [value], Time.seconds(1), RETRY), "AsyncFunction object"),
        ((Lookup(), Time.seconds(0), RETRY), "timeout greater than 0"),
        ((Lookup(), Time.seconds(1), RETRY, 0), "capacity is 1 or more"),
        ((Lookup(), Time.seconds(1), RETRY, 1, Types.INT), "with parentheses"),
    ],
)
def test_wrong_use_is_found_all_the_same(env, arguments, message):
    with pytest.raises(GraphError, match=message):
        AsyncDataStream.ordered_wait_with_retry(env.from_collection([1]), *arguments)


def test_strategies_say_when_to_try_again():
    assert not AsyncRetryStrategy.no_restart().can_retry(0)
    assert AsyncRetryStrategy.no_restart().get_backoff_time_millis(1) == -1
    assert AsyncRetryStrategy.no_restart().get_retry_predicate().result_predicate() is None
    assert RETRY.get_retry_predicate().exception_predicate()(OSError())
    backoff = AsyncRetryStrategy.exponential_backoff(2, 10, 15, 2.0, None, has_exception_predicate)
    assert [backoff.get_backoff_time_millis(attempt) for attempt in (1, 2, 3, 1)] == [10, 15, 15, 10]
    assert [backoff.can_retry(attempt) for attempt in (2, 3)] == [True, False]
    assert backoff.get_retry_predicate().exception_predicate()(OSError())


@pytest.mark.parametrize("arguments", [(0, 10), (3, 0)])
def test_a_strategy_needs_positive_numbers(arguments):
    with pytest.raises(ValueError, match="greater than zero"):
        AsyncRetryStrategy.fixed_delay(*arguments, None, None)
