"""What happens when a job fails: whether and when it is started again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from flott.common.options.restart import RestartStrategyOptions as Options
from flott.common.time import Duration, TimeInterval
from flott.errors import ConfigurationError

if TYPE_CHECKING:
    from flott.common.configuration import Configuration

__all__ = ["RestartStrategies", "RestartStrategyConfiguration"]

_ZERO = timedelta()


class RestartStrategyConfiguration(ABC):
    """Says whether and when a failed job is started again; made by RestartStrategies."""

    __slots__ = ()

    @abstractmethod
    def get_description(self) -> str:
        """Returns the strategy in words, for people."""


@dataclass(frozen=True, slots=True)
class _NoRestart(RestartStrategyConfiguration):
    """A job that fails has failed."""

    def get_description(self) -> str:
        """Returns the strategy in words, for people."""
        return "no restart"


@dataclass(frozen=True, slots=True)
class _Fallback(RestartStrategyConfiguration):
    """Whatever the configuration says."""

    def get_description(self) -> str:
        """Returns the strategy in words, for people."""
        return "as the configuration says"


@dataclass(frozen=True, slots=True)
class _FixedDelay(RestartStrategyConfiguration):
    """A number of restarts, each after the same wait."""

    restart_attempts: int
    delay_between_attempts_interval: timedelta

    def __post_init__(self) -> None:
        _to_timedelta(self, "delay_between_attempts_interval")
        _check(self.restart_attempts >= 0, "restart_attempts is 0 or more")
        _check(self.delay_between_attempts_interval >= _ZERO, "the delay is 0 or more")

    def get_restart_attempts(self) -> int:
        """Returns how often the job is restarted before it fails."""
        return self.restart_attempts

    def get_delay_between_attempts_interval(self) -> timedelta:
        """Returns how long to wait before a restart."""
        return self.delay_between_attempts_interval

    def get_description(self) -> str:
        """Returns the strategy in words, for people."""
        return f"{self.restart_attempts} restarts, {self.delay_between_attempts_interval} apart"


@dataclass(frozen=True, slots=True)
class _FailureRate(RestartStrategyConfiguration):
    """Restarts as long as failures are rare enough."""

    max_failure_rate: int
    failure_interval: timedelta
    delay_between_attempts_interval: timedelta

    def __post_init__(self) -> None:
        _to_timedelta(self, "failure_interval", "delay_between_attempts_interval")
        _check(self.max_failure_rate > 0, "the failure rate is 1 or more")
        _check(self.failure_interval > _ZERO, "the failure interval is above 0")
        _check(self.delay_between_attempts_interval >= _ZERO, "the delay is 0 or more")

    def get_max_failure_rate(self) -> int:
        """Returns how many failures in an interval the job survives."""
        return self.max_failure_rate

    def get_failure_interval(self) -> timedelta:
        """Returns the interval in which failures are counted."""
        return self.failure_interval

    def get_delay_between_attempts_interval(self) -> timedelta:
        """Returns how long to wait before a restart."""
        return self.delay_between_attempts_interval

    def get_description(self) -> str:
        """Returns the strategy in words, for people."""
        return (
            f"restarts after {self.delay_between_attempts_interval}, "
            f"at most {self.max_failure_rate} within {self.failure_interval}"
        )


@dataclass(frozen=True, slots=True)
class _ExponentialDelay(RestartStrategyConfiguration):
    """Restarts with longer and longer waits."""

    initial_backoff: timedelta
    max_backoff: timedelta
    backoff_multiplier: float
    reset_backoff_threshold: timedelta
    jitter_factor: float
    attempts_before_reset_backoff: int

    def __post_init__(self) -> None:
        _to_timedelta(self, "initial_backoff", "max_backoff", "reset_backoff_threshold")
        _check(self.initial_backoff > _ZERO, "the initial backoff is above 0")
        _check(self.max_backoff >= self.initial_backoff, "max_backoff is not below initial_backoff")
        _check(self.backoff_multiplier > 1, "the backoff multiplier is above 1")
        _check(self.reset_backoff_threshold > _ZERO, "the reset threshold is above 0")
        _check(0 <= self.jitter_factor <= 1, "the jitter factor is from 0 to 1")
        _check(self.attempts_before_reset_backoff > 0, "there is 1 attempt or more")

    def get_initial_backoff(self) -> timedelta:
        """Returns how long to wait before the first restart."""
        return self.initial_backoff

    def get_max_backoff(self) -> timedelta:
        """Returns the longest wait before a restart."""
        return self.max_backoff

    def get_backoff_multiplier(self) -> float:
        """Returns by how much each wait is longer than the last."""
        return self.backoff_multiplier

    def get_reset_backoff_threshold(self) -> timedelta:
        """Returns after how long without a failure the waits start small again."""
        return self.reset_backoff_threshold

    def get_jitter_factor(self) -> float:
        """Returns by which part of it a wait is changed at random."""
        return self.jitter_factor

    def get_attempts_before_reset_backoff(self) -> int:
        """Returns how often the job is restarted, without a reset, before it fails."""
        return self.attempts_before_reset_backoff

    def get_description(self) -> str:
        """Returns the strategy in words, for people."""
        return (
            f"restarts after {self.initial_backoff}, each wait {self.backoff_multiplier} times "
            f"the last, up to {self.max_backoff}"
        )


class RestartStrategies:
    """Makes restart strategies. Waits are timedeltas, Durations, or milliseconds.

    >>> strategy = RestartStrategies.fixed_delay_restart(3, 1000)
    >>> strategy.get_restart_attempts(), strategy.get_delay_between_attempts_interval()
    (3, datetime.timedelta(seconds=1))
    """

    NoRestartStrategyConfiguration = _NoRestart
    FallbackRestartStrategyConfiguration = _Fallback
    FixedDelayRestartStrategyConfiguration = _FixedDelay
    FailureRateRestartStrategyConfiguration = _FailureRate
    ExponentialDelayRestartStrategyConfiguration = _ExponentialDelay

    @staticmethod
    def no_restart() -> _NoRestart:
        """A job that fails has failed."""
        return _NoRestart()

    @staticmethod
    def fall_back_restart() -> _Fallback:
        """Whatever the configuration says."""
        return _Fallback()

    @staticmethod
    def fixed_delay_restart(restart_attempts: int, delay_between_attempts: TimeInterval) -> _FixedDelay:
        """A number of restarts, each after the same wait."""
        return _FixedDelay(restart_attempts, _timedelta(delay_between_attempts))

    @staticmethod
    def failure_rate_restart(
        failure_rate: int, failure_interval: TimeInterval, delay_interval: TimeInterval
    ) -> _FailureRate:
        """Restarts after a wait, as long as no more than so many failures fall in an interval."""
        return _FailureRate(failure_rate, _timedelta(failure_interval), _timedelta(delay_interval))

    @staticmethod
    def exponential_delay_restart(
        initial_backoff: TimeInterval,
        max_backoff: TimeInterval,
        backoff_multiplier: float,
        reset_backoff_threshold: TimeInterval,
        jitter_factor: float,
        *,
        attempts_before_reset_backoff: int = Options.RESTART_STRATEGY_EXPONENTIAL_DELAY_ATTEMPTS.default,
    ) -> _ExponentialDelay:
        """Restarts with longer and longer waits, which start small again after a good while."""
        return _ExponentialDelay(
            _timedelta(initial_backoff),
            _timedelta(max_backoff),
            backoff_multiplier,
            _timedelta(reset_backoff_threshold),
            jitter_factor,
            attempts_before_reset_backoff,
        )

    @staticmethod
    def from_configuration(configuration: Configuration) -> RestartStrategyConfiguration | None:
        """Returns the strategy that a configuration asks for, or None if it does not say.

        >>> from flott.common import Configuration
        >>> config = Configuration().set_string("restart-strategy.type", "fixed-delay")
        >>> RestartStrategies.from_configuration(config).get_restart_attempts()
        1
        """
        name = configuration.get(Options.RESTART_STRATEGY)
        return None if name is None else _from_name(name, configuration)


def _from_name(name: str, configuration: Configuration) -> RestartStrategyConfiguration:
    get = configuration.get
    match name.lower().replace("-", ""):
        case "none" | "off" | "disable":
            return RestartStrategies.no_restart()
        case "fixeddelay":
            return RestartStrategies.fixed_delay_restart(
                get(Options.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS),
                get(Options.RESTART_STRATEGY_FIXED_DELAY_DELAY),
            )
        case "failurerate":
            return RestartStrategies.failure_rate_restart(
                get(Options.RESTART_STRATEGY_FAILURE_RATE_MAX_FAILURES_PER_INTERVAL),
                get(Options.RESTART_STRATEGY_FAILURE_RATE_FAILURE_RATE_INTERVAL),
                get(Options.RESTART_STRATEGY_FAILURE_RATE_DELAY),
            )
        case "exponentialdelay":
            return RestartStrategies.exponential_delay_restart(
                get(Options.RESTART_STRATEGY_EXPONENTIAL_DELAY_INITIAL_BACKOFF),
                get(Options.RESTART_STRATEGY_EXPONENTIAL_DELAY_MAX_BACKOFF),
                get(Options.RESTART_STRATEGY_EXPONENTIAL_DELAY_BACKOFF_MULTIPLIER),
                get(Options.RESTART_STRATEGY_EXPONENTIAL_DELAY_RESET_BACKOFF_THRESHOLD),
                get(Options.RESTART_STRATEGY_EXPONENTIAL_DELAY_JITTER_FACTOR),
                attempts_before_reset_backoff=get(Options.RESTART_STRATEGY_EXPONENTIAL_DELAY_ATTEMPTS),
            )
    raise ConfigurationError(
        f"option '{Options.RESTART_STRATEGY.key}': there is no restart strategy '{name}'; "
        "write none, fixed-delay, failure-rate or exponential-delay"
    )


def _timedelta(interval: TimeInterval) -> timedelta:
    return Duration.of(interval).to_timedelta()


def _to_timedelta(strategy: object, *names: str) -> None:
    """Lets the constructors take milliseconds, as PyFlink's do."""
    for name in names:
        object.__setattr__(strategy, name, _timedelta(getattr(strategy, name)))


def _check(holds: bool, rule: str) -> None:
    if not holds:
        raise ValueError(f"this restart strategy can't work: {rule}")
