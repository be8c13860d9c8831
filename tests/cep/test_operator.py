from __future__ import annotations

import pytest

from flott.cep import (
    AfterMatchSkipStrategy,
    CepError,
    IterativeCondition,
    Pattern,
    PatternProcessFunction,
    TimedOutPartialMatchHandler,
)
from flott.cep.compile_nfa import compile_nfa
from flott.cep.operator import CepOperator
from flott.datastream import OutputTag
from flott.errors import StateAccessError, UserFunctionError
from flott.testing.harness import KeyedOneInputOperatorHarness

TIMED_OUT = OutputTag("timed-out")
LATE = OutputTag("late")


class Show(PatternProcessFunction):
    def process_match(self, match, ctx):
        yield " ".join(event for events in match.values() for event in events)


class ShowAll(Show, TimedOutPartialMatchHandler):
    def process_timed_out_match(self, match, ctx):
        yield TIMED_OUT, (" ".join(event for events in match.values() for event in events), ctx.timestamp())


def letter(wanted):
    return lambda event: event[1] == wanted


def key_of(event):
    return event[0]


def ab():
    return Pattern.begin("a").where(letter("a")).followed_by("b").where(letter("b"))


def harness(pattern, function=None, *, parallelism=1, subtask=0, **options):
    operator = CepOperator(compile_nfa(pattern), function or Show(), key_of, **options)
    return KeyedOneInputOperatorHarness(operator, parallelism=parallelism, subtask=subtask)


def test_events_wait_for_the_watermark_and_are_looked_at_in_order():
    with harness(ab()) as cep:
        cep.process_element("1b2", 2)
        cep.process_element("1a1", 1)
        assert cep.extract_output_values() == []
        cep.process_watermark(1)
        assert cep.extract_output_values() == []
        cep.process_watermark(2)
        assert [(record.value, record.timestamp) for record in cep.extract_output_records()] == [("1a1 1b2", 2)]
        assert cep.extract_watermarks() == [1, 2]


def test_each_key_has_matches_of_its_own():
    with harness(ab()) as cep:
        cep.process_batch(["1a", "2b", "2a", "1b", "2b"], [1, 2, 3, 4, 5])
        cep.process_watermark(10)
        assert cep.extract_output_values() == ["1a 1b", "2a 2b"]


def test_of_one_timestamp_arrival_decides_or_the_comparator():
    with harness(ab()) as cep:
        cep.process_batch(["1b", "1a"], [5, 5])
        cep.process_watermark(5)
        assert cep.extract_output_values() == []
    with harness(ab(), comparator=lambda one, other: (one > other) - (one < other)) as cep:
        cep.process_batch(["1b", "1a"], [5, 5])
        cep.process_watermark(5)
        assert cep.extract_output_values() == ["1a 1b"]


def test_late_events_go_to_their_side_output_or_are_counted():
    with harness(ab(), late_tag=LATE) as cep:
        cep.process_element("1a", 5)
        cep.process_watermark(7)
        cep.process_batch(["1x", "1b", "1y"], [7, 8, 3])
        cep.process_watermark(8)
        assert cep.extract_output_values() == ["1a 1b"]
        assert cep.extract_side_output(LATE) == ["1x", "1y"]
    with harness(ab()) as cep:
        cep.process_watermark(7)
        cep.process_batch(["1x", "1a"], [7, 8])
        assert cep.operator.late.get_count() == 1


def test_partial_matches_time_out_when_the_watermark_says_so():
    with harness(ab().within(10), ShowAll()) as cep:
        cep.process_batch(["1a", "2a"], [0, 3])
        cep.process_watermark(9)
        assert cep.extract_side_output(TIMED_OUT) == []
        cep.process_watermark(10)
        assert cep.extract_side_output(TIMED_OUT) == [("1a", 10)]
        cep.process_watermark(100)
        assert cep.extract_side_output(TIMED_OUT) == [("1a", 10), ("2a", 13)]
        assert cep.num_state_entries() == 0


def test_a_timed_out_partial_match_is_dropped_when_nobody_wants_it():
    with harness(ab().within(10)) as cep:
        cep.process_element("1a", 0)
        cep.process_watermark(50)
        assert cep.extract_output_values() == []
        assert cep.num_state_entries() == 0


