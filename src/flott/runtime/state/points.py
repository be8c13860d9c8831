"""Entries that are only ever looked up by their whole address, laid out as files hold them."""

from __future__ import annotations

import struct
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np

from flott.runtime.state.address_layout import COLUMN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

HEADER = struct.Struct("<IIH")
"""Before an address and its value: the value's size, the address's checksum (its mark) and length."""
GONE = 0xFFFFFFFF
"""Instead of a value's size: the entry was removed."""

BATCH = 16_384
"""So many entries are laid out at once."""


class PointBatch(NamedTuple):
    """Entries one behind the other, each ``header | address | value``; no address comes twice."""

    starts: NDArray[np.uint64]
    """Where each entry begins."""
    data: bytes | memoryview

    def entries(self) -> Iterator[tuple[bytes, bytes | None]]:
        """Go over the entries."""
        data = self.data
        for start in self.starts.tolist():
            size, _, length = HEADER.unpack_from(data, start)
            value = start + HEADER.size + length
            address = bytes(data[start + HEADER.size : value])
            yield address, None if size == GONE else bytes(data[value : value + size])


def batch_of(addresses: list[bytes], values: list[bytes | None]) -> PointBatch:
    """Lay out entries; None stands for one that was removed.

    >>> list(batch_of([b"a", b"b"], [b"one", None]).entries())
    [(b'a', b'one'), (b'b', None)]
    """
    contents = [value or b"" for value in values]
    lengths, sizes = list(map(len, addresses)), list(map(len, contents))
    told = sizes if None not in values else [GONE if value is None else len(value) for value in values]
    pieces: list[bytes] = [b""] * (3 * len(addresses))
    pieces[0::3] = map(HEADER.pack, told, map(crc32, addresses), lengths)
    pieces[1::3] = addresses
    pieces[2::3] = contents
    ends = np.cumsum(np.array(lengths, np.uint64) + np.array(sizes, np.uint64) + np.uint64(HEADER.size))
    starts = np.concatenate((np.zeros(1, np.uint64), ends))[: len(addresses)]
    return PointBatch(starts, b"".join(pieces))


class Points:
    """What an epoch changed in states that have one entry for a key, each entry once."""

    __slots__ = ("_addresses", "_batches", "_values", "columns")

    def __init__(self, columns: set[bytes] | None = None, batches: Iterable[PointBatch] = ()) -> None:
        self.columns = columns or set()
        """The columns whose entries these are."""
        self._addresses: list[bytes] = []
        self._values: list[bytes | None] = []
        self._batches = list(batches)

    def __len__(self) -> int:
        return len(self._addresses) + sum(len(batch.starts) for batch in self._batches)

    def add(self, column: bytes, addresses: list[bytes], values: list[bytes | None]) -> None:
        """Add entries of a column; many are laid out at once, lest they are in memory twice."""
        if addresses:
            self.columns.add(column)
            self._addresses += addresses
            self._values += values
            if len(self._addresses) >= BATCH:
                self.batches()

    def add_batches(self, column: bytes, batches: Iterable[PointBatch]) -> None:
        """Add entries of a column that are laid out already."""
        before = len(self._batches)
        self._batches += batches
        if len(self._batches) > before:
            self.columns.add(column)

    def size(self) -> int:
        """Return how many bytes the entries take, about."""
        return sum(map(len, filter(None, self._values))) + sum(len(batch.data) for batch in self._batches)

    def batches(self) -> list[PointBatch]:
        """Return the entries as files hold them."""
        if self._addresses:
            self._batches.append(batch_of(self._addresses, self._values))
            self._addresses, self._values = [], []
        return self._batches

    def entries(self) -> Iterator[tuple[bytes, bytes | None]]:
        """Go over the entries."""
        return chain.from_iterable(batch.entries() for batch in self.batches())


def points_of(entries: Iterable[tuple[bytes, bytes | None]]) -> Points:
    """Gather entries, whose addresses are all different."""
    points = Points()
    for address, value in entries:
        points.add(address[COLUMN], [address], [value])
    return points
