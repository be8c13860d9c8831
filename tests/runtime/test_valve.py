from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flott.runtime.valve import Valve


def test_nothing_passes_until_every_channel_spoke():
    valve = Valve(2)
    assert valve.input_watermark(0, 10) is None
    assert valve.input_watermark(1, 7) == 7


def test_a_channel_can_not_go_back():
    valve = Valve(1)
    assert valve.input_watermark(0, 5) == 5
    assert valve.input_watermark(0, 5) is None
    assert valve.input_watermark(0, 4) is None
    assert valve.channel_watermark(0) == 5


def test_an_equal_minimum_is_not_repeated():
    valve = Valve(2)
    valve.input_watermark(0, 5)
    assert valve.input_watermark(1, 5) == 5
    assert valve.input_watermark(1, 9) is None


def test_a_channel_going_idle_lets_the_others_pass():
    valve = Valve(2)
    valve.input_watermark(0, 10)
    valve.input_watermark(1, 3)
    assert valve.input_status(1, active=False) == (10, None)


def test_a_channel_ahead_going_idle_changes_nothing():
    valve = Valve(2)
    valve.input_watermark(0, 10)
    valve.input_watermark(1, 3)
    assert valve.input_status(0, active=False) == (None, None)
    assert valve.input_watermark(1, 4) == 4


def test_when_the_last_channel_goes_idle_the_furthest_watermark_passes_before_the_status():
    valve = Valve(3)
    for channel, mark in enumerate((4, 20, 9)):
        valve.input_watermark(channel, mark)
    assert valve.input_status(1, active=False) == (None, None)
    assert valve.input_status(0, active=False) == (9, None)
    assert valve.input_status(2, active=False) == (20, False)
    assert not valve.active


def test_no_flush_when_the_last_idle_channel_did_not_hold_time_back():
    valve = Valve(2)
    valve.input_watermark(0, 5)
    valve.input_watermark(1, 5)
    valve.input_status(0, active=False)
    valve.input_watermark(1, 8)
    valve.input_status(0, active=True)  # behind: not aligned
    valve.input_status(1, active=False)  # 8 was let through, nobody aligned
    assert valve.watermark == 8
    assert valve.input_watermark(0, 6) is None
    assert valve.input_status(0, active=False) == (None, False)


def test_watermarks_of_an_idle_channel_and_of_an_idle_valve_are_ignored():
    valve = Valve(2)
    valve.input_status(0, active=False)
    assert valve.input_watermark(0, 100) is None
    assert valve.channel_watermark(0) == MIN_TIMESTAMP
    valve.input_status(1, active=False)
    assert valve.input_watermark(1, 100) is None


def test_a_channel_that_returns_behind_does_not_hold_time_back():
    valve = Valve(2)
    valve.input_status(1, active=False)
    assert valve.input_watermark(0, 10) == 10
    assert valve.input_status(1, active=True) == (None, None)
    assert valve.input_watermark(0, 11) == 11
    assert valve.input_watermark(1, 5) is None
    assert valve.input_watermark(0, 12) == 12


def test_a_channel_is_aligned_again_when_it_reaches_exactly_what_was_let_through():
    valve = Valve(2)
    valve.input_status(1, active=False)
    valve.input_watermark(0, 10)
    valve.input_status(1, active=True)
    assert valve.input_watermark(1, 10) is None
    assert valve.input_watermark(0, 20) is None  # channel 1, at 10, counts again
    assert valve.input_watermark(1, 15) == 15


def test_a_valve_that_was_idle_becomes_active_with_its_first_channel():
    valve = Valve(2)
    valve.input_status(0, active=False)
    assert valve.input_status(1, active=False) == (None, False)
    assert valve.input_status(1, active=True) == (None, True)
    assert valve.input_status(0, active=True) == (None, None)


def test_a_repeated_status_is_ignored():
    valve = Valve(1)
    assert valve.input_status(0, active=True) == (None, None)
    valve.input_status(0, active=False)
    assert valve.input_status(0, active=False) == (None, None)


def test_the_last_watermark_passes():
    valve = Valve(2)
    valve.input_watermark(0, MAX_WATERMARK)
    assert valve.input_watermark(1, MAX_WATERMARK) == MAX_WATERMARK


def test_restoring_for_another_number_of_channels_starts_anew():
    valve = Valve(2)
    valve.input_watermark(0, 5)
    valve.input_watermark(1, 5)
    other = Valve(3)
    other.restore(valve.snapshot())
    assert other.watermark == MIN_TIMESTAMP


CHANNELS = 3
steps = st.lists(
    st.one_of(
        st.tuples(st.just("mark"), st.integers(0, CHANNELS - 1), st.integers(-5, 30)),
        st.tuples(st.just("status"), st.integers(0, CHANNELS - 1), st.booleans()),
    ),
    max_size=60,
)


@given(steps)
def test_output_rises_strictly_and_survives_a_snapshot_at_any_moment(script):
    valve, resumed = Valve(CHANNELS), Valve(CHANNELS)
    emitted = []
    for kind, channel, value in script:
        again = Valve(CHANNELS)
        again.restore(resumed.snapshot())
        resumed = again
        if kind == "mark":
            result = valve.input_watermark(channel, value)
            assert resumed.input_watermark(channel, value) == result
            emitted.append(result)
        else:
            result = valve.input_status(channel, value)
            assert resumed.input_status(channel, value) == result
            emitted.append(result[0])
    passed = [mark for mark in emitted if mark is not None]
    assert passed == sorted(set(passed))


@given(st.lists(st.tuples(st.integers(0, CHANNELS - 1), st.integers(0, 30)), max_size=60))
def test_without_idleness_it_is_the_minimum_of_the_maxima(marks):
    valve = Valve(CHANNELS)
    highest = [MIN_TIMESTAMP] * CHANNELS
    for channel, mark in marks:
        highest[channel] = max(highest[channel], mark)
        valve.input_watermark(channel, mark)
        assert valve.watermark == min(highest)
