"""List state: stored in chunks, so that an append never rewrites what is there."""

from __future__ import annotations

import pickle
import struct
from operator import is_not
from typing import TYPE_CHECKING, Any

from flott.runtime.state.changed_in_place import UNCHANGING, may_change
from flott.runtime.state.keyed_part import KeyedPart
from flott.runtime.state.ttl import moments_of
from flott.runtime.state.ttl_sweep import Sweep, keep_elements, pack_elements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import Changes, EpochChanges
    from flott.runtime.state.key_scope import KeyScope
    from flott.runtime.state.schemas import ConvertEntry
    from flott.runtime.state.ttl import Expiry

GONE: Any = object()
MANY_CHUNKS = 16
"""A list that was read whole and has more chunks than this is written back as one."""


class ListState(KeyedPart):
    """A list per key. Appends of an epoch become one chunk; only reading brings the whole list in."""

    __slots__ = (
        "_appended",
        "_backend",
        "_chunks",
        "_column",
        "_expiry",
        "_handed",
        "_replaced",
        "_scope",
        "_sweep",
        "_whole",
        "convert",
    )  # fmt: skip

    def __init__(
        self, backend: KeyedBackend, name: str, scope: KeyScope | None = None, expiry: Expiry | None = None
    ) -> None:
        self._backend = backend
        self._column = backend.column(name)
        self._scope = scope or backend.scope
        self._whole: dict[Any, list[Any]] = {}
        self._appended: dict[Any, list[Any]] = {}
        self._replaced: set[Any] = set()
        self._chunks: dict[Any, int] = {}
        """Number of the next chunk, where it is known."""
        self._handed: set[Any] | None = None
        """Keys whose elements were handed out in this epoch and can change in place; None if nobody changes them."""
        self.convert: ConvertEntry | None = None
        """How chunks are read that were stored under another schema."""
        self._expiry = expiry
        """When each element expires; elements in memory are pairs with the moment they were last touched then."""
        self._sweep = None if expiry is None else Sweep(backend, self._column, expiry.lifetime, keep_elements)

    def get(self) -> list[Any]:
        """Return the current key's list; empty when there is none."""
        if self._expiry is not None:
            whole = self._living(self._expiry)
        else:
            known = self._whole.get(self._scope.key)
            whole = list(self.peek() if known is None else known)
        if self._handed is not None and self._scope.key not in self._handed:
            self._hand_out(whole)
        return whole

    def __iter__(self) -> Iterator[Any]:
        return iter(self.get())

    def watch(self) -> None:
        """From now on, keep what a user's function changes in place."""
        if self._handed is None:
            self._handed = set()

    def _hand_out(self, elements: list[Any]) -> None:
        if not UNCHANGING.issuperset(map(type, elements)) and any(map(may_change, elements)):
            self._handed.add(self._scope.key)  # type: ignore[union-attr]

    def _keep_changed(self) -> None:
        """Rewrite lists whose stored elements were changed in place."""
        if not self._handed:
            return
        handed, self._handed = self._handed, set()
        for key in handed - self._replaced:
            stored = self._stored_elements(key)
            now = self._elements(self._whole[key])[: len(stored)]
            if list(map(pickle.dumps, now)) != list(map(pickle.dumps, stored)):
                self._replaced.add(key)
                self._appended.pop(key, None)

    def _stored_elements(self, key: Any) -> list[Any]:
        found: list[Any] = []
        for address, data in self._backend.scan(self._backend.address(self._column, key)):
            values = pickle.loads(data)
            found.extend(values if self.convert is None else self.convert(address, values))
        return found

    def _elements(self, whole: list[Any]) -> list[Any]:
        """Return the elements of what is in memory."""
        return whole if self._expiry is None else [value for value, _ in whole]

    def _living(self, expiry: Expiry) -> list[Any]:
        """Return the elements of the current key's list that may be seen; what expired is removed."""
        expiry.uses += 1
        pairs, now = self.peek(), expiry.now()
        looked = [expiry.living(pair, now, GONE) for pair in pairs]
        kept = [pair for _, pair in looked if pair is not GONE]
        if len(kept) < len(pairs) or any(map(is_not, kept, pairs)):
            self._replace(kept)
        return [value for value, _ in looked if value is not GONE]

    def peek(self) -> list[Any]:
        """Return the live list of the current key, not to be changed."""
        key = self._scope.key
        whole = self._whole.get(key)
        if whole is None:
            whole = self._whole[key] = self._load(key)
        return whole

    def add(self, value: Any) -> None:
        """Append one element."""
        if self._expiry is not None:
            value = self._expiry.entry(value)
        key = self._scope.key
        whole = self._whole.get(key)
        if whole is not None:
            whole.append(value)
            if key in self._replaced:
                return
        appended = self._appended.get(key)
        if appended is None:
            self._appended[key] = [value]
        else:
            appended.append(value)

    def add_all(self, values: Iterable[Any]) -> None:
        """Append several elements."""
        some = list(values) if self._expiry is None else self._expiry.entries(values)
        if not some:
            return
        key = self._scope.key
        whole = self._whole.get(key)
        if whole is not None:
            whole.extend(some)
            if key in self._replaced:
                return
        appended = self._appended.get(key)
        if appended is None:
            self._appended[key] = some
        else:
            appended.extend(some)

    def update(self, values: Iterable[Any]) -> None:
        """Replace the whole list."""
        self._replace(list(values) if self._expiry is None else self._expiry.entries(values))

    def _replace(self, whole: list[Any]) -> None:
        key = self._scope.key
        self._whole[key] = whole
        self._replaced.add(key)
        self._appended.pop(key, None)

    def clear(self) -> None:
        """Remove the list of the current key."""
        self._replace([])

    def _load(self, key: Any) -> list[Any]:
        whole: list[Any] = []
        chunks = 0
        last = -1
        prefix = self._backend.address(self._column, key)
        stored = self._backend.scan(prefix) if self._may_be_stored(prefix) else ()
        unmarked = False
        for address, data in stored:
            values = pickle.loads(data)
            if self.convert is not None:
                values = self.convert(address, values)
            if self._expiry is not None:
                moments = moments_of(data)
                if moments is None:
                    # Written before the state had a time to live: its life begins when it is first seen.
                    unmarked = True
                    moments = (self._expiry.now(),) * len(values)
                values = zip(values, moments, strict=True)
            whole.extend(values)
            chunks += 1
            (last,) = struct.unpack(">I", address[len(prefix) :])
        self._chunks[key] = last + 1
        appended = self._appended.get(key)
        if appended is not None:
            whole.extend(appended)
        if unmarked or (appended is not None and chunks > MANY_CHUNKS):
            self._replaced.add(key)
            self._appended.pop(key, None)
        return whole

    def _may_be_stored(self, prefix: bytes) -> bool:
        """Say whether the store may have chunks of a list; who knows better saves the search for them."""
        return True

    def flush(self, changes: EpochChanges) -> None:
        into = changes.entries
        self._keep_changed()
        for key in self._replaced:
            prefix = self._backend.address(self._column, key)
            for address, _ in self._backend.scan(prefix):
                into[address] = None
            whole = self._whole[key]
            self._chunks[key] = 0
            if whole:
                self._put_chunk(into, prefix, key, whole)
            else:
                # Windows come and go; what is empty need not be remembered.
                del self._whole[key], self._chunks[key]
        for key, values in self._appended.items():
            self._put_chunk(into, self._backend.address(self._column, key), key, values)
        self._appended = {}
        self._replaced = set()
        expiry = self._expiry
        if self._sweep is not None and expiry is not None:
            if self._sweep.run(into, expiry.uses, expiry.now()):
                self.forget()
            expiry.uses = 0

    def _put_chunk(self, changes: Changes, prefix: bytes, key: Any, values: list[Any]) -> None:
        number = self._chunks.get(key)
        if number is None:
            last = self._backend.last(prefix) if self._may_be_stored(prefix) else None
            number = struct.unpack(">I", last[len(prefix) :])[0] + 1 if last is not None else 0
        changes[prefix + struct.pack(">I", number)] = (
            pickle.dumps(values, 5) if self._expiry is None else pack_elements(values)
        )
        self._chunks[key] = number + 1

    @property
    def sweep(self) -> Sweep | None:
        return self._sweep

    def convert_with(self, convert: ConvertEntry | None) -> None:
        self.convert = convert

    def forget(self) -> None:
        self._whole = {}
        self._appended = {}
        self._replaced = set()
        self._handed = None if self._handed is None else set()
        self._chunks = {}

    def live_entries(self) -> int:
        return sum(map(len, self._whole.values())) + len(self._chunks)
