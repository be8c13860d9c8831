from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common.constants import MAX_LONG_VALUE, MIN_LONG_VALUE
from flott.common.watermark_generators import (
    AscendingTimestampsWatermarks,
    BoundedOutOfOrderness,
    BoundedOutOfOrdernessWatermarks,
    MonotonousTimestamps,
    NoWatermarks,
    NoWatermarksGenerator,
    SuppliedGenerator,
    WatermarkGenerator,
)

stamps = st.integers(MIN_LONG_VALUE, MAX_LONG_VALUE)
delays = st.integers(0, 10**9)


class Collected:
    def __init__(self):
        self.watermarks = []
        self.active = True

    def emit_watermark(self, timestamp):
        self.watermarks.append(timestamp)

    def mark_idle(self):
        self.active = False

    def mark_active(self):
        self.active = True


@given(st.lists(st.integers(-(10**12), 10**12), min_size=1), delays)
def test_bounded_follows_the_largest_timestamp_at_a_distance(timestamps, delay):
    generator, output = BoundedOutOfOrdernessWatermarks(delay), Collected()
    for timestamp in timestamps:
        generator.on_event("e", timestamp, output)
        generator.on_periodic_emit(output)
    expected = [max(timestamps[: seen + 1]) - delay - 1 for seen in range(len(timestamps))]
    assert output.watermarks == expected


@given(st.lists(st.integers(-(10**12), 10**12), min_size=1), delays)
def test_nothing_within_the_bound_is_late(timestamps, delay):
    """What comes at most `delay` behind the largest so far stays above the watermark."""
    generator, output = BoundedOutOfOrdernessWatermarks(delay), Collected()
    largest = None
    for timestamp in timestamps:
        generator.on_periodic_emit(output)
        if largest is None or timestamp >= largest - delay:
            assert timestamp > output.watermarks[-1]
        generator.on_event("e", timestamp, output)
        largest = timestamp if largest is None else max(largest, timestamp)


@given(delays)
def test_before_the_first_record_the_watermark_is_the_smallest(delay):
    output = Collected()
    BoundedOutOfOrdernessWatermarks(delay).on_periodic_emit(output)
    assert output.watermarks == [MIN_LONG_VALUE]


def test_ascending_is_bounded_by_nothing():
    generator, output = AscendingTimestampsWatermarks(), Collected()
    generator.on_event("e", 10, output)
    assert output.watermarks == []
    generator.on_periodic_emit(output)
    assert output.watermarks == [9]


def test_no_watermarks_at_all():
    generator, output = NoWatermarksGenerator(), Collected()
    generator.on_event("e", 10, output)
    generator.on_periodic_emit(output)
    assert output.watermarks == []


@given(stamps, delays)
def test_generators_keep_what_they_know_when_they_move(timestamp, delay):
    generator = BoundedOutOfOrdernessWatermarks(delay)
    generator.on_event("e", timestamp, Collected())
    again = pickle.loads(pickle.dumps(generator))
    assert (again.delay, again.max_timestamp) == (generator.delay, generator.max_timestamp)
    assert type(pickle.loads(pickle.dumps(AscendingTimestampsWatermarks()))) is AscendingTimestampsWatermarks
    assert type(pickle.loads(pickle.dumps(NoWatermarksGenerator()))) is NoWatermarksGenerator


def test_specs_make_a_fresh_generator_each_time():
    spec = BoundedOutOfOrderness(5)
    assert spec.create() is not spec.create()
    assert spec.create().delay == 5
    assert type(MonotonousTimestamps().create()) is AscendingTimestampsWatermarks
    assert type(NoWatermarks().create()) is NoWatermarksGenerator
    assert MonotonousTimestamps() == MonotonousTimestamps()
    assert BoundedOutOfOrderness(5) != BoundedOutOfOrderness(6)


def test_a_negative_delay():
    with pytest.raises(ValueError, match="can't be -1 ms out of order"):
        BoundedOutOfOrderness(-1)


class Punctuated(WatermarkGenerator):
    """A user's own: at markers, and idle when told so."""

    def __init__(self):
        self.markers = 0

    def on_event(self, event, event_timestamp, output):
        if event == "marker":
            self.markers += 1
            output.emit_watermark(event_timestamp)
        elif event == "pause":
            output.mark_idle()

    def on_periodic_emit(self, output):
        pass


def test_a_generator_of_ones_own():
    generator, output = SuppliedGenerator(Punctuated).create(), Collected()
    for event, timestamp in (("a", 1), ("marker", 2), ("b", 3), ("pause", 4)):
        generator.on_event(event, timestamp, output)
    assert output.watermarks == [2]
    assert not output.active
    assert pickle.loads(pickle.dumps(generator)).markers == 1


def test_a_supplier_that_makes_something_else():
    with pytest.raises(TypeError, match="must return a new WatermarkGenerator"):
        SuppliedGenerator(dict).create()
