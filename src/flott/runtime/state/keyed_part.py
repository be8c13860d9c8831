"""What the backend asks of everything that keeps live objects over the store: a state, a timer queue."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flott.runtime.state.changes import EpochChanges
    from flott.runtime.state.schemas import ConvertEntry
    from flott.runtime.state.ttl_sweep import Sweep


class KeyedPart(ABC):
    """Live objects of one name over the store. What a part can do beyond that, it declares here by overriding."""

    __slots__ = ()

    @abstractmethod
    def flush(self, changes: EpochChanges) -> None:
        """Add what changed in this epoch, as store entries; from here on the live objects count as read."""

    @abstractmethod
    def forget(self) -> None:
        """Drop all live objects; the store is the truth."""

    @abstractmethod
    def live_entries(self) -> int:
        """Say how many live objects are held."""

    @property
    def is_looked_up(self) -> bool:
        """Whether its entries are only read by point lookups, never by a range scan."""
        return False

    @property
    def in_strides(self) -> bool:
        """Whether records are best worked on a few at a time."""
        return False

    @property
    def sweep(self) -> Sweep | None:
        """What cleans up expired entries; None without a time to live."""
        return None

    def look_ahead(self, keys: list[Any]) -> None:  # noqa: B027 - most read one key at a time
        """Prefetch the entries of the records that come next; only asked of parts whose entries are looked up."""

    def convert_with(self, convert: ConvertEntry | None) -> None:  # noqa: B027 - most have one schema for good
        """Read stored entries through ``convert`` from now on, as they have another schema; None: as they are."""
