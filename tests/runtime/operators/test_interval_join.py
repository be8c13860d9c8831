from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.errors import FlottError, StateAccessError, UserFunctionError
from flott.runtime.operators.interval_join import Interval, IntervalJoin
from flott.runtime.output_tag import OutputTag
from flott.testing.harness import TwoInputOperatorHarness
from flott.testing.recorder import Record, Watermark

LATE_LEFT, LATE_RIGHT, SIDE = OutputTag("late left"), OutputTag("late right"), OutputTag("side")


class Pairs:
    def open(self, runtime_context):
        pass

    def close(self):
        pass

    def process_element(self, left, right, ctx):
        if left == ("a", "tell"):
            ctx.output(SIDE, right)
            yield ctx.get_left_timestamp(), ctx.get_right_timestamp(), ctx.get_timestamp()
        else:
            yield left and left[1], right and right[1]


def first(value):
    return value[0]


def harness(lower, upper, function=None, select=first, **options):
    operator = IntervalJoin(function or Pairs(), select, first, Interval(lower, upper, **options))
    return TwoInputOperatorHarness(operator, keyed=True)


def test_records_meet_whose_times_are_near_whichever_comes_first():
    with harness(-2, 3) as h:
        h.process_element1(("a", "l10"), 10)
        for time in (7, 8, 13, 14):
            h.process_element2(("a", f"r{time}"), time)
        h.process_element2(("b", "other key"), 10)
        h.end_epoch(new_worker=True)
        h.process_element1(("a", "l11"), 11)
        assert h.extract_output_records() == [
            (("l10", "r8"), 10), (("l10", "r13"), 13), (("l11", "r13"), 13), (("l11", "r14"), 14),
        ]  # fmt: skip


def test_the_function_sees_the_times_and_side_outputs_get_the_later_one():
    with harness(-5, 5) as h:
        h.process_element1(("a", "tell"), 10)
        h.process_element2(("a", "right"), 12)
        assert h.extract_output_records() == [((10, 12, 12), 12)]
        assert h.sides["side"][0].records == [(("a", "right"), 12)]


def test_records_go_when_nothing_can_meet_them_any_more():
    with harness(-2, 3) as h:
        h.process_element1(("a", "l"), 10)
        h.process_element2(("a", "r"), 10)
        assert h.num_event_time_timers() == 2
        h.process_watermark1(11)
        h.process_watermark2(12)
        h.process_watermark1(12)
        # The right one could meet left ones up to 12, the left one right ones up to 13.
        assert h.num_event_time_timers() == 1
        assert h.num_state_entries() == 2
        h.process_watermark1(13)
        h.process_watermark2(13)
        assert h.num_state_entries() == 0


def test_late_records_are_dropped_or_go_to_their_side_output():
    with harness(-5, 5, late_left=LATE_LEFT) as h:
        for process in (h.process_watermark1, h.process_watermark2):
            process(10)
        h.process_element1(("a", "late"), 9)
        h.process_element2(("a", "late too"), 9)
        h.process_element1(("a", "in time"), 10)
        h.process_element2(("a", "also"), 10)
        assert h.extract_output_values() == [("in time", "also")]
        assert h.extract_side_output(LATE_LEFT) == [("a", "late")]
        assert h.extract_side_output(LATE_RIGHT) == []


def test_outer_joins_hand_on_what_met_nothing_when_its_interval_is_over():
    with harness(0, 5, keep_left=True, keep_right=True) as h:
        h.process_element1(("a", "l1"), 1)
        h.process_element1(("a", "l20"), 20)
        h.process_element2(("a", "r3"), 3)
        h.process_element2(("a", "r40"), 40)
        h.end_epoch(new_worker=True)
        h.process_watermark1(100)
        h.process_watermark2(100)
        assert h.main.events == [
            Record(("l1", "r3"), 3), Record(("l20", None), 25), Record((None, "r40"), 40), Watermark(100),
        ]  # fmt: skip


@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from("ab"), st.integers(0, 20)), max_size=25),
    st.integers(-6, 6),
    st.integers(0, 8),
    st.booleans(),
    st.booleans(),
    st.integers(1, 6),
)
def test_like_two_nested_loops(records, lower, width, keep_left, keep_right, epoch):
    upper = lower + width
    with harness(lower, upper, keep_left=keep_left, keep_right=keep_right) as h:
        for number, (is_left, key, time) in enumerate(records):
            (h.process_element1 if is_left else h.process_element2)((key, number), time)
            if number % epoch == 0:
                h.end_epoch(new_worker=number % 2 == 0)
        h.process_watermark1(1_000)
        h.process_watermark2(1_000)
        lefts = [(key, number, time) for number, (is_left, key, time) in enumerate(records) if is_left]
        rights = [(key, number, time) for number, (is_left, key, time) in enumerate(records) if not is_left]
        expected = [
            (left[1], right[1])
            for left in lefts
            for right in rights
            if left[0] == right[0] and left[2] + lower <= right[2] <= left[2] + upper
        ]
        met = {number for pair in expected for number in pair}
        expected += [(left[1], None) for left in lefts if keep_left and left[1] not in met]
        expected += [(None, right[1]) for right in rights if keep_right and right[1] not in met]
        assert sorted(h.extract_output_values(), key=str) == sorted(expected, key=str)
        assert h.num_state_entries() == 0


def test_wrong_use_teaches():
    class Broken(Pairs):
        def process_element(self, left, right, ctx):
            return 5 if left[1] == "five" else 1 // 0

    for options, message, kind in [
        ({}, "has no timestamp.*assign_timestamps_and_watermarks", FlottError),
        ({"timestamp": 1, "function": Broken()}, "ZeroDivisionError", UserFunctionError),
        ({"timestamp": 1, "function": Broken(), "value": "five"}, r"Broken returned 5 \(int\)", FlottError),
        ({"timestamp": 1, "select": lambda value: {"key": value}}, "of type dict", StateAccessError),
    ]:
        with harness(0, 1, options.get("function"), options.get("select", first)) as h:
            h.process_element2(("a", 1), 1)
            with pytest.raises(kind, match=message):
                h.process_element1(("a", options.get("value", 1)), options.get("timestamp"))
