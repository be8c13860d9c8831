"""Time to live: how long state lives, and how the moment it was last touched is stored with it.

The moments stand behind the pickled value, where ``pickle`` does not look: a state whose time to live was taken away
reads such an entry as if nothing were there, and a state that was given one sees that an entry has none.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.common.time import to_milliseconds
from flott.errors import StateAccessError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flott.runtime.clock import Clock

MARK = b"T"
"""Ends an entry with moments. A pickle ends with a full stop."""

COMPACTION_CHECKS = 1000
"""So many entries an epoch stand for a compaction, which the store does not have."""

RECORDS_PER_EPOCH = 1000
"""For how many records an epoch counts where every record is an occasion to clean up."""


@dataclass(frozen=True, slots=True)
class Lifetime:
    """How long state lives after it was touched, what counts as touching, and how it is cleaned up."""

    millis: int
    renewed_by_reading: bool = False
    expired_is_visible: bool = False
    """Whether what expired is returned, once, if it was not cleaned up before."""
    checks_per_use: int = 0
    """How many entries are looked at for each read or write of the state."""
    checks_per_epoch: int = 0
    """How many entries are looked at in each epoch besides."""
    left_out_of_snapshots: bool = False
    """Whether full snapshots leave out what expired."""

    def over(self, touched: int, now: int) -> bool:
        """Say whether the life of what was touched then is over now.

        >>> Lifetime(10).over(5, 14), Lifetime(10).over(5, 15)
        (False, True)
        """
        return touched + self.millis <= now


class Expiry:
    """When the entries of one state expire. An entry in memory is a pair: the value, and when it was last touched."""

    __slots__ = ("lifetime", "now", "uses")

    def __init__(self, lifetime: Lifetime, clock: Clock) -> None:
        self.lifetime = lifetime
        self.now = clock.now
        self.uses = 0
        """How often the state was read or written in this epoch."""

    def entry(self, value: Any) -> tuple[Any, int]:
        """Return the entry of a value that is written now."""
        self.uses += 1
        return value, self.now()

    def entries(self, values: Iterable[Any]) -> list[tuple[Any, int]]:
        """Return the entries of several values that are written now."""
        now = self.now()
        made = [(value, now) for value in values]
        self.uses += len(made)
        return made

    def stamped(self, value: Any) -> tuple[Any, int] | None:
        """Return the entry of a value that is written now, where None removes it."""
        return None if value is None else self.entry(value)

    def living(self, pair: tuple[Any, int], now: int, absent: Any) -> tuple[Any, Any]:
        """Return what may be seen of an entry, and what it is from now on: another one if it is renewed or over.

        >>> from flott.runtime.clock import ManualClock
        >>> expiry = Expiry(Lifetime(10), ManualClock(0))
        >>> expiry.living(("ann", 5), 14, None), expiry.living(("ann", 5), 15, None)
        (('ann', ('ann', 5)), (None, None))
        """
        value, touched = pair
        lifetime = self.lifetime
        if lifetime.over(touched, now):
            return value if lifetime.expired_is_visible else absent, absent
        return value, (value, now) if lifetime.renewed_by_reading and touched != now else pair

    def moment(self, data: bytes) -> int | None:
        """Return when a stored entry was touched; None if it was written while the state had no time to live."""
        moments = moments_of(data)
        return None if moments is None else moments[0]


def lifetime_of(descriptor: Any) -> Lifetime | None:
    """Return what the StateTtlConfig of a descriptor says; None if its state lives for ever."""
    config = getattr(descriptor, "ttl_config", None)
    if config is None or not config.is_enabled():
        return None
    millis = to_milliseconds(config.get_ttl())
    if millis <= 0:
        message = (
            f"state '{descriptor.get_name()}': its time to live is {config.get_ttl()}, so it would always be expired. "
            f"Give a time greater than 0, as in StateTtlConfig.new_builder(Duration.of_hours(1))."
        )
        raise StateAccessError(message)
    cleanup = config.get_cleanup_strategies()
    incremental = cleanup.get_incremental_cleanup_strategy()
    size = 0 if incremental is None else incremental.get_cleanup_size()
    per_epoch = 0
    if incremental is not None and incremental.run_cleanup_for_every_record():
        per_epoch = size * RECORDS_PER_EPOCH
    if cleanup.get_rocksdb_compact_filter_cleanup_strategy() is not None:
        per_epoch += COMPACTION_CHECKS
    return Lifetime(
        millis,
        renewed_by_reading=config.get_update_type().name == "OnReadAndWrite",
        expired_is_visible=config.get_state_visibility().name == "ReturnExpiredIfNotCleanedUp",
        checks_per_use=size,
        checks_per_epoch=per_epoch,
        left_out_of_snapshots=cleanup.in_full_snapshot(),
    )


def with_moments(data: bytes, moments: Sequence[int]) -> bytes:
    """Return an entry with the moments its elements were touched at.

    >>> entry = with_moments(b"...", [7, 9])
    >>> moments_of(entry), without_moments(entry)
    ((7, 9), b'...')
    """
    return data + struct.pack(f">{len(moments)}qI", *moments, len(moments)) + MARK


def moments_of(data: bytes) -> tuple[int, ...] | None:
    """Return the moments of an entry, or None if it was written by a state without a time to live."""
    if data[-1:] != MARK:
        return None
    (count,) = struct.unpack_from(">I", data, len(data) - 5)
    return struct.unpack_from(f">{count}q", data, len(data) - 5 - 8 * count)


def without_moments(data: bytes) -> bytes:
    """Return an entry without its moments."""
    if data[-1:] != MARK:
        return data
    (count,) = struct.unpack_from(">I", data, len(data) - 5)
    return data[: len(data) - 5 - 8 * count]
