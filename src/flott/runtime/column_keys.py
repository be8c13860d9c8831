"""Key groups of whole columns of keys: the same that the keys have one by one."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
import pyarrow as pa

from flott.runtime.keys import key_group_of, key_groups_of_checksums
from flott.runtime.many_keys import canonical_keys, key_groups_of
from flott.runtime.native import entries

if TYPE_CHECKING:
    from numpy.typing import NDArray

MANY_KEYS = 500_000
DIGITS = 4
CHUNK = 10**DIGITS
CHUNKS = 5
"""So many chunks of four digits hold any number of 64 bits."""


def key_groups(keys: Any, max_parallelism: int) -> NDArray[np.int64]:
    """Return the key group of every key of an Arrow array.

    >>> key_groups(pa.array(["alice", "bob", "alice"]), 128).tolist() == [85, key_group_of("bob", 128), 85]
    True
    >>> key_groups(pa.array([0, -7, 2**63 - 1]), 128).tolist() == [key_group_of(n, 128) for n in (0, -7, 2**63 - 1)]
    True
    """
    if pa.types.is_nested(keys.type):
        return key_groups_of(keys.to_pylist(), max_parallelism)
    if pa.types.is_integer(keys.type) and keys.type != pa.uint64() and keys.null_count == 0:
        return groups_of_numbers(keys.to_numpy(zero_copy_only=False).astype(np.int64, copy=False), max_parallelism)
    encoded = keys.dictionary_encode(null_encoding="encode")
    memo = group_memo(max_parallelism)
    distinct = encoded.dictionary.to_pylist()
    groups = memo.of_all(distinct)
    codes: NDArray[np.int64] = encoded.indices.to_numpy(zero_copy_only=False)
    return groups[codes]


def groups_of_numbers(numbers: NDArray[np.int64], max_parallelism: int) -> NDArray[np.int64]:
    """Return the key groups of whole numbers, without writing each as text.

    A checksum of texts of equal length is the checksum of any one of them, changed by what differs at each place.
    So it is put together from that of as many zeros, and from tables of what four digits at a place change.
    """
    negative = numbers < 0
    # Unsigned, because the smallest number has no counterpart among the positive ones.
    rest = np.where(negative, np.uint64(0) - numbers.view(np.uint64), numbers.view(np.uint64))
    length = np.searchsorted(POWERS, rest, "right")
    checksum = ZEROS[negative.astype(np.intp), length]
    most = int(rest.max(initial=0))
    for number in range(CHUNKS):
        if number and most < CHUNK**number:
            break
        checksum = checksum ^ changes(number)[(rest % np.uint64(CHUNK)).astype(np.intp)]
        rest = rest // np.uint64(CHUNK)
    return key_groups_of_checksums(checksum, max_parallelism).astype(np.int64)


POWERS = np.array([10**power for power in range(1, 20)], np.uint64)
"""A number below the first of these has one digit, and so on; found from the right, less one."""

ZEROS = np.array([[crc32(sign + b"0" * (size + 1)) for size in range(20)] for sign in (b"i", b"i-")], np.uint64)
"""The checksum of zeros instead of digits: of a positive and of a negative number, by the number of digits less one."""


@lru_cache(maxsize=CHUNKS)
def changes(chunk: int) -> NDArray[np.uint64]:
    """Return what each four digits instead of zeros change in a checksum, so many chunks before the end."""
    behind = b"0" * (DIGITS * chunk)
    zeros = crc32(b"0" * DIGITS + behind)
    return np.array([crc32(b"%04d" % digits + behind) ^ zeros for digits in range(CHUNK)], np.uint64)


class GroupMemo(dict[Any, int]):
    """Key → key group, worked out once per distinct key and process."""

    def __init__(self, max_parallelism: int) -> None:
        super().__init__()
        self.max_parallelism = max_parallelism

    def of_all(self, keys: list[Any]) -> NDArray[np.int64]:
        """Return the key groups of several keys, each of which comes once."""
        if entries is not None:
            return key_groups_of(keys, self.max_parallelism)  # in less time than it takes to look them up
        keys = canonical_keys(keys)
        found = list(map(self.get, keys))
        if None in found:
            new = [key for key, group in zip(keys, found, strict=True) if group is None]
            if len(self) + len(new) > MANY_KEYS:
                self.clear()
            groups = key_groups_of(new, self.max_parallelism).tolist()
            self.update(zip(new, groups, strict=True))
            rest = iter(groups)
            found = [next(rest) if group is None else group for group in found]
        return np.array(found, np.int64)

    def __missing__(self, key: Any) -> int:
        if len(self) >= MANY_KEYS:
            self.clear()
        group = self[key] = key_group_of(key, self.max_parallelism)
        return group


@lru_cache(maxsize=16)
def group_memo(max_parallelism: int) -> GroupMemo:
    """Return this process's memo for a number of key groups."""
    return GroupMemo(max_parallelism)
