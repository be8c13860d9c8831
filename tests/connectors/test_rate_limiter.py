from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.connectors.rate_limiter import RateLimiter, RateLimiterStrategy
from flott.errors import ConfigurationError
from flott.runtime.clock import ManualClock

RATES = st.one_of(st.integers(1, 100_000), st.floats(0.01, 1000))


@given(rate=RATES, start=st.integers(0, 2**41), steps=st.lists(st.integers(0, 5000), max_size=30))
def test_over_any_time_the_rate_is_kept(rate, start, steps):
    clock = ManualClock(start)
    limiter = RateLimiter(rate)
    taken = limiter.take(10**9, clock.now())
    assert taken == 1
    for step in steps:
        clock.advance_to(clock.now() + step)
        taken += limiter.take(10**9, clock.now())
        due = 1 + (clock.now() - start) * rate / 1000
        assert due - 1.001 <= taken <= due + 0.001


@given(rate=RATES, start=st.integers(0, 2**41), steps=st.lists(st.integers(0, 5000), max_size=10))
def test_the_next_record_is_due_exactly_when_it_says(rate, start, steps):
    limiter = RateLimiter(rate)
    now = start
    for step in steps:
        now += step
        limiter.take(10**9, now)
        due = limiter.next_due(now)
        assert due > now
        assert limiter.available(due) >= 1
        assert limiter.available(due - 1) == 0


def test_what_is_not_taken_stays_due():
    limiter = RateLimiter(100)
    assert [limiter.take(10, 0), limiter.take(10, 1000), limiter.take(1000, 1000)] == [1, 10, 90]


def test_a_clock_that_goes_back_takes_nothing_away():
    limiter = RateLimiter(100)
    limiter.take(1000, 5000)
    limiter.take(1000, 6000)
    assert limiter.available(4000) == 0
    assert limiter.next_due(4000) == 6010


def test_before_the_start_the_next_record_is_due_now():
    assert RateLimiter(5).next_due(77) == 77


@pytest.mark.parametrize("rate", [0, -1, float("nan"), float("inf")])
def test_a_rate_that_is_none_is_refused(rate):
    with pytest.raises(ConfigurationError, match="no_op"):
        RateLimiterStrategy.per_second(rate)


def test_no_op_limits_nothing():
    assert RateLimiterStrategy.no_op().create_rate_limiter() is None
    assert RateLimiterStrategy.per_second(3).create_rate_limiter() is not None
