"""What an entry's address begins with: ``key group (2 bytes) | column (4) | key length (2) | key``."""

from __future__ import annotations

import struct
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from zlib import crc32

from flott.runtime.keys import encode_key, key_group_of_bytes, key_groups_of_bytes
from flott.runtime.many_keys import encode_keys

if TYPE_CHECKING:
    from flott.runtime.state.changes import Changes

LONG_KEY = 360
"""LMDB takes addresses of 511 bytes; a key longer than this is cut and told apart by its digest."""

TWO_BYTES = [number.to_bytes(2, "big") for number in range(1 << 15 | 1)]
"""Key groups and lengths as they stand in addresses."""

LONG_KEYS = b"long"
"""Column that holds the whole of each key that was cut."""


def column_of(operator_id: str, name: str) -> bytes:
    """Return the four bytes that stand for a state in addresses."""
    return struct.pack(">I", crc32(f"{operator_id}/{name}".encode()))


class Heads(dict[Any, tuple[bytes, bytes]]):
    """Key → (key group, length and bytes of the key), encoded once per distinct key."""

    def __init__(self, max_parallelism: int) -> None:
        super().__init__()
        self.max_parallelism = max_parallelism
        self.cut: Changes = {}
        """The whole keys behind those that were cut, as store entries."""

    def __missing__(self, key: Any) -> tuple[bytes, bytes]:
        encoded = b"i%d" % key if type(key) is int else encode_key(key)
        group = TWO_BYTES[key_group_of_bytes(encoded, self.max_parallelism)]
        if len(encoded) > LONG_KEY:
            digest = blake2b(encoded, digest_size=32).digest()
            self.cut[group + LONG_KEYS + digest] = encoded
            encoded = encoded[: LONG_KEY - 32] + digest
        head = self[key] = (group, TWO_BYTES[len(encoded)] + encoded)
        return head

    def fill(self, keys: list[Any]) -> None:
        """Encode keys that are not here yet, all at once."""
        encoded = encode_keys(keys)
        groups = key_groups_of_bytes(encoded, self.max_parallelism).tolist()
        for key, group, one in zip(keys, groups, encoded, strict=True):
            if len(one) <= LONG_KEY:
                self[key] = (TWO_BYTES[group], TWO_BYTES[len(one)] + one)
