"""Keys of a batch as bytes and as key groups, all at once: the same that each has alone."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import numpy as np

from flott.runtime.canonical_keys import PLAIN, canonical_key, loaded_key
from flott.runtime.keys import ITEM_SIZE, encode_key, key_groups_of_bytes
from flott.runtime.native import entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


def canonical_keys(keys: list[Any]) -> list[Any]:
    """Return the canonical forms of several keys: the list itself if they are that already.

    >>> keys = ["ann", ("bob", 7)]
    >>> canonical_keys(keys) is keys, canonical_keys([7.0, ("bob", False)])
    (True, [7, ('bob', 0)])
    """
    if entries is not None:
        return keys if entries.all_plain(keys) else list(map(canonical_key, keys))
    kinds = set(map(type, keys))
    plain = PLAIN.issuperset(kinds) or (kinds == {tuple} and PLAIN.issuperset(map(type, chain.from_iterable(keys))))
    return keys if plain else list(map(canonical_key, keys))


def loaded_keys(keys: list[Any]) -> list[Any]:
    """Return several keys that were pickled, each as ``loaded_key`` does."""
    plain = entries.all_plain(keys) if entries is not None else PLAIN.issuperset(map(type, keys))
    return keys if plain else list(map(loaded_key, keys))


def encode_keys(keys: Sequence[Any]) -> list[bytes]:
    """Write several keys as bytes, as one by one, but faster.

    >>> encode_keys([("a", 7), ("b", 8)]) == [encode_key(("a", 7)), encode_key(("b", 8))]
    True
    """
    if entries is not None:
        made: list[bytes] = entries.encode_keys(list(keys))
        return made
    kinds = set(map(type, keys))
    if kinds == {int}:
        return [b"i%d" % key for key in keys]
    if kinds == {tuple} and len(set(map(len, keys))) == 1 and keys[0]:
        pieces: list[Iterable[bytes]] = [repeat(b"t")]
        for items in zip(*keys, strict=True):
            encoded = encode_keys(items)
            pieces += [map(ITEM_SIZE.pack, map(len, encoded)), encoded]
        return list(map(b"".join, zip(*pieces)))  # noqa: B905 - one of them has no end
    return list(map(encode_key, keys))


def key_groups_of(keys: list[Any], max_parallelism: int) -> NDArray[np.int64]:
    """Return the key groups of several keys.

    >>> key_groups_of(["alice", ("alice", 7)], 128).tolist()
    [85, 88]
    """
    if entries is None:
        return key_groups_of_bytes(encode_keys(keys), max_parallelism).astype(np.int64)
    groups = np.empty(len(keys), np.int64)
    entries.key_groups(keys, max_parallelism, groups)
    return groups
