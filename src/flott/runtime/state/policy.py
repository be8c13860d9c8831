"""What the settings of a job say of its keyed state; each runner hands it to the subtasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.common.options.flott import FlottOptions
from flott.runtime.state.cache_limits import CacheLimits

if TYPE_CHECKING:
    from flott.common import Configuration

STORE_SIZE = 64 * 2**30


@dataclass(frozen=True, slots=True)
class StatePolicy:
    """How much of its state a subtask keeps in memory, and how large its working store may grow."""

    cache: CacheLimits = CacheLimits()  # noqa: RUF009 - it never changes
    store_size: int = STORE_SIZE

    @staticmethod
    def of(configuration: Configuration) -> StatePolicy:
        """Return what the settings of a job say.

        >>> from flott.common import Configuration
        >>> settings = Configuration().set_string("flott.state.max-store-size", "1 gb")
        >>> StatePolicy.of(settings).store_size == 2**30
        True
        """
        return StatePolicy(
            CacheLimits(
                configuration.get(FlottOptions.STATE_CACHE_ENTRIES),
                configuration.get(FlottOptions.STATE_CACHE_MEMORY).get_bytes(),
            ),
            configuration.get(FlottOptions.STATE_MAX_STORE_SIZE).get_bytes(),
        )
