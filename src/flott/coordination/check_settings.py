"""Says which settings of a job change nothing, and refuses those that Flott can't follow."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from flott.common.config_types import render
from flott.common.known_settings import is_known, nearest_setting, reported
from flott.common.option_effects import Accepted, Refused
from flott.common.options import FlottOptions, all_options
from flott.errors import ConfigurationError

if TYPE_CHECKING:
    from typing import Any

    from flott.common import Configuration
    from flott.common.config_options import ConfigOption

log = logging.getLogger("flott.job")


def check_settings(configuration: Configuration) -> None:
    """Refuse settings that Flott can't follow; log those that are accepted without effect, and unknown ones."""
    accepted: dict[str, str] = {}
    for option in all_options():
        if not changed(configuration, option):
            continue
        if isinstance(option.effect, Refused):
            value = render(configuration.get(option))
            raise ConfigurationError(f"option '{option.key}' can't be '{value}': {option.effect.reason}")
        if isinstance(option.effect, Accepted):
            accepted[option.key] = option.effect.reason
    if configuration.get(FlottOptions.PYFLINK_IMPORTS):
        if accepted:
            log.info("accepted from PyFlink, without effect: %s", ", ".join(accepted))
    else:
        for key, reason in accepted.items():
            log.warning("option '%s' has no effect: %s", key, reason)
    for key in unknown_keys(configuration):
        if key not in reported:
            log.warning("option '%s' is unknown and has no effect%s", key, suggestion(key))


def changed(configuration: Configuration, option: ConfigOption[Any]) -> bool:
    """Return whether an option is set to something else than its default."""
    return configuration.contains(option) and configuration.get(option) != option.default


def unknown_keys(configuration: Configuration) -> list[str]:
    """Return the keys that begin like an option of Flott and are none.

    >>> from flott.common import Configuration
    >>> unknown_keys(Configuration.from_dict({"flott.epochs": "1", "parallelism.default": "2", "my.own": "3"}))
    ['flott.epochs']
    """
    families = {name.partition(".")[0] for option in all_options() for name in option.all_keys()}
    keys = sorted(key for key in configuration.key_set() if key.partition(".")[0] in families)
    return [key for key in keys if not is_known(key)]


def suggestion(key: str) -> str:
    """Return which option may be meant.

    >>> suggestion("flott.epoch.max-attempt"), suggestion("table.nothing")
    ("; did you mean 'flott.epoch.max-attempts'?", '')
    """
    meant = nearest_setting(key)
    return "" if meant is None else f"; did you mean '{meant}'?"
