"""TableConfig: the options of a TableEnvironment."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from flott.table.errors import NotYetError, TableError

if TYPE_CHECKING:
    from flott.common.configuration import Configuration

__all__ = ["TableConfig"]

ZONE = "table.local-time-zone"
MINI_BATCH = "table.exec.mini-batch.enabled"
TTL = "table.exec.state.ttl"
NOT_YET = {
    TTL: "idle state is kept for ever; bound it with windows or an interval join",
    "table.exec.source.idle-timeout": "use with_idleness(…) of a WatermarkStrategy on a DataStream",
    "table.exec.emit.early-fire.enabled": "use a continuous trigger on a DataStream",
    "table.exec.emit.late-fire.enabled": "use allowed_lateness(…) on a DataStream",
}
"""Options of Flink that change results and are not there, and what to do instead."""


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
        if key in NOT_YET and value not in {"0", "0 ms", "0 s", "false"}:
            raise NotYetError(f"'{key}' can't be set yet: {NOT_YET[key]}")
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

    def bundles(self) -> bool:
        """Say whether groups report once per batch instead of once per row."""
        return self._configuration.get_boolean(MINI_BATCH, default_value=False)


def _checked_zone(name: str) -> None:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise TableError(f"'{ZONE}' = '{name}': there is no such time zone; give one such as Europe/Berlin") from None
