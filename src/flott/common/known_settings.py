"""Which keys of settings Flott reads, and which one may be meant by another."""

from __future__ import annotations

from difflib import get_close_matches

from flott.common.config_types import MAP
from flott.common.options import all_options

__all__ = ["is_known", "nearest_setting"]

ALIKE = 0.8

reported: set[str] = set()
"""Unknown keys that this process has warned of: those on a command line, before the program runs."""


def is_known(key: str) -> bool:
    """Return whether a key is that of an option, or of an entry of one that is a map.

    >>> is_known("rest.port"), is_known("pipeline.global-job-parameters.limit"), is_known("rest.prot")
    (True, True, False)
    """
    return any(
        key in option.all_keys() or (option.value_type is MAP and key.startswith(f"{option.key}."))
        for option in all_options()
    )


def nearest_setting(key: str) -> str | None:
    """Return the option that may be meant by a key.

    >>> nearest_setting("rest.prot"), nearest_setting("table.nothing")
    ('rest.port', None)
    """
    known = {name: option.key for option in all_options() for name in option.all_keys()}
    close = get_close_matches(key, known, n=1, cutoff=ALIKE)
    return known[close[0]] if close else None
