"""Goes over all keys of a subtask that have something in one state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from flott.runtime.keys import decode_key
from flott.runtime.state.address_layout import GROUP, head_of, key_in
from flott.runtime.state.addresses import LONG_KEY, LONG_KEYS
from flott.runtime.state.lists import ListState
from flott.runtime.state.maps import MapState
from flott.runtime.state.values import SingleValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.keyed_part import KeyedPart

DIGEST_SIZE = 32


class WalkedState(Protocol):
    """A state that can say which keys it holds."""

    def written_keys(self) -> set[Any]:
        """Return the keys that were written in this epoch."""

    def holds_something(self) -> bool:
        """Say whether there is anything for the current key."""


def keys_of_state(backend: KeyedBackend, name: str) -> Iterator[Any]:
    """Go over the keys that have something in the state ``name``, each set as the current key.

    The state may be changed meanwhile. First come the keys that this epoch wrote, then those in the store, group
    by group: the store stays at the epoch's version, so changing state can't disturb the walk.
    """
    part = backend.parts()[name]
    scope = backend.scope
    written = written_keys(part)
    for key in written:
        scope.key = key
        if holds_something(part):
            yield key
    for key in stored_keys(backend, backend.column(name)):
        if key not in written:
            scope.key = key
            if holds_something(part):
                yield key
    scope.unset()


def written_keys(part: KeyedPart | WalkedState) -> set[Any]:
    """Return the keys that were written in this epoch; their entries in the store are out of date."""
    # Plain states need not know that they are walked.
    if isinstance(part, SingleValue):
        drafted = (key_in_address(part._backend, address) for address in part.drafted())  # noqa: SLF001
        return {*part._written, *drafted}  # noqa: SLF001
    if isinstance(part, ListState):
        return part._replaced | set(part._appended)  # noqa: SLF001
    if isinstance(part, MapState):
        return part._cleared | set(part._written)  # noqa: SLF001
    return part.written_keys()  # type: ignore[union-attr]


def holds_something(part: KeyedPart | WalkedState) -> bool:
    """Say whether a state has anything for the current key."""
    if isinstance(part, SingleValue):
        return part.is_kept()
    if isinstance(part, ListState):
        return bool(part.peek())
    if isinstance(part, MapState):
        return not part.is_empty()
    return part.holds_something()  # type: ignore[union-attr]


def stored_keys(backend: KeyedBackend, column: bytes) -> Iterator[Any]:
    """Go over the keys that have entries of a column in the store, each once."""
    last = b""
    for address, _ in backend.entries_of(column):
        head = head_of(address)
        if head != last:
            last = head
            yield key_in_address(backend, head)


def key_in_address(backend: KeyedBackend, head: bytes) -> Any:
    """Read the key out of an address ``group | column | length | key``."""
    encoded = key_in(head)
    if len(encoded) == LONG_KEY:
        # Cut, most likely; if a key just happens to be as long, there is no whole one under its end.
        whole = backend.get(head[GROUP] + LONG_KEYS + encoded[-DIGEST_SIZE:])
        if whole is not None:
            return decode_key(whole)
    return decode_key(encoded)
