from __future__ import annotations

import pickle
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common import Duration, Instant, Time
from flott.common.time import to_milliseconds

millis = st.integers(-(2**63), 2**63 - 1)


@given(millis)
def test_an_instant_keeps_its_milliseconds_before_and_after_1970(epoch_milli):
    instant = Instant.of_epoch_milli(epoch_milli)
    assert instant.to_epoch_milli() == epoch_milli
    assert 0 <= instant.nanos < 1_000_000_000


@given(millis, millis)
def test_instants_are_in_the_order_of_time(one, other):
    assert (Instant.of_epoch_milli(one) < Instant.of_epoch_milli(other)) == (one < other)


def test_an_instant_rounds_down_like_javas():
    assert Instant(-1, 999_999_999).to_epoch_milli() == -1
    assert Instant(-2, 1).to_epoch_milli() == -2000
    assert Instant.of_epoch_second(1, -1) == Instant(0, 999_999_999)
    assert repr(Instant(3, 4)) == "Instant<3, 4>"
    assert len({Instant(1, 2), Instant(1, 2)}) == 1


@given(millis)
def test_the_ways_to_say_a_length_of_time_agree(amount):
    assert to_milliseconds(Duration.of_millis(amount)) == amount
    assert to_milliseconds(Time.milliseconds(amount)) == amount
    assert to_milliseconds(amount) == amount
    assert Duration.of(Time(amount)) == Duration.of(amount) == Duration.of_millis(amount)


@given(st.timedeltas())
def test_a_timedelta_becomes_a_duration_and_back(delta):
    assert Duration.of(delta).to_timedelta() == delta


@given(st.integers(-(10**6), 10**6))
def test_units(amount):
    assert Duration.of_days(amount) == Duration.of_hours(24 * amount)
    assert Duration.of_hours(amount) == Duration.of_minutes(60 * amount)
    assert Duration.of_minutes(amount) == Duration.of_seconds(60 * amount)
    assert Duration.of_seconds(amount) == Duration.of_millis(1000 * amount)
    assert Duration.of_millis(amount) == Duration.of_nanos(1_000_000 * amount)
    assert Time.days(amount) == Time.hours(24 * amount)
    assert Time.hours(amount) == Time.minutes(60 * amount)
    assert Time.minutes(amount) == Time.seconds(60 * amount)
    assert Time.seconds(amount).to_milliseconds() == 1000 * amount


def test_a_duration_below_a_millisecond_is_cut_off_towards_zero():
    assert Duration.of_nanos(1_999_999).to_millis() == 1
    assert Duration.of_nanos(-1).to_millis() == 0
    assert Duration.of_nanos(-1_999).to_timedelta() == timedelta(microseconds=-1)


def test_a_duration_answers_questions():
    assert Duration.of_millis(1500).to_seconds() == 1.5
    assert Duration.of_millis(0).is_zero()
    assert Duration.of_millis(-1).is_negative()
    assert not Duration.of_millis(1).is_negative()
    assert Duration.of_nanos(7).to_nanos() == 7
    assert str(Duration.of_millis(61_500)) == "PT1M1.5S"
    assert min(Duration.of_hours(1), Duration.of_seconds(2)) == Duration.of_seconds(2)


def test_a_duration_is_no_fraction():
    with pytest.raises(TypeError, match=r"whole number of seconds, not 1.5"):
        Duration.of_seconds(1.5)


@pytest.mark.parametrize("wrong", ["10 s", 1.5, None, True])
def test_what_is_no_length_of_time(wrong):
    with pytest.raises(TypeError, match="is no length of time"):
        to_milliseconds(wrong)


def test_time_is_a_value():
    assert Time.seconds(1) == Time(1000)
    assert Time.seconds(1) != 1000
    assert len({Time.seconds(1), Time(1000)}) == 1
    assert str(Time.seconds(1)) == "1000 ms"
    assert repr(Time.seconds(1)) == "Time(1000 ms)"
    assert pickle.loads(pickle.dumps(Time.seconds(1))) == Time.seconds(1)
    assert pickle.loads(pickle.dumps(Duration.of_days(1))) == Duration.of_days(1)
