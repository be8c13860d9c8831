"""State that was saved before keys had one canonical encoding: what can't be found by its key any more is refused.

Version 0.1.0 pickled the keys of types that it did not know, so that equal keys had several states, in several key
groups. Strings, integers, bytes, None, floats and tuples of them have the bytes that they always had.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from flott.errors import StateAccessError
from flott.runtime.keys import decode_key, encode_key, key_group_of
from flott.runtime.state.address_layout import GROUP, TIMED, group_in, key_end, key_in
from flott.runtime.state.addresses import LONG_KEY, LONG_KEYS, column_of
from flott.runtime.state.kinds import BY_KEY, MAP_STATE, Form, form_of
from flott.runtime.state.maps import MapState, entry_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flott.runtime.state.backend import KeyedBackend

DIGEST_SIZE = 32
ALWAYS_SAME = frozenset({b"s", b"i", b"n", b"b"})
"""What the bytes of strings, integers, None and bytes begin with."""


def has_same_bytes(encoded: bytes) -> bool:
    """Return whether a key has the bytes that it always had: all do but those of types that were pickled, and decimals.

    >>> has_same_bytes(b"sann"), has_same_bytes(b"d0.5"), has_same_bytes(b"d0.1")
    (True, False, True)
    """
    return encoded[:1] in ALWAYS_SAME or encode_key(decode_key(encoded)) == encoded


def check_stored_keys(backend: KeyedBackend) -> None:
    """Look at the stored keys of an operator, once: refuse those that their canonical bytes do not lead to.

    The keys in maps are moved: they are looked for in the same key group, and have their key beside them.
    """
    parts = backend.parts()
    for name, stored in backend.schemas.stored.items():
        kind, part = stored[0].kind, parts.get(name)
        form = form_of(name, kind)
        for address, data in backend.entries_of(column_of(backend.operator_id, name)):
            for key in _changed_keys(backend, form, address, data):
                raise _refusal(backend, name, key)
            moved = _moved(address, data) if kind == MAP_STATE.name else None
            if moved is not None:
                if not isinstance(part, MapState):
                    raise _refusal(backend, name, pickle.loads(data)[0])
                part.moved[moved] = address


def _changed_keys(backend: KeyedBackend, form: Form, address: bytes, data: bytes) -> Iterator[Any]:
    """Go over the keys of an entry that are not found, or not in this key group, by their canonical bytes."""
    if form in BY_KEY:
        yield from _unless_same(_whole(backend, address[GROUP], key_in(address)))
    elif form is Form.TIMERS:
        yield from _unless_same(_whole(backend, address[GROUP], key_in(address, TIMED)))
    elif form in {Form.MOMENTS, Form.EVENTS}:
        group = group_in(address)
        yield from (key for key in _keys_inside(form, data) if key_group_of(key, backend.max_parallelism) != group)


def _keys_inside(form: Form, data: bytes) -> Iterable[Any]:
    content = pickle.loads(data)
    if form is Form.EVENTS:
        return content[1] if isinstance(content, tuple) else ()
    return [key for namespace, keys in content.items() for key in (_first(keys) if namespace[:1] == b"D" else keys)]


def _first(owners: list[Any]) -> list[Any]:
    return [owner[0] for owner in owners]


def _whole(backend: KeyedBackend, group: bytes, encoded: bytes) -> bytes:
    """Return the bytes of a key, of which an address has only the beginning if they are many."""
    whole = backend.get(group + LONG_KEYS + encoded[-DIGEST_SIZE:]) if len(encoded) == LONG_KEY else None
    return encoded if whole is None else whole


def _unless_same(encoded: bytes) -> Iterator[Any]:
    if not has_same_bytes(encoded):
        yield decode_key(encoded)


def _moved(address: bytes, data: bytes) -> bytes | None:
    """Return where an entry of a map is looked for, if that is not where it is."""
    end = key_end(address)
    if address[end : end + 1] in ALWAYS_SAME:
        return None
    now = address[:end] + entry_address(encode_key(pickle.loads(data)[0]))
    return None if now == address else now


def _refusal(backend: KeyedBackend, name: str, key: Any) -> StateAccessError:
    return StateAccessError(
        f"{backend.title}: state '{name}' was saved for the key {key!r:.100} ({type(key).__qualname__}) by a version "
        f"that had several states for equal keys of this type. It can't be restored. Read it with the state processor "
        f"(SavepointReader), write a savepoint with the keys that the program now has, and start from that; or give "
        f"the operator another uid, so that it starts without state."
    )
