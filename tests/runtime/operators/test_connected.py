"""CoMap, CoFlatMap, CoProcess and KeyedCoProcess."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.errors import FlottError, StateAccessError, UserFunctionError
from flott.runtime.batch import MIN_TIMESTAMP, Batch
from flott.runtime.operators.co_map import CoFlatMap, CoMap
from flott.runtime.operators.co_process import CoProcess
from flott.runtime.operators.keyed_co_process import KeyedCoProcess
from flott.runtime.output_tag import OutputTag
from flott.runtime.time_domain import TimeDomain
from flott.testing.harness import TwoInputOperatorHarness
from flott.testing.recorder import Record, Status, Watermark

SIDE = OutputTag("side")


class Function:
    def open(self, runtime_context):
        pass

    def close(self):
        pass


def first(value):
    return value[0]


def second(value):
    return value[1]


class Maps(Function):
    def map1(self, value):
        return value * 2 if value else None

    def map2(self, value):
        return value.upper() if value else None


def test_co_map_calls_one_method_per_side_and_drops_none():
    with TwoInputOperatorHarness(CoMap(Maps())) as h:
        h.process_batch([1, 0, 3], [10, 11, 12])
        h.process_element2("a")
        h.process_element2("")
        assert h.extract_output_records() == [(2, 10), (6, 12), ("A", None)]


def test_co_map_names_the_record_it_failed_on():
    with TwoInputOperatorHarness(CoMap(Maps())) as h, pytest.raises(UserFunctionError, match="record 7"):
        h.operator.process_input(1, Batch(["a", 7, "b"]))


class FlatMaps(Function):
    def flat_map1(self, value):
        return range(value)

    def flat_map2(self, value):
        if value == "none":
            return None
        return 5 if value == "wrong" else iter(value)


def test_co_flat_map_gives_each_result_the_timestamp_of_its_record():
    with TwoInputOperatorHarness(CoFlatMap(FlatMaps())) as h:
        h.process_batch([2, 0, 1], [10, 11, None])
        h.process_element2("none", 4)
        h.process_element2("ab")
        assert h.extract_output_records() == [(0, 10), (1, 10), (0, None), ("a", None), ("b", None)]


def test_co_flat_map_teaches_what_to_return():
    with TwoInputOperatorHarness(CoFlatMap(FlatMaps())) as h, pytest.raises(FlottError, match="Yield each result"):
        h.process_element2("wrong")


class Both(Function):
    def process_element1(self, value, ctx):
        ctx.output(SIDE, ("left", value))
        yield value, ctx.timestamp(), ctx.timer_service().current_watermark()

    def process_element2(self, value, ctx):
        yield SIDE, ("right", value)
        if value == "timer":
            ctx.timer_service().register_event_time_timer(1)


def test_co_process_knows_time_and_side_outputs():
    with TwoInputOperatorHarness(CoProcess(Both())) as h:
        h.process_element1("a", 5)
        h.process_element2("b", 6)
        h.process_watermark1(7)
        h.process_element1("c")
        h.process_watermark2(9)
        h.end_epoch(new_worker=True)
        h.process_element1("d")
        assert h.extract_output_values() == [("a", 5, MIN_TIMESTAMP), ("c", None, MIN_TIMESTAMP), ("d", None, 7)]
        assert h.extract_side_output(SIDE) == [("left", "a"), ("right", "b"), ("left", "c"), ("left", "d")]
        assert {record.timestamp for record in h.sides["side"][0].records} == {5, 6, None}


def test_co_process_has_neither_timers_nor_keyed_state():
    class Stateful(Both):
        def open(self, runtime_context):
            runtime_context.get_state(SimpleNamespace(get_name=lambda: "x"))

    with TwoInputOperatorHarness(CoProcess(Both())) as h, pytest.raises(StateAccessError, match="key_by"):
        h.process_element2("timer")
    # Even if one side happens to come by key.
    harness = TwoInputOperatorHarness(CoProcess(Stateful()), keyed=True)
    with pytest.raises(StateAccessError, match="the stream is not keyed"):
        harness.open()
    harness.close()


class Join(Function):
    """The delayed join of the seed documents: each side remembers, a timer puts together."""

    def open(self, runtime_context):
        self.left = runtime_context.get_list_state(SimpleNamespace(get_name=lambda: "left"))
        self.right = runtime_context.get_list_state(SimpleNamespace(get_name=lambda: "right"))

    def process_element1(self, value, ctx):
        self.left.add(value)
        ctx.timer_service().register_event_time_timer(ctx.timestamp() + 10)

    def process_element2(self, value, ctx):
        self.right.add(value)
        ctx.timer_service().register_processing_time_timer(100)
        yield SIDE, ctx.get_current_key()

    def on_timer(self, timestamp, ctx):
        if ctx.time_domain() == TimeDomain.PROCESSING_TIME:
            yield "processing", timestamp
            return
        for left in self.left:
            for right in self.right:
                yield ctx.get_current_key(), left[1], right[0]
        self.left.clear()
        self.right.clear()


def test_both_sides_share_the_state_and_the_timers_of_a_key():
    with TwoInputOperatorHarness(KeyedCoProcess(Join(), first, second), keyed=True) as h:
        h.process_batch([("a", 1), ("b", 2)], [0, 1])
        h.process_element2((10, "a"), 2)
        h.end_epoch(new_worker=True)
        h.process_element2((20, "a"), 3)
        h.process_watermark1(50)
        assert h.extract_output_values() == []
        h.process_watermark2(10)
        assert h.extract_output_records() == [(("a", 1, 10), 10), (("a", 1, 20), 10)]
        assert h.extract_side_output(SIDE) == ["a", "a"]
        assert h.operator.next_wakeup() == 100
        h.set_processing_time(100)
        assert h.extract_output_records()[2:] == [(("processing", 100), None)]


def test_wrong_keys_and_failures_name_the_record():
    operator = KeyedCoProcess(Join(), first, lambda value: {"k": value})
    with TwoInputOperatorHarness(operator, keyed=True) as h:
        with pytest.raises(StateAccessError, match=r"key of record 'x' is \{'k': 'x'\}, of type dict"):
            h.process_element2("x")
        with pytest.raises(UserFunctionError, match=r"record \('a', 1\)[\s\S]*TypeError"):
            h.process_element1(("a", 1))


def test_event_time_is_that_of_the_input_behind_and_idle_inputs_do_not_count():
    with TwoInputOperatorHarness(CoMap(Maps())) as h:
        h.process_watermark1(10)
        h.process_watermark2(4)
        h.process_status2(active=False)
        h.process_watermark1(12)
        h.end_epoch(new_worker=True)
        h.process_watermark1(13)
        h.process_status1(active=False)
        h.process_status2(active=True)
        h.process_watermark2(20)
        assert h.main.events == [
            Watermark(4), Watermark(10), Watermark(12), Watermark(13), Status(active=False), Status(active=True),
            Watermark(20),
        ]  # fmt: skip


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 30))))
def test_the_watermark_is_the_minimum_and_never_goes_back(steps):
    with TwoInputOperatorHarness(CoMap(Maps())) as h:
        reached = {True: MIN_TIMESTAMP, False: MIN_TIMESTAMP}
        expected = []
        for number, (on_first, time) in enumerate(steps):
            (h.process_watermark1 if on_first else h.process_watermark2)(time)
            reached[on_first] = max(reached[on_first], time)
            lowest = min(reached.values())
            if lowest > (expected[-1] if expected else MIN_TIMESTAMP):
                expected.append(lowest)
            if number % 3 == 0:
                h.end_epoch(new_worker=True)
        assert h.extract_watermarks() == expected


def test_records_without_results_emit_no_batch():
    with TwoInputOperatorHarness(CoMap(Maps())) as h:
        h.process_element1(0, 1)
        assert [event for event in h.main.events if isinstance(event, Record)] == []
