"""Cleans up expired state in the background: some entries at the end of each epoch, all of them in turn.

Flink looks at a few entries at each use of a state. Here the looks that an epoch's uses have earned are taken together
at its end, when one walk over the store is cheap; nobody can see the difference, because what expired is not returned.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from flott.runtime.state.address_layout import COLUMN
from flott.runtime.state.ttl import moments_of, with_moments, without_moments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import Changes
    from flott.runtime.state.ttl import Lifetime

PAST_ALL = b"\xff" * 9
"""Behind a key group and a column: higher than every address, because a key's length is below 0xff00."""


class Sweep:
    """Walks over the stored entries of one state, a stretch at a time, and comes round again."""

    __slots__ = ("_backend", "_column", "_next", "_visit", "lifetime")

    def __init__(
        self,
        backend: KeyedBackend,
        column: bytes,
        lifetime: Lifetime,
        visit: Callable[[bytes, Lifetime, int], bytes | None],
    ) -> None:
        self._backend = backend
        self._column = column
        self._visit = visit
        self._next: tuple[int, bytes] | None = None
        """Key group and address to go on from; None: from the beginning."""
        self.lifetime = lifetime

    def run(self, changes: Changes, uses: int, now: int) -> bool:
        """Look at as many entries as the uses of this epoch have earned; add what is to change.

        True if what was cleaned up must be forgotten by live objects too: it may still be seen, else.
        """
        before = len(changes)
        self._look(changes, uses, now)
        return self.lifetime.expired_is_visible and len(changes) > before

    def _look(self, changes: Changes, uses: int, now: int) -> None:
        left = self.lifetime.checks_per_use * uses + self.lifetime.checks_per_epoch
        if left <= 0 or self._backend.is_converted(self._column):
            return  # What is converted is written anew as a whole, at the end of this very epoch.
        if self._backend.is_looked_up(self._column):
            # The state had no time to live when these were stored, and was not walked over. Now it is: all at once.
            for entry in self._backend.entries_of(self._column):
                self._look_at(entry, changes, now)
            return
        for entry in self._walk():
            self._look_at(entry, changes, now)
            left -= 1
            if not left:
                return

    def _look_at(self, entry: tuple[bytes, bytes], changes: Changes, now: int) -> None:
        address, data = entry
        if address not in changes:
            kept = self._visit(data, self.lifetime, now)
            if kept is not data:
                changes[address] = kept

    def _walk(self) -> Iterator[tuple[bytes, bytes]]:
        """Go on from where the last walk ended, once round at most."""
        backend, column = self._backend, self._column
        group, start = self._next or (backend.groups.start, b"")
        for number in range(group, backend.groups.stop):
            prefix = number.to_bytes(2, "big") + column
            for address, data in backend.scan_from(max(start, prefix), prefix + PAST_ALL):
                self._next = (number, address + b"\x00")
                yield address, data
        self._next = None

    def unexpired(self, data: bytes, now: int) -> bytes | None:
        """Return what a full snapshot holds of an entry: all, a part of it, or None."""
        return self._visit(data, self.lifetime, now) if self.lifetime.left_out_of_snapshots else data


def keep_or_drop(data: bytes, lifetime: Lifetime, now: int) -> bytes | None:
    """Return an entry that expires as a whole, or None if it has; one without a moment gets this one."""
    moments = moments_of(data)
    if moments is None:
        return with_moments(data, [now])
    return None if lifetime.over(moments[0], now) else data


def keep_elements(data: bytes, lifetime: Lifetime, now: int) -> bytes | None:
    """Return a chunk of a list with the elements that live, or None if none does."""
    moments = moments_of(data)
    if moments is None:
        return with_moments(data, [now] * len(pickle.loads(data)))
    if not any(lifetime.over(moment, now) for moment in moments):
        return data
    alive = [
        pair
        for pair in zip(pickle.loads(without_moments(data)), moments, strict=True)
        if not lifetime.over(pair[1], now)
    ]
    return pack_elements(alive) if alive else None


def pack_elements(pairs: list[tuple[Any, int]]) -> bytes:
    """Write a chunk of a list: its elements, and the moments they were touched at."""
    return with_moments(pickle.dumps([value for value, _ in pairs], 5), [moment for _, moment in pairs])


def without_expired(
    backends: Iterable[KeyedBackend], entries: Iterable[tuple[bytes, bytes]], now: int
) -> Iterator[tuple[bytes, bytes]]:
    """Leave out of a full snapshot what has expired, in the states that ask for it; the store stays as it is."""
    sweeps: dict[bytes, Sweep] = {}
    for backend in backends:
        for name, part in backend.parts().items():
            if part.sweep is not None:
                sweeps[backend.column(name)] = part.sweep
    if not any(sweep.lifetime.left_out_of_snapshots for sweep in sweeps.values()):
        yield from entries
        return
    for address, data in entries:
        sweep = sweeps.get(address[COLUMN])
        still = data if sweep is None else sweep.unexpired(data, now)
        if still is not None:
            yield address, still
