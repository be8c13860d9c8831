from __future__ import annotations

import pickle
from datetime import timedelta

import pytest

from flott.common import Configuration, Duration, RestartStrategies, RestartStrategyConfiguration
from flott.errors import ConfigurationError

SECOND = timedelta(seconds=1)


def test_waits_in_any_form():
    by_millis = RestartStrategies.fixed_delay_restart(3, 1000)
    assert by_millis == RestartStrategies.fixed_delay_restart(3, SECOND)
    assert by_millis == RestartStrategies.fixed_delay_restart(3, Duration.of_seconds(1))
    assert by_millis == RestartStrategies.FixedDelayRestartStrategyConfiguration(3, 1000)
    assert by_millis.get_delay_between_attempts_interval() == SECOND
    assert by_millis.get_restart_attempts() == 3


def test_failure_rate():
    strategy = RestartStrategies.failure_rate_restart(5, 60_000, SECOND)
    assert strategy.get_max_failure_rate() == 5
    assert strategy.get_failure_interval() == timedelta(minutes=1)
    assert strategy.get_delay_between_attempts_interval() == SECOND


def test_exponential_delay():
    strategy = RestartStrategies.exponential_delay_restart(
        SECOND, 60_000, 2.0, timedelta(hours=1), 0.1, attempts_before_reset_backoff=8
    )
    assert strategy.get_initial_backoff() == SECOND
    assert strategy.get_max_backoff() == timedelta(minutes=1)
    assert strategy.get_backoff_multiplier() == 2.0
    assert strategy.get_reset_backoff_threshold() == timedelta(hours=1)
    assert strategy.get_jitter_factor() == 0.1
    assert strategy.get_attempts_before_reset_backoff() == 8


def test_strategies_are_values():
    strategies = {
        RestartStrategies.no_restart(),
        RestartStrategies.no_restart(),
        RestartStrategies.fall_back_restart(),
        RestartStrategies.fixed_delay_restart(1, 1),
        RestartStrategies.fixed_delay_restart(2, 1),
    }
    assert len(strategies) == 4
    for strategy in strategies:
        assert isinstance(strategy, RestartStrategyConfiguration)
        assert strategy.get_description()
        assert pickle.loads(pickle.dumps(strategy)) == strategy


@pytest.mark.parametrize(
    "make",
    [
        lambda: RestartStrategies.fixed_delay_restart(-1, 0),
        lambda: RestartStrategies.fixed_delay_restart(1, -1),
        lambda: RestartStrategies.failure_rate_restart(0, 1, 1),
        lambda: RestartStrategies.failure_rate_restart(1, 0, 1),
        lambda: RestartStrategies.failure_rate_restart(1, 1, -1),
        lambda: RestartStrategies.exponential_delay_restart(0, 1, 2, 1, 0),
        lambda: RestartStrategies.exponential_delay_restart(2, 1, 2, 1, 0),
        lambda: RestartStrategies.exponential_delay_restart(1, 2, 1, 1, 0),
        lambda: RestartStrategies.exponential_delay_restart(1, 2, 2, 0, 0),
        lambda: RestartStrategies.exponential_delay_restart(1, 2, 2, 1, 1.5),
        lambda: RestartStrategies.exponential_delay_restart(1, 2, 2, 1, 0, attempts_before_reset_backoff=0),
    ],
)
def test_what_cannot_work(make):
    with pytest.raises(ValueError, match="this restart strategy can't work"):
        make()


def test_a_wait_that_is_no_time():
    with pytest.raises(TypeError, match="is no length of time"):
        RestartStrategies.fixed_delay_restart(1, "1 s")


@pytest.mark.parametrize(
    ("name", "strategy"),
    [
        ("none", RestartStrategies.no_restart()),
        ("off", RestartStrategies.no_restart()),
        ("disable", RestartStrategies.no_restart()),
        ("fixed-delay", RestartStrategies.fixed_delay_restart(1, 1000)),
        ("fixeddelay", RestartStrategies.fixed_delay_restart(1, 1000)),
        ("failure-rate", RestartStrategies.failure_rate_restart(1, 60_000, 1000)),
        ("exponential-delay", RestartStrategies.exponential_delay_restart(1000, 60_000, 1.5, 3_600_000, 0.1)),
    ],
)
def test_from_a_configuration_with_flinks_defaults(name, strategy):
    for key in ("restart-strategy.type", "restart-strategy"):
        assert RestartStrategies.from_configuration(Configuration().set_string(key, name)) == strategy


def test_from_a_configuration_with_values():
    config = Configuration.from_dict(
        {
            "restart-strategy.type": "fixed-delay",
            "restart-strategy.fixed-delay.attempts": "7",
            "restart-strategy.fixed-delay.delay": "2 s",
        }
    )
    assert RestartStrategies.from_configuration(config) == RestartStrategies.fixed_delay_restart(7, 2000)


def test_a_configuration_that_says_nothing_or_nonsense():
    assert RestartStrategies.from_configuration(Configuration()) is None
    with pytest.raises(ConfigurationError, match="no restart strategy 'sometimes'"):
        RestartStrategies.from_configuration(Configuration().set_string("restart-strategy.type", "sometimes"))
