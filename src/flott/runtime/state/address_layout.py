"""The layout of the address of a state entry. No other Python module knows where in an address something stands.

Every address begins with ``key group (2 bytes) | column (4)``. Behind that stands, in most states,
``key length (2) | key | rest``; in those that are read in the order of time, ``time (8)`` comes before that.
"""

from __future__ import annotations

import struct

GROUP = slice(0, 2)
COLUMN = slice(2, 6)
PREFIX = slice(0, 6)
"""Key group and column."""
REST = slice(6, None)
"""What stands behind key group and column."""

KEYED = 6
"""Where the length of the key stands, in most states."""
TIMED = 14
"""Where the length of the key stands behind a time."""

TIME_OFFSET = 2**63
"""Is added to times, so that their bytes sort as they do, the negative ones first."""


def group_bytes(group: int) -> bytes:
    r"""Return a key group as it stands in addresses.

    >>> group_bytes(258)
    b'\x01\x02'
    """
    return group.to_bytes(2, "big")


def group_in(address: bytes) -> int:
    """Return the key group of an address."""
    return int.from_bytes(address[GROUP], "big")


def next_group(address: bytes) -> bytes | None:
    r"""Return the key group behind that of an address; None behind the last one.

    >>> next_group(b"\0\x07..."), next_group(b"\xff\xff...")
    (b'\x00\x08', None)
    """
    group = group_in(address) + 1
    return group_bytes(group) if group < 1 << 16 else None


def key_end(address: bytes, start: int = KEYED) -> int:
    """Return where the key ends whose length stands at ``start``."""
    return start + 2 + int.from_bytes(address[start : start + 2], "big")


def key_in(address: bytes, start: int = KEYED) -> bytes:
    r"""Return the bytes of the key whose length stands at ``start``.

    >>> key_in(b"\0\x07" + b"colu" + b"\0\x04" + b"sann" + b"rest")
    b'sann'
    """
    return address[start + 2 : key_end(address, start)]


def head_of(address: bytes) -> bytes:
    """Return an address up to the end of its key."""
    return address[: key_end(address)]


def time_bytes(time: int) -> bytes:
    """Return a time as it stands in addresses.

    >>> time_bytes(-1) < time_bytes(0) < time_bytes(1)
    True
    """
    return struct.pack(">Q", time + TIME_OFFSET)


def time_in(address: bytes, start: int = KEYED) -> int:
    r"""Return the time that stands at ``start``.

    >>> time_in(b"\0\x07" + b"colu" + time_bytes(-5) + b"rest")
    -5
    """
    return int.from_bytes(address[start : start + 8], "big") - TIME_OFFSET


def without_time(address: bytes) -> bytes:
    """Return an address that has a time as if it had none."""
    return address[PREFIX] + address[TIMED:]


def chunk_bytes(time: int, sequence: int) -> bytes:
    """Return a time and the number of a chunk as they stand in addresses."""
    return struct.pack(">QI", time + TIME_OFFSET, sequence)


def chunk_in(address: bytes) -> tuple[int, int]:
    r"""Return the time and the number of a chunk, which an address ends with.

    >>> chunk_in(b"\0\x07" + b"colu" + chunk_bytes(-5, 3))
    (-5, 3)
    """
    time, sequence = struct.unpack(">QI", address[-12:])
    return time - TIME_OFFSET, sequence
