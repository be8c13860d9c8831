"""Options of what happens when a job fails."""

from __future__ import annotations

from flott.common.config_options import ConfigOptions
from flott.common.time import Duration

__all__ = ["RestartStrategyOptions"]


class RestartStrategyOptions:
    """Options of what happens when a job fails."""

    RESTART_STRATEGY = (
        ConfigOptions.key("restart-strategy.type")
        .string_type()
        .no_default_value()
        .with_description(
            "none (also off, disable), fixed-delay, failure-rate or exponential-delay. "
            "By default exponential-delay if there are checkpoints, else none."
        )
        .with_deprecated_keys("restart-strategy")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS = (
        ConfigOptions.key("restart-strategy.fixed-delay.attempts")
        .int_type()
        .default_value(1)
        .with_description("fixed-delay: how often the job is restarted before it fails.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    RESTART_STRATEGY_FIXED_DELAY_DELAY = (
        ConfigOptions.key("restart-strategy.fixed-delay.delay")
        .duration_type()
        .default_value(Duration.of_seconds(1))
        .with_description("fixed-delay: how long to wait before a restart.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    RESTART_STRATEGY_FAILURE_RATE_MAX_FAILURES_PER_INTERVAL = (
        ConfigOptions.key("restart-strategy.failure-rate.max-failures-per-interval")
        .int_type()
        .default_value(1)
        .with_description("failure-rate: how many failures in an interval the job survives.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    RESTART_STRATEGY_FAILURE_RATE_FAILURE_RATE_INTERVAL = (
        ConfigOptions.key("restart-strategy.failure-rate.failure-rate-interval")
        .duration_type()
        .default_value(Duration.of_minutes(1))
        .with_description("failure-rate: the interval in which failures are counted.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    RESTART_STRATEGY_FAILURE_RATE_DELAY = (
        ConfigOptions.key("restart-strategy.failure-rate.delay")
        .duration_type()
        .default_value(Duration.of_seconds(1))
        .with_description("failure-rate: how long to wait before a restart.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF = (
        ConfigOptions.key("restart-strategy.exponential-delay.initial-backoff")
        .duration_type()
        .default_value(Duration.of_seconds(1))
        .with_description("exponential-delay: how long to wait before the first restart.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF = (
        ConfigOptions.key("restart-strategy.exponential-delay.max-backoff")
        .duration_type()
        .default_value(Duration.of_minutes(1))
        .with_description("exponential-delay: the longest wait before a restart.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    RESTART_STRATEGY_EXPONENTIAL_DELAY_BACKOFF_MULTIPLIER = (
        ConfigOptions.key("restart-strategy.exponential-delay.backoff-multiplier")
        .double_type()
        .default_value(1.5)
        .with_description("exponential-delay: by how much each wait is longer than the last.")
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD = (
        ConfigOptions.key("restart-strategy.exponential-delay.reset-backoff-threshold")
        .duration_type()
        .default_value(Duration.of_hours(1))
        .with_description(
            "exponential-delay: after running this long without a failure, the next wait is the first one again."
        )
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    RESTART_STRATEGY_EXPONENTIAL_DELAY_JITTER_FACTOR = (
        ConfigOptions.key("restart-strategy.exponential-delay.jitter-factor")
        .double_type()
        .default_value(0.1)
        .with_description(
            "exponential-delay: by which part of it a wait is made longer or shorter at random, "
            "so that jobs that failed together do not come back together."
        )
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
    RESTART_STRATEGY_EXPONENTIAL_DELAY_ATTEMPTS = (
        ConfigOptions.key("restart-strategy.exponential-delay.attempts-before-reset-backoff")
        .int_type()
        .default_value(2**31 - 1)
        .with_description(
            "exponential-delay: how often the job is restarted, without the wait being reset, before it fails."
        )
        .with_effect("tests/coordination/test_effects_of_settings.py")
    )
