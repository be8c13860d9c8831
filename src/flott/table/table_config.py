"""TableConfig: the options of a TableEnvironment."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from flott.common.options import ExecutionOptions, TableOptions
from flott.common.time import Duration, to_milliseconds
from flott.table.errors import TableError
from flott.table.runtime.emitting_windows import Emit

if TYPE_CHECKING:
    from flott.common.configuration import Configuration

__all__ = ["TableConfig"]

ZONE = TableOptions.LOCAL_TIME_ZONE.key
PHASES = TableOptions.AGGREGATE_PHASES.key
SPLIT = TableOptions.SPLIT_DISTINCT.key
MINI_BATCH = TableOptions.MINI_BATCH.key
TTL = TableOptions.STATE_TTL.key
EARLY, LATE = TableOptions.EARLY_FIRE.key.removesuffix(".enabled"), TableOptions.LATE_FIRE.key.removesuffix(".enabled")
LATENESS = TableOptions.ALLOW_LATENESS.key
IDLE = TableOptions.SOURCE_IDLE_TIMEOUT.key


class TableConfig:
    """Options by key; those of the job go with them.

    >>> from flott.common import Configuration
    >>> TableConfig(Configuration()).set("table.local-time-zone", "Europe/Berlin").get_local_timezone()
    'Europe/Berlin'
    """

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration

    def get(self, key: str, default_value: str) -> str:
        """Returns an option as text."""
        return self._configuration.get_string(key, default_value)

    def set(self, key: str, value: str) -> TableConfig:
        """Sets an option."""
        if key == ZONE:
            _checked_zone(value)
        self._configuration.set_string(key, value)
        return self

    def get_configuration(self) -> Configuration:
        """Returns all options."""
        return self._configuration

    def add_configuration(self, configuration: Configuration) -> None:
        """Takes over options."""
        self._configuration.add_all(configuration)

    def get_local_timezone(self) -> str:
        """Returns the time zone of the session; UTC unless it was set, so that all machines agree."""
        zone = self.get(ZONE, "UTC")
        return "UTC" if zone == "default" else zone

    def set_local_timezone(self, timezone_id: str) -> None:
        """Sets the time zone of the session."""
        self.set(ZONE, timezone_id)

    def set_idle_state_retention(self, duration: Duration | timedelta) -> None:
        """Sets after which time state is forgotten that was not touched; the shortest time that it is kept."""
        self.set(TTL, f"{to_milliseconds(duration)} ms")

    def get_idle_state_retention(self) -> timedelta:
        """Returns after which time state is forgotten that was not touched; nothing is never."""
        return timedelta(milliseconds=self.state_ttl())

    def state_ttl(self) -> int:
        """Return after how many milliseconds idle state is forgotten; 0 is never."""
        return self._duration(TTL) or 0

    def idle_timeout(self) -> int:
        """Return after how many silent milliseconds nobody waits for a source any more; 0 is never."""
        return self._duration(IDLE) or 0

    def emit(self) -> Emit | None:
        """Return when windows tell results besides at their end; None if only then."""
        early, late = self._delay(EARLY), self._delay(LATE)
        if early is None and late is None:
            return None
        allowed = self._duration(LATENESS)
        lateness = self.state_ttl() if allowed is None else allowed
        if late is not None and lateness <= late:
            raise TableError(
                f"'{LATE}.enabled' needs windows that still take rows after their end, for longer than the delay of "
                f"{late} ms; set '{LATENESS}', or '{TTL}'"
            )
        return Emit(early, late, lateness if late is not None else 0)

    def _delay(self, option: str) -> int | None:
        if not self._configuration.get_boolean(f"{option}.enabled", default_value=False):
            return None
        delay = self._duration(f"{option}.delay")
        if delay is None:
            raise TableError(f"'{option}.enabled' needs '{option}.delay': a time, or 0 ms for every row")
        return delay

    def _duration(self, key: str) -> int | None:
        text = self.get(key, "")
        try:
            millis = Duration.parse(text).to_millis() if text else None
        except ValueError as error:
            raise TableError(f"'{key}': {error}") from None
        if millis is not None and millis < 0:
            raise TableError(f"'{key}' = '{text}': a time can't be negative")
        return millis

    def two_phases(self) -> bool:
        """Say whether groups may be aggregated in part before they are exchanged."""
        strategy = self.get(PHASES, "AUTO").upper()
        if strategy not in {"AUTO", "ONE_PHASE", "TWO_PHASE"}:
            raise TableError(f"'{PHASES}' = '{strategy}': give AUTO, ONE_PHASE or TWO_PHASE")
        return strategy != "ONE_PHASE"

    def splits_distinct(self) -> bool:
        """Say whether distinct values are counted in parts."""
        return self._configuration.get_boolean(SPLIT, default_value=False)

    def bundles(self) -> bool:
        """Say whether groups report once per batch instead of once per row."""
        return self._configuration.get_boolean(MINI_BATCH, default_value=self.is_batch())

    def drops_nulls(self) -> bool:
        """Return whether rows with NULL in columns that are NOT NULL are dropped when they are written."""
        return self._configuration.get(TableOptions.NOT_NULL_ENFORCER) == "DROP"

    def length_enforcer(self) -> str:
        """Return what becomes of written values that are too long: IGNORE, TRIM_PAD or ERROR."""
        return self._configuration.get(TableOptions.TYPE_LENGTH_ENFORCER)

    def is_batch(self) -> bool:
        """Say whether queries run over tables that end, and tell only their last rows."""
        return self._configuration.get(ExecutionOptions.RUNTIME_MODE) == "BATCH"


def _checked_zone(name: str) -> None:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise TableError(f"'{ZONE}' = '{name}': there is no such time zone; give one such as Europe/Berlin") from None
