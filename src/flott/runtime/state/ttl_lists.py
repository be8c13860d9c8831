"""List state with a time to live: each element expires on its own."""

from __future__ import annotations

import pickle
import struct
from typing import TYPE_CHECKING, Any

from flott.runtime.state.lists import MANY_CHUNKS, ListState
from flott.runtime.state.ttl import moments_of
from flott.runtime.state.ttl_sweep import Sweep, keep_elements, pack_elements

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.runtime.clock import Clock
    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import Changes, EpochChanges
    from flott.runtime.state.ttl import Lifetime


class ExpiringListState(ListState):
    """A list per key; in memory, of pairs of an element and the moment it was last touched."""

    __slots__ = ("_lifetime", "_now", "_uses", "sweep")

    def __init__(self, backend: KeyedBackend, name: str, lifetime: Lifetime, clock: Clock) -> None:
        super().__init__(backend, name)
        self._lifetime = lifetime
        self._now = clock.now
        self._uses = 0
        self.sweep = Sweep(backend, self._column, lifetime, keep_elements)

    def get(self) -> list[Any]:
        """Return the elements of the current key's list that live; what expired is removed."""
        self._uses += 1
        lifetime, now = self._lifetime, self._now()
        pairs = self.peek()
        alive = [pair for pair in pairs if not lifetime.over(pair[1], now)]
        seen = [value for value, _ in (pairs if lifetime.expired_is_visible else alive)]
        if lifetime.renewed_by_reading and any(moment != now for _, moment in alive):
            super().update((value, now) for value, _ in alive)
        elif len(alive) < len(pairs):
            super().update(alive)
        if self._handed is not None:
            self._hand_out(seen)
        return seen

    def _elements(self, whole: list[Any]) -> list[Any]:
        return [value for value, _ in whole]

    def add(self, value: Any) -> None:
        """Append one element."""
        self._uses += 1
        super().add((value, self._now()))

    def add_all(self, values: Iterable[Any]) -> None:
        """Append several elements."""
        now = self._now()
        pairs = [(value, now) for value in values]
        self._uses += len(pairs)
        super().add_all(pairs)

    def update(self, values: Iterable[Any]) -> None:
        """Replace the whole list."""
        self._uses += 1
        now = self._now()
        super().update((value, now) for value in values)

    def _load(self, key: Any) -> list[Any]:
        whole: list[Any] = []
        last = -1
        chunks = 0
        unmarked = False
        prefix = self._backend.address(self._column, key)
        for address, data in self._backend.scan(prefix):
            values = pickle.loads(data)
            if self.convert is not None:
                values = self.convert(address, values)
            moments = moments_of(data)
            if moments is None:
                # Written before the state had a time to live: its life begins when it is first seen.
                unmarked = True
                moments = (self._now(),) * len(values)
            whole.extend(zip(values, moments, strict=True))
            chunks += 1
            (last,) = struct.unpack(">I", address[len(prefix) :])
        self._chunks[key] = last + 1
        whole.extend(self._appended.get(key, ()))
        if unmarked or (chunks > MANY_CHUNKS and key in self._appended):
            self._replaced.add(key)
            self._appended.pop(key, None)
        return whole

    def _put_chunk(self, changes: Changes, prefix: bytes, key: Any, values: list[Any]) -> None:
        number = self._chunks.get(key)
        if number is None:
            last = self._backend.last(prefix)
            number = struct.unpack(">I", last[len(prefix) :])[0] + 1 if last is not None else 0
        changes[prefix + struct.pack(">I", number)] = pack_elements(values)
        self._chunks[key] = number + 1

    def flush(self, changes: EpochChanges) -> None:
        into = changes.entries
        super().flush(changes)
        if self.sweep.run(into, self._uses, self._now()):
            self.forget()
        self._uses = 0
