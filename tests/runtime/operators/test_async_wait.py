"""Asynchronous calls: order, capacity, watermarks, timeouts, retries, errors. Time passes in turns of the loop."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.datastream.async_retry_strategies import FixedDelayRetryStrategy
from flott.errors import FlottError, UserFunctionError
from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.operators.async_wait import AsyncSettings, AsyncWait
from flott.runtime.state.carried import Carried
from flott.testing.harness import OneInputOperatorHarness
from flott.testing.recorder import Record, Status, Watermark


class Turns:
    """Takes as many turns of the loop as the record says."""

    most = 0
    running = 0

    def open(self, runtime_context):
        asyncio.get_running_loop()

    def close(self):
        asyncio.get_running_loop()

    async def async_invoke(self, value):
        self.running += 1
        self.most = max(self.most, self.running)
        for _ in range(value):
            await asyncio.sleep(0)
        self.running -= 1
        return [value]

    def timeout(self, value):
        return [("late", value)]


def harness(function=None, *, ordered=True, timeout=0, capacity=100, retries=None):
    return OneInputOperatorHarness(AsyncWait(function or Turns(), AsyncSettings(ordered, timeout, capacity, retries)))


def test_ordered_results_keep_the_order_of_their_records():
    with harness() as h:
        h.process_batch([9, 1, 5, 0], [1, 2, None, 4])
        h.end_epoch()
        assert h.extract_output_records() == [(9, 1), (1, 2), (5, None), (0, 4)]


def test_unordered_results_come_as_calls_end():
    with harness(ordered=False) as h:
        h.process_batch([9, 1, 5, 0])
        h.end_epoch()
        assert h.extract_output_records() == [(0, None), (1, None), (5, None), (9, None)]


@pytest.mark.parametrize("ordered", [True, False])
def test_watermarks_overtake_nothing_and_are_overtaken_by_nothing(ordered):
    with harness(ordered=ordered) as h:
        h.process_batch([9, 1], [1, 1])
        h.process_watermark(2)
        h.process_batch([7, 0], [3, 3])
        h.process_watermark(4)
        h.process_watermark(5)
        h.end_epoch()
        first, second = ([9, 1], [7, 0]) if ordered else ([1, 9], [0, 7])
        assert h.main.events == [
            *(Record(value, 1) for value in first), Watermark(2),
            *(Record(value, 3) for value in second), Watermark(4), Watermark(5),
        ]  # fmt: skip


def test_a_watermark_with_nothing_before_it_passes_at_once():
    with harness() as h:
        h.process_watermark(3)
        assert h.extract_watermarks() == [3]


def test_a_change_of_status_waits_for_what_is_under_way():
    with harness() as h:
        h.process_element(9, 1)
        h.process_status(active=False)
        assert h.main.events == [Record(9, 1), Status(active=False)]


@given(
    st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=6),
    st.booleans(),
    st.integers(1, 5),
    st.integers(1, 4),
)
def test_nothing_is_lost_and_order_is_kept_where_it_is_promised(segments, ordered, capacity, epoch):
    with harness(ordered=ordered, capacity=capacity) as h:
        for number, segment in enumerate(segments):
            h.process_batch(segment, [number] * len(segment))
            h.process_watermark(number)
            if number % epoch == 0:
                h.end_epoch(new_worker=number % 2 == 0)
        h.finish()
        found, position = [[]], 0
        for event in h.main.events:
            if isinstance(event, Watermark):
                assert event.timestamp == position
                position += 1
                found.append([])
            else:
                found[-1].append(event.value)
        assert found.pop() == []
        if ordered:
            assert found == segments
        else:
            assert [sorted(segment) for segment in found] == [sorted(segment) for segment in segments]


def test_no_more_calls_than_the_capacity_are_under_way():
    with harness(ordered=False, capacity=3) as h:
        h.process_batch([2] * 20)
        h.finish()
        assert h.operator.function.most == 3
        assert h.extract_output_values() == [2] * 20


def test_calls_go_on_over_batches_and_end_with_the_epoch():
    with harness(ordered=False) as h:
        h.process_batch([50])
        h.process_batch([50])
        assert h.extract_output_values() == []
        assert h.operator.function.running == 2
        h.end_epoch()
        assert h.extract_output_values() == [50, 50]
        assert h.operator.queue.held == 0


def test_time_of_day_lets_the_loop_turn():
    with harness() as h:
        h.process_element(3)
        for now in range(1, 10):
            h.set_processing_time(now)
        assert h.extract_output_values() == [3]


class Never(Turns):
    async def async_invoke(self, value):
        if value:
            await asyncio.Event().wait()
        return [value]


@pytest.mark.parametrize("ordered", [True, False])
def test_a_call_that_takes_too_long_has_the_results_of_timeout(ordered):
    with harness(Never(), ordered=ordered, timeout=20) as h:
        h.process_batch([1, 0, 2], [1, 2, 3])
        h.process_watermark(5)
        h.end_epoch()
        records = [Record(("late", 1), 1), Record(0, 2), Record(("late", 2), 3)]
        assert h.main.events[:3] == (records if ordered else [records[1], records[0], records[2]])
        assert h.main.events[3:] == [Watermark(5)]


def test_a_timeout_is_an_error_unless_the_function_says_otherwise():
    class Fails(Never):
        def timeout(self, value):
            raise TimeoutError("too long")

    with harness(Fails(), timeout=20) as h:
        h.process_element(7)
        with pytest.raises(UserFunctionError, match=r"record 7[\s\S]*TimeoutError: too long"):
            h.end_epoch()
        h._carried = Carried()


def test_time_in_which_the_loop_stood_still_does_not_count():
    with harness(Never(), timeout=5_000) as h:
        h.process_element(1)
        operator = h.operator
        # As if the task had done other things for an hour.
        operator._stopped_at -= 3_600
        h.set_processing_time(1)
        assert h.extract_output_values() == []
        assert operator.queue.held == 1


class Flaky(Turns):
    """Fails, or answers with nothing, so many times for each record."""

    def __init__(self, error=None):
        self.tries = {}
        self.error = error

    async def async_invoke(self, value):
        name, times = value
        self.tries[name] = self.tries.get(name, 0) + 1
        if self.tries[name] > times:
            return [(name, self.tries[name])]
        if self.error is not None:
            raise self.error
        return []


def is_value_error(error):
    return isinstance(error, ValueError)


def is_empty(results):
    return not results


def test_bad_results_are_tried_again_until_there_are_no_more_tries():
    strategy = FixedDelayRetryStrategy(2, 1, is_empty, None)
    with harness(Flaky(), timeout=10_000, retries=strategy) as h:
        h.process_batch([("a", 0), ("b", 2), ("c", 9)])
        h.end_epoch()
        assert h.extract_output_values() == [("a", 1), ("b", 3)]
        assert h.operator.function.tries == {"a": 1, "b": 3, "c": 3}


def test_errors_are_tried_again_if_the_strategy_says_so():
    strategy = FixedDelayRetryStrategy(3, 1, None, is_value_error)
    with harness(Flaky(ValueError("busy")), timeout=10_000, retries=strategy) as h:
        h.process_batch([("a", 1), ("b", 3)])
        h.end_epoch()
        assert h.extract_output_values() == [("a", 2), ("b", 4)]
        h.process_element(("c", 9))
        with pytest.raises(UserFunctionError, match="ValueError: busy"):
            h.end_epoch()
    with harness(Flaky(KeyError("gone")), timeout=10_000, retries=strategy) as h:
        with pytest.raises(UserFunctionError, match="KeyError"):
            h.process_element(("a", 1))
        assert h.operator.function.tries == {"a": 1}


def test_the_timeout_ends_all_tries():
    class Empty(Turns):
        async def async_invoke(self, value):
            return []

    strategy = FixedDelayRetryStrategy(1_000_000, 5, is_empty, None)
    with harness(Empty(), timeout=30, retries=strategy) as h:
        h.process_element(1)
        h.end_epoch()
        assert h.extract_output_values() == [("late", 1)]


@pytest.mark.parametrize("results", [None, 5, "text"])
def test_results_that_are_no_list_are_told_with_the_right_form(results):
    class Wrong(Turns):
        async def async_invoke(self, value):
            return results

    with harness(Wrong()) as h, pytest.raises(FlottError, match=r"Return a list of results"):
        h.process_element(1)


def test_any_iterable_will_do():
    class Tuples(Turns):
        async def async_invoke(self, value):
            return (number for number in range(value))

    with harness(Tuples()) as h:
        h.process_batch([2, 0, 1], [5, 6, 7])
        h.end_epoch()
        assert h.extract_output_records() == [(0, 5), (1, 5), (0, 7)]


def test_the_record_a_call_failed_on_is_named():
    class Broken(Turns):
        async def async_invoke(self, value):
            await asyncio.sleep(0)
            return [1 // value]

    with harness(Broken()) as h:
        h.process_batch([1, 0, 2])
        with pytest.raises(UserFunctionError, match=r"record 0[\s\S]*ZeroDivisionError"):
            h.end_epoch()


def test_open_and_close_may_be_coroutines_and_see_the_loop():
    class Client(Turns):
        async def open(self, runtime_context):
            await asyncio.sleep(0)
            self.subtask = runtime_context.get_index_of_this_subtask()
            self.loop = asyncio.get_running_loop()

        async def close(self):
            await asyncio.sleep(0)
            self.same = asyncio.get_running_loop() is self.loop

    with harness(Client()) as h:
        h.process_element(3)
        function = h.operator.function
    assert (function.subtask, function.same) == (0, True)
    assert function.loop.is_closed()


def test_a_failure_in_open_is_named_and_leaves_no_loop():
    class Fails(Turns):
        def open(self, runtime_context):
            raise OSError("no server")

    h = harness(Fails())
    with pytest.raises(UserFunctionError, match=r"failed in open\(\)[\s\S]*no server"):
        h.open()
    h.close()


def test_two_in_a_row():
    """One's results are handed on outside of its loop, so that the next can run its own."""
    with harness() as first, harness(ordered=False) as second:
        first.chain.outputs[0].next.append(second.input())
        first.process_batch([3, 1, 2], [1, 2, 3])
        first.process_watermark(MAX_WATERMARK)
        first.operator.snapshot()
        second.operator.snapshot()
        assert sorted(second.extract_output_values()) == [1, 2, 3]
        assert second.extract_watermarks() == [MAX_WATERMARK]


class FailsOnItsWayOut:
    """Fails for one record; calls for others wait, and fail as well when they are cancelled."""

    def __init__(self):
        self.left = []

    def open(self, runtime_context):
        pass

    def close(self):
        self.left.append("closed")

    async def async_invoke(self, value):
        if value == 0:
            raise ValueError("no")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.left.append(value)
            raise ConnectionError("the connection broke") from None

    def timeout(self, value):
        return []


def test_calls_that_fail_while_they_are_given_up_do_not_keep_others_from_being_given_up():
    h = harness(FailsOnItsWayOut()).open()
    function = h.operator.function
    with pytest.raises(UserFunctionError, match="no"):
        h.process_batch([1, 2, 0, 3])
    h.operator.close()
    assert sorted(function.left[:-1]) == [1, 2, 3]
    assert function.left[-1] == "closed"
    h.close()
