from __future__ import annotations

import warnings

import pytest

from flott.cep import CEP, Pattern
from flott.common import Duration, WatermarkStrategy
from flott.common.time import Time
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.window import CountTrigger, TumblingEventTimeWindows, TumblingProcessingTimeWindows

FIVE_SECONDS = Time.seconds(5)
IN_ORDER = WatermarkStrategy.for_monotonous_timestamps()


@pytest.fixture
def env():
    return StreamExecutionEnvironment.get_execution_environment()


@pytest.fixture
def words(env):
    return env.socket_text_stream("localhost", 9999)


def windows(stream, assigner=TumblingEventTimeWindows):
    return stream.key_by(lambda word: word).window(assigner.of(FIVE_SECONDS))


def silent(env):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        env.get_execution_plan()
    return [str(warning.message) for warning in warned]


def test_an_event_time_window_behind_an_endless_input_without_watermarks_is_told_of(env, words):
    windows(words).reduce(max).name("longest").uid("longest").print()
    [message] = silent(env)
    assert message.startswith("operator 'longest' (uid=longest) will never give a result: it waits for event time")
    assert "no watermarks: 'Socket Stream'" in message
    assert "assign_timestamps_and_watermarks" in message


def test_no_watermarks_is_as_good_as_none(env, words):
    nothing = words.assign_timestamps_and_watermarks(WatermarkStrategy.no_watermarks())
    windows(nothing).reduce(max).print()
    assert len(silent(env)) == 1


def test_a_pattern_in_event_time_is_told_of_and_one_in_processing_time_is_not(env, words):
    pattern = Pattern.begin("a").where(lambda word: word == "a")
    CEP.pattern(words, pattern).in_processing_time().select(str).print()
    assert silent(env) == []
    CEP.pattern(words, pattern).select(str).print()
    assert len(silent(env)) == 1


@pytest.mark.parametrize(
    "build",
    [
        lambda env, words: windows(words.assign_timestamps_and_watermarks(IN_ORDER)).reduce(max),
        lambda env, words: windows(
            words.assign_timestamps_and_watermarks(WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_days(1)))
            .filter(bool)
            .union(words)
        ).reduce(max),
        lambda env, words: windows(words, TumblingProcessingTimeWindows).reduce(max),
        lambda env, words: windows(words).trigger(CountTrigger.of(3)).reduce(max),
        lambda env, words: windows(env.from_collection(["a", "b"])).reduce(max),
    ],
    ids=["watermarks", "watermarks of one input", "processing time", "another trigger", "an input that ends"],
)
def test_where_results_come_there_is_no_warning(env, words, build):
    build(env, words).print()
    assert silent(env) == []
