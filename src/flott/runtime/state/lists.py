"""List state: stored in chunks, so that an append never rewrites what is there."""

from __future__ import annotations

import pickle
import struct
from typing import TYPE_CHECKING, Any

from flott.runtime.state.changed_in_place import UNCHANGING, may_change

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import Changes, EpochChanges
    from flott.runtime.state.key_scope import KeyScope
    from flott.runtime.state.schemas import ConvertEntry

MANY_CHUNKS = 16
"""A list that was read whole and has more chunks than this is written back as one."""


class ListState:
    """A list per key. Appends of an epoch become one chunk; only reading brings the whole list in."""

    __slots__ = ("_appended", "_backend", "_chunks", "_column", "_handed", "_replaced", "_scope", "_whole", "convert")

    def __init__(self, backend: KeyedBackend, name: str, scope: KeyScope | None = None) -> None:
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

    def get(self) -> list[Any]:
        """Return the current key's list; empty when there is none."""
        whole = list(self.peek())
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
        return whole

    def peek(self) -> list[Any]:
        """Return the live list of the current key, not to be changed."""
        key = self._scope.key
        whole = self._whole.get(key)
        if whole is None:
            whole = self._whole[key] = self._load(key)
        return whole

    def add(self, value: Any) -> None:
        """Append one element."""
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
        some = list(values)
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
        key = self._scope.key
        self._whole[key] = list(values)
        self._replaced.add(key)
        self._appended.pop(key, None)

    def clear(self) -> None:
        """Remove the list of the current key."""
        self.update(())

    def _load(self, key: Any) -> list[Any]:
        whole: list[Any] = []
        chunks = 0
        last = -1
        prefix = self._backend.address(self._column, key)
        stored = self._backend.scan(prefix) if self._may_be_stored(prefix) else ()
        for address, data in stored:
            values = pickle.loads(data)
            whole.extend(values if self.convert is None else self.convert(address, values))
            chunks += 1
            (last,) = struct.unpack(">I", address[len(prefix) :])
        self._chunks[key] = last + 1
        appended = self._appended.get(key)
        if appended is not None:
            whole.extend(appended)
            if chunks > MANY_CHUNKS:
                self._replaced.add(key)
                del self._appended[key]
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

    def _put_chunk(self, changes: Changes, prefix: bytes, key: Any, values: list[Any]) -> None:
        number = self._chunks.get(key)
        if number is None:
            last = self._backend.last(prefix) if self._may_be_stored(prefix) else None
            number = struct.unpack(">I", last[len(prefix) :])[0] + 1 if last is not None else 0
        changes[prefix + struct.pack(">I", number)] = pickle.dumps(values, 5)
        self._chunks[key] = number + 1

    def forget(self) -> None:
        self._whole = {}
        self._appended = {}
        self._replaced = set()
        self._handed = None if self._handed is None else set()
        self._chunks = {}

    def live_entries(self) -> int:
        return sum(map(len, self._whole.values())) + len(self._chunks)
