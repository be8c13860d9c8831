"""Laid out entries on their way to a file: packed, where that makes them much smaller."""

from __future__ import annotations

import pyarrow as pa

LEAST = 64 * 2**10
"""Fewer bytes are written as they are."""
SAMPLE = 16 * 2**10
"""The bytes, of the middle, that are tried first."""
WORTH_IT = 0.4
"""Packed, they must have no more than this part of their size."""

CODEC = pa.Codec("lz4_raw")
"""It packs about as fast as a disk writes, and unpacks many times as fast."""


def packed(data: bytes | memoryview) -> bytes | None:
    """Return bytes packed; None if it is not worth while.

    >>> unpacked(packed(b"the same" * 10_000), 80_000) == b"the same" * 10_000
    True
    >>> packed(b"too little")
    """
    if len(data) < LEAST:
        return None
    middle = len(data) // 2
    sample = memoryview(data)[middle : middle + SAMPLE]
    if CODEC.compress(sample).size > WORTH_IT * len(sample):
        return None
    # Bytes of Python: Arrow would keep their memory for later.
    made: bytes = CODEC.compress(data, asbytes=True)
    return made


def unpacked(data: bytes | memoryview, size: int) -> bytes:
    """Return packed bytes as they were: so many."""
    made: bytes = CODEC.decompress(data, size, asbytes=True)
    return made
