from __future__ import annotations

import asyncio

import pytest

from flott.common import Time, Types
from flott.datastream import AsyncDataStream, AsyncFunction, AsyncRetryStrategy
from flott.datastream.async_retry_predicates import has_exception_predicate
from flott.errors import GraphError, JobExecutionError


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


def run(stream):
    with stream.execute_and_collect() as results:
        return list(results)


@pytest.mark.parametrize("call", CALLS)
def test_every_record_is_asked_about(env, call):
    numbers = env.from_collection(list(range(50)))
    found = getattr(AsyncDataStream, call)(numbers, Lookup(), Time.seconds(10), *CALLS[call], 10, Types.INT())
    assert found.get_name() == "async wait operator"
    assert sorted(run(found)) == list(range(50))


class Slow(AsyncFunction):
    """The earlier a record, the later its result."""

    async def async_invoke(self, value):
        for _ in range(20 - value):
            await asyncio.sleep(0)
        return [value]


def test_ordered_results_are_ordered(env):
    env.set_parallelism(1)
    numbers = env.from_collection(list(range(20)))
    assert run(AsyncDataStream.ordered_wait(numbers, Slow(), Time.seconds(10))) == list(range(20))
    assert run(AsyncDataStream.unordered_wait(numbers, Slow(), Time.seconds(10))) == list(range(19, -1, -1))


class TooLate(AsyncFunction):
    async def async_invoke(self, value):
        await asyncio.Event().wait()

    def timeout(self, value):
        return [-value]


def test_a_timeout_has_results_of_its_own(env):
    numbers = env.from_collection([1, 2])
    assert sorted(run(AsyncDataStream.unordered_wait(numbers, TooLate(), Time.milliseconds(20)))) == [-2, -1]


class Unreliable(AsyncFunction):
    def open(self, runtime_context):
        self.asked = set()

    async def async_invoke(self, value):
        if value not in self.asked:
            self.asked.add(value)
            raise ConnectionError("try again")
        return [value]


def test_errors_are_tried_again(env):
    numbers = env.from_collection([1, 2, 3])
    again = AsyncDataStream.unordered_wait_with_retry(numbers, Unreliable(), Time.seconds(10), RETRY)
    assert sorted(run(again)) == [1, 2, 3]
    with pytest.raises(JobExecutionError, match="ConnectionError: try again"):
        run(AsyncDataStream.unordered_wait(numbers, Unreliable(), Time.seconds(10)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((NotAsync(), Time.seconds(1), RETRY), "async def"),
        ((lambda value: [value], Time.seconds(1), RETRY), "AsyncFunction object"),
        ((Lookup(), Time.seconds(0), RETRY), "timeout greater than 0"),
        ((Lookup(), Time.seconds(-1), RETRY), "timeout is 0"),
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
