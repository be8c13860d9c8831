from __future__ import annotations

import dataclasses
import pickle
from datetime import timedelta

import cloudpickle
import pytest

from flott.common import (
    AssignerWithPeriodicWatermarksWrapper,
    Duration,
    TimestampAssigner,
    WatermarkGenerator,
    WatermarkStrategy,
)
from flott.common.constants import MIN_LONG_VALUE
from flott.common.watermark_generators import (
    AscendingTimestampsWatermarks,
    BoundedOutOfOrderness,
    BoundedOutOfOrdernessWatermarks,
    MonotonousTimestamps,
    NoWatermarks,
)
from flott.common.watermark_strategy import WatermarkAlignment


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def test_what_the_constructors_say():
    assert WatermarkStrategy.for_monotonous_timestamps().generator == MonotonousTimestamps()
    assert WatermarkStrategy.no_watermarks().generator == NoWatermarks()
    for five_seconds in (Duration.of_seconds(5), timedelta(seconds=5), 5000):
        strategy = WatermarkStrategy.for_bounded_out_of_orderness(five_seconds)
        assert strategy.generator == BoundedOutOfOrderness(5000)
    plain = WatermarkStrategy.no_watermarks()
    assert (plain.timestamp_assigner, plain.idle_timeout, plain.alignment) == (None, None, None)


def test_every_with_keeps_the_others_and_leaves_the_first_alone():
    first = WatermarkStrategy.for_monotonous_timestamps()
    last = (
        first.with_timestamp_assigner(Second())
        .with_idleness(Duration.of_minutes(1))
        .with_watermark_alignment("group", Duration.of_seconds(20), Duration.of_seconds(2))
    )
    assert first == WatermarkStrategy.for_monotonous_timestamps()
    assert last.generator == MonotonousTimestamps()
    assert isinstance(last.timestamp_assigner, Second)
    assert last.idle_timeout == 60_000
    assert last.alignment == WatermarkAlignment("group", 20_000, 2000)
    with pytest.raises(dataclasses.FrozenInstanceError):
        last.idle_timeout = 5


def test_alignment_compares_every_second_by_default():
    strategy = WatermarkStrategy.no_watermarks().with_watermark_alignment("g", Duration.of_millis(0))
    assert strategy.alignment == WatermarkAlignment("g", 0, 1000)


def test_timestamps_by_class_by_function_or_as_they_are():
    strategy = WatermarkStrategy.no_watermarks()
    assert strategy.create_timestamp_assigner().extract_timestamp("x", MIN_LONG_VALUE) == MIN_LONG_VALUE
    by_class = strategy.with_timestamp_assigner(Second())
    assert by_class.create_timestamp_assigner().extract_timestamp(("x", 7), 0) == 7
    by_function = strategy.with_timestamp_assigner(lambda value, stamp: value + stamp)
    assert by_function.create_timestamp_assigner().extract_timestamp(3, 4) == 7


def test_strategies_travel():
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(5).with_timestamp_assigner(lambda value, _: value)
    again = pickle.loads(cloudpickle.dumps(strategy))
    assert again.generator == strategy.generator
    assert again.create_timestamp_assigner().extract_timestamp(3, 0) == 3


def test_generators():
    assert isinstance(
        WatermarkStrategy.for_monotonous_timestamps().create_watermark_generator(), AscendingTimestampsWatermarks
    )
    assert WatermarkStrategy.for_bounded_out_of_orderness(9).create_watermark_generator().delay == 9
    own = WatermarkStrategy.for_generator(lambda: BoundedOutOfOrdernessWatermarks(3))
    assert isinstance(own.create_watermark_generator(), WatermarkGenerator)
    assert own.create_watermark_generator() is not own.create_watermark_generator()


def test_wrong_use():
    strategy = WatermarkStrategy.for_monotonous_timestamps()
    with pytest.raises(TypeError, match="give the class itself or a function"):
        WatermarkStrategy.for_generator(AscendingTimestampsWatermarks())
    with pytest.raises(TypeError, match="can't assign timestamps"):
        strategy.with_timestamp_assigner(5)
    with pytest.raises(ValueError, match="out of order"):
        WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(-1))
    with pytest.raises(ValueError, match="idle timeout is 1 ms or more"):
        strategy.with_idleness(Duration.of_millis(0))
    with pytest.raises(ValueError, match="drift is 0 ms or more"):
        strategy.with_watermark_alignment("g", Duration.of_millis(-1))
    with pytest.raises(ValueError, match="update interval is 1 ms or more"):
        strategy.with_watermark_alignment("g", Duration.of_millis(0), Duration.of_millis(0))


class Newest:
    def __init__(self):
        self.newest = None

    def extract_timestamp(self, value, record_timestamp):
        self.newest = value if self.newest is None else max(self.newest, value)
        return value

    def get_current_watermark(self):
        return self.newest


class Collected:
    def __init__(self):
        self.watermarks = []

    def emit_watermark(self, timestamp):
        self.watermarks.append(timestamp)


def test_the_former_way_of_assigners_works_per_split():
    strategy = AssignerWithPeriodicWatermarksWrapper(Newest()).to_watermark_strategy()
    one, other, output = strategy.create_watermark_generator(), strategy.create_watermark_generator(), Collected()
    assigner = strategy.create_timestamp_assigner()
    one.on_periodic_emit(output)
    assert output.watermarks == []
    for value in (5, 3):
        one.on_event(value, assigner.extract_timestamp(value, 0), output)
    one = pickle.loads(pickle.dumps(one))
    one.on_periodic_emit(output)
    other.on_periodic_emit(output)
    assert output.watermarks == [5]
