"""Whole programs with patterns, run in this process on the real engine."""

from __future__ import annotations

import threading

import pytest

from flott.cep import (
    CEP,
    MalformedPatternError,
    Pattern,
    PatternFlatSelectFunction,
    PatternProcessFunction,
    PatternSelectFunction,
    PatternTimeoutFunction,
    TimedOutPartialMatchHandler,
)
from flott.common import Duration, TimestampAssigner, Types, WatermarkStrategy
from flott.datastream import OutputTag
from flott.errors import GraphError, JobExecutionError

pytestmark = pytest.mark.job

EVENTS = [("1", "a", 1), ("2", "a", 2), ("1", "b", 3), ("2", "x", 4), ("2", "b", 300), ("3", "b", 301), ("3", "a", 299)]
TIMED_OUT = OutputTag("timed-out")


class Stamp(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[2]


@pytest.fixture
def events(env):
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(5)).with_timestamp_assigner(Stamp())
    return env.from_collection(EVENTS).assign_timestamps_and_watermarks(strategy)


def is_a(event):
    return event[1] == "a"


def is_b(event):
    return event[1] == "b"


def ab():
    return Pattern.begin("a").where(is_a).followed_by("b").where(is_b).within(Duration.of_millis(100))


def by_key(event):
    return event[0]


def collected(stream):
    with stream.execute_and_collect() as results:
        return sorted(results)


def text(match):
    return " ".join(f"{event[0]}{event[1]}" for some in match.values() for event in some)


def test_select(events):
    assert collected(CEP.pattern(events.key_by(by_key), ab()).select(text)) == ["1a 1b", "3a 3b"]


def test_flat_select(events):
    found = CEP.pattern(events.key_by(by_key), ab()).flat_select(lambda match: [text(match), len(match)])
    assert collected(found.map(str)) == ["1a 1b", "2", "2", "3a 3b"]


def test_select_function_objects(events):
    class Text(PatternSelectFunction):
        def open(self, runtime_context):
            self.prefix = "found "

        def select(self, pattern):
            return self.prefix + text(pattern)

    class Texts(PatternFlatSelectFunction):
        def flat_select(self, pattern):
            yield text(pattern)
            yield "too"

    stream = CEP.pattern(events.key_by(by_key), ab())
    assert collected(stream.select(Text(), output_type=Types.STRING())) == ["found 1a 1b", "found 3a 3b"]
    assert collected(stream.flat_select(Texts())) == ["1a 1b", "3a 3b", "too", "too"]


def test_select_with_timeouts(events):
    class When(PatternTimeoutFunction):
        def timeout(self, pattern, timeout_timestamp):
            return text(pattern), timeout_timestamp

    found = CEP.pattern(events.key_by(by_key), ab()).select(TIMED_OUT, When(), text)
    assert collected(found.get_side_output(TIMED_OUT)) == [("2a", 102)]


def test_flat_select_with_timeouts(events):
    found = CEP.pattern(events.key_by(by_key), ab()).flat_select(
        TIMED_OUT, lambda match, at: [text(match), at], lambda match: [text(match)]
    )
    assert collected(found.get_side_output(TIMED_OUT).map(str)) == ["102", "2a"]


class Process(PatternProcessFunction, TimedOutPartialMatchHandler):
    def process_match(self, match, ctx):
        yield text(match), ctx.timestamp()
        ctx.output(OutputTag("copies"), text(match))

    def process_timed_out_match(self, match, ctx):
        yield TIMED_OUT, (text(match), ctx.timestamp())


def test_process(events):
    found = CEP.pattern(events.key_by(by_key), ab()).process(Process())
    assert collected(found) == [("1a 1b", 3), ("3a 3b", 301)]


def test_side_outputs_of_process(events):
    found = CEP.pattern(events.key_by(by_key), ab()).process(Process())
    assert collected(found.get_side_output(TIMED_OUT)) == [("2a", 102)]
    assert collected(found.get_side_output(OutputTag("copies"))) == ["1a 1b", "3a 3b"]


def test_a_stream_that_is_not_keyed_is_looked_at_as_a_whole(events):
    found = CEP.pattern(events, ab()).select(text)
    assert found.get_parallelism() == 1
    assert found.get_name() == "GlobalCepOperator"
    assert collected(found) == ["1a 1b", "2a 1b", "3a 2b"]


def test_in_processing_time_the_order_of_arrival_counts(env):
    found = CEP.pattern(env.from_collection(EVENTS).key_by(by_key), ab()).in_processing_time().select(text)
    assert collected(found) == ["1a 1b", "2a 2b"]


def test_a_comparator_decides_between_events_of_one_timestamp(env):
    env.set_parallelism(1)
    events = [("1", "b", 5), ("1", "a", 5)]
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Stamp())
    stream = env.from_collection(events).assign_timestamps_and_watermarks(strategy).key_by(by_key)
    found = CEP.pattern(stream, ab(), lambda one, other: ord(one[1]) - ord(other[1]))
    assert collected(found.select(text)) == ["1a 1b"]
    assert collected(CEP.pattern(stream, ab()).select(text)) == []


def test_without_timestamps_the_job_fails_and_says_why(env):
    found = CEP.pattern(env.from_collection(EVENTS).key_by(by_key), ab()).select(text)
    with pytest.raises(JobExecutionError, match="in_processing_time"):
        collected(found)


# -- what is refused before anything runs ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda s: CEP.pattern(42, ab()), "is no stream"),
        (lambda s: CEP.pattern(s, "a b"), "is no Pattern"),
        (lambda s: CEP.pattern(s, ab(), 5), "is no comparator"),
        (lambda s: CEP.pattern(s, ab(), lambda one: 0), "lambda one, other"),
        (lambda s: CEP.pattern(s, ab()).select(), "the function of the matches"),
        (lambda s: CEP.pattern(s, ab()).select(text, text, text), "give the function of the matches, or an OutputTag"),
        (lambda s: CEP.pattern(s, ab()).select(lambda match, ctx: 1), "it is called with \\(match\\)"),
        (lambda s: CEP.pattern(s, ab()).select(PatternSelectFunction), "the class PatternSelectFunction itself"),
        (lambda s: CEP.pattern(s, ab()).process(text), "PatternProcessFunction"),
        (lambda s: CEP.pattern(s, ab()).side_output_late_data("late"), "give the OutputTag"),
        (lambda s: CEP.pattern(s, ab()).select(text, output_type=int), "no type information"),
    ],
)
def test_what_does_not_fit_is_refused(events, build, reason):
    with pytest.raises(GraphError, match=reason):
        build(events)


def test_a_condition_that_can_not_travel_is_refused(events):
    lock = threading.Lock()
    with pytest.raises(GraphError, match=r"condition 'a'.*holds a lock"):
        CEP.pattern(events, Pattern.begin("a").where(lambda event: lock.locked()))


def test_a_pattern_that_can_not_be_compiled_is_refused(events):
    with pytest.raises(MalformedPatternError, match="within"):
        CEP.pattern(events, Pattern.begin("a").not_followed_by("b"))
