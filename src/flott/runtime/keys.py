"""Keys as bytes, and the key group a key belongs to. Stable over processes, machines and Python versions."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from flott.runtime.canonical_keys import NAN, canonical_key
from flott.runtime.key_kinds import put_together, taken_apart

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

DEFAULT_MAX_PARALLELISM = 128
ITEM_SIZE = struct.Struct(">I")

SPREAD = 0x9E3779B1
"""Checksums of neighbouring keys leave patterns; multiplied by this, their upper bits do not."""


def encode_key(key: Any) -> bytes:
    """Write a key as bytes: those of its canonical form.

    >>> encode_key("a")
    b'sa'
    >>> encode_key(1) == encode_key(1.0) == encode_key(True)
    True
    >>> decode_key(encode_key(("a", 7, None)))
    ('a', 7, None)
    """
    kind = type(key)
    if kind is str:
        text: str = key
        return b"s" + text.encode("utf-8", "surrogatepass")
    if kind is int:
        return b"i%d" % key
    return encode_tuple(key) if kind is tuple else encode_other(key)


def encode_tuple(key: tuple[Any, ...]) -> bytes:
    """Write a tuple: its items, each behind its length."""
    made = b"t"
    for item in key:
        part = encode_key(item)
        made += ITEM_SIZE.pack(len(part)) + part
    return made


def encode_other(key: Any) -> bytes:
    """Write a key that is neither a plain string, integer nor tuple."""
    key = canonical_key(key)
    kind = type(key)
    if key is None:
        return b"n"
    if kind is str or kind is int or kind is tuple:
        return encode_key(key)
    if kind is bytes:
        return b"b" + bytes(key)
    if kind is float:
        return b"f" + struct.pack(">d", key)
    if kind is frozenset:
        return b"x" + joined(sorted(map(encode_key, key)))
    letter, content = taken_apart(key)
    return letter + (content if isinstance(content, bytes) else joined(map(encode_key, content)))


def joined(parts: Iterable[bytes]) -> bytes:
    """Put encoded items one behind the other, each behind its length."""
    return b"".join(ITEM_SIZE.pack(len(part)) + part for part in parts)


def decode_key(data: bytes) -> Any:  # noqa: PLR0911
    """Read a key back from its bytes, in its canonical form."""
    kind, rest = data[:1], data[1:]
    if kind == b"s":
        return rest.decode("utf-8", "surrogatepass")
    if kind == b"i":
        return int(rest)
    if kind == b"n":
        return None
    if kind == b"b":
        return rest
    if kind == b"f":
        (value,) = struct.unpack(">d", rest)
        return NAN if value != value else value  # noqa: PLR0124
    if kind == b"t":
        return tuple(split_parts(rest))
    return put_together(kind, rest, split_parts)


def split_parts(data: bytes) -> list[Any]:
    """Read the items of a tuple key."""
    items = []
    position = 0
    while position < len(data):
        (size,) = ITEM_SIZE.unpack_from(data, position)
        position += ITEM_SIZE.size
        items.append(decode_key(data[position : position + size]))
        position += size
    return items


def key_group_of_bytes(encoded: bytes, max_parallelism: int) -> int:
    """Return the key group of an encoded key."""
    return ((crc32(encoded) * SPREAD & 0xFFFFFFFF) >> 12) % max_parallelism


def key_groups_of_bytes(several: Sequence[bytes], max_parallelism: int) -> NDArray[np.uint64]:
    """Return the key groups of encoded keys."""
    checksums = np.fromiter(map(crc32, several), np.uint64, len(several))
    return key_groups_of_checksums(checksums, max_parallelism)


def key_groups_of_checksums(checksums: NDArray[np.uint64], max_parallelism: int) -> NDArray[np.uint64]:
    """Return the key groups of encoded keys with these checksums.

    >>> key_groups_of_checksums(np.array([crc32(b"salice")], np.uint64), 128).tolist() == [key_group_of("alice", 128)]
    True
    """
    spread = (checksums * np.uint64(SPREAD) & np.uint64(0xFFFFFFFF)) >> np.uint64(12)
    groups: NDArray[np.uint64] = spread % np.uint64(max_parallelism)
    return groups


def key_group_of(key: Any, max_parallelism: int) -> int:
    """Return the key group of a key: the same everywhere and for ever.

    >>> key_group_of("alice", 128)
    85
    """
    return key_group_of_bytes(encode_key(key), max_parallelism)


def subtask_of_group(group: int, parallelism: int, max_parallelism: int) -> int:
    """Return the subtask that owns a key group."""
    return group * parallelism // max_parallelism


def groups_of_subtask(subtask: int, parallelism: int, max_parallelism: int) -> range:
    """Return the key groups that a subtask owns.

    >>> [list(groups_of_subtask(i, 3, 10)) for i in range(3)]
    [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]
    """
    start = -(-subtask * max_parallelism // parallelism)
    end = -(-(subtask + 1) * max_parallelism // parallelism)
    return range(start, end)
