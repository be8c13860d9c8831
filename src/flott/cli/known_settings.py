"""The keys of settings: completed for ``-D``, and suggested for a misspelled one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.common.known_settings import is_known, nearest_setting
from flott.common.options import all_options

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

OF_SPARK = "spark."
"""Keys that begin like this go to Spark as they are."""


def unknown_setting(key: str) -> str | None:
    """Return what to print about a key that Flott does not read; None for one that it does.

    >>> print(unknown_setting("rest.prot"))
    Flott has no setting 'rest.prot'. Did you mean 'rest.port'?
    >>> print(unknown_setting("taskmanager.numberOfTaskSlots"))
    Flott has no setting 'taskmanager.numberOfTaskSlots'; only the program itself can read it.
    >>> unknown_setting("rest.port"), unknown_setting("spark.executor.memory")
    (None, None)
    """
    if key.startswith(OF_SPARK) or is_known(key):
        return None
    meant = nearest_setting(key)
    if meant is not None:
        return f"Flott has no setting '{key}'. Did you mean '{meant}'?"
    return f"Flott has no setting '{key}'; only the program itself can read it."


def complete_setting(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the settings that a half-typed ``-D`` may mean, each with the first sentence about it."""
    from click.shell_completion import CompletionItem as Item

    return [
        Item(f"{option.key}=", help=option.description.partition(". ")[0])
        for option in all_options()
        if option.key.startswith(incomplete)
    ]