def test_a_pattern_that_ends_with_a_not_is_complete_when_its_time_is_up():
    pattern = Pattern.begin("a").where(letter("a")).not_followed_by("b").where(letter("b")).within(10)
    with harness(pattern) as cep:
        cep.process_batch(["1a", "2a", "2b"], [0, 1, 2])
        cep.process_watermark(20)
        assert cep.extract_output_values() == ["1a"]


def test_timers_are_taken_back_when_a_match_ends():
    with harness(ab().within(10)) as cep:
        cep.process_batch(["1a", "1b"], [0, 1])
        cep.process_watermark(0)
        assert cep.num_event_time_timers() == 1
        cep.process_watermark(1)
        assert cep.num_event_time_timers() == 0


def test_in_processing_time_events_are_looked_at_at_once():
    with harness(ab().within(10), ShowAll(), event_time=False) as cep:
        cep.set_processing_time(100)
        cep.process_batch(["1a", "1b", "2a"])
        assert [(record.value, record.timestamp) for record in cep.extract_output_records()] == [("1a 1b", None)]
        cep.set_processing_time(109)
        assert cep.extract_side_output(TIMED_OUT) == []
        cep.set_processing_time(111)
        assert cep.extract_side_output(TIMED_OUT) == [("2a", 110)]


def test_in_processing_time_a_comparator_sorts_the_events_of_one_millisecond():
    with harness(ab(), event_time=False, comparator=lambda one, other: (one > other) - (one < other)) as cep:
        cep.set_processing_time(100)
        cep.process_batch(["1b", "1a"])
        assert cep.extract_output_values() == []
        assert cep.operator.next_wakeup() == 101
        cep.set_processing_time(101)
        assert cep.extract_output_values() == ["1a 1b"]
        cep.process_batch(["1b", "1a"])
        cep.finish()
        assert cep.extract_output_values() == ["1a 1b", "1a 1b"]


def test_an_event_without_a_timestamp_says_what_to_do():
    with harness(ab()) as cep, pytest.raises(CepError, match=r"has no timestamp.*assign_timestamps_and_watermarks"):
        cep.process_element("1a")


def test_a_condition_that_fails_names_the_event():
    pattern = Pattern.begin("a").where(lambda event: event[7] == "a")
    with harness(pattern) as cep:
        cep.process_batch(["1a"], [1])
        with pytest.raises(UserFunctionError, match="record '1a'"):
            cep.process_watermark(5)
    pattern = ab().next("c").where(lambda event: event[7] == "c")
    with harness(pattern) as cep:
        cep.process_batch(["1a", "1b", "1c"], [1, 2, 3])
        with pytest.raises(UserFunctionError, match="record '1c'"):
            cep.process_watermark(5)


def test_a_key_that_is_none_says_so():
    operator = CepOperator(compile_nfa(ab()), Show(), lambda event: {"key": event})
    with KeyedOneInputOperatorHarness(operator) as cep, pytest.raises(StateAccessError, match="of type dict"):
        cep.process_element("1a", 1)


def test_a_missed_skip_fails_the_job():
    skip = AfterMatchSkipStrategy.skip_to_first("b").throw_exception_on_miss()
    pattern = Pattern.begin("a", skip).where(letter("a")).next("b").where(letter("b")).optional().next("c")
    with harness(pattern) as cep:
        cep.process_batch(["1a", "1c"], [1, 2])
        with pytest.raises(CepError, match="no event of stage 'b'"):
            cep.process_watermark(5)


class Longer(IterativeCondition):
    def open(self, runtime_context):
        self.opened = runtime_context.get_index_of_this_subtask()

    def filter(self, event, ctx):
        assert self.opened == 0
        return len(event) > max((len(before) for before in ctx.get_events_for_pattern("a")), default=0)


def test_an_iterative_condition_is_opened_and_sees_the_events_so_far():
    pattern = Pattern.begin("a").where(Longer()).times(3).consecutive()
    with harness(pattern) as cep:
        cep.process_batch(["1", "1x", "1xx", "1x"], [1, 2, 3, 4])
        cep.process_watermark(5)
        assert cep.extract_output_values() == ["1 1x 1xx"]


def test_a_condition_knows_the_time():
    seen = []

    def timed(event, ctx):
        return ctx.timestamp() == 3 and ctx.current_processing_time() == 50

    with harness(Pattern.begin("a").where(timed)) as cep:
        cep.set_processing_time(50)
        cep.process_batch(["1a", "1b"], [1, 3])
        cep.process_watermark(5)
        seen = cep.extract_output_values()
    assert seen == ["1b"]
