"""A table that finds entries of a log by the marks of their addresses; whole batches are put in at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from flott.runtime.keys import SPREAD
from flott.runtime.native import entries
from flott.runtime.state.points import HEADER

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLACE_BITS = 40
PLACE = (1 << PLACE_BITS) - 1
"""A slot is one word: the place of an entry in the log, below some bits of its mark. Zero is a free slot."""
TAG = (1 << 64 - PLACE_BITS) - 1
FULL = 0.6
"""A table that is fuller than this gets a larger one after it; it starts at half of that or less."""
LEAST_BITS = 10
MASK_32 = np.uint64(0xFFFFFFFF)
WORD = 8


def bits_for(entries: int) -> int:
    """Return the size of a table that so many entries fill by a third at most, as a power of two.

    >>> bits_for(0), bits_for(1000)
    (10, 12)
    """
    return max(LEAST_BITS, (3 * entries).bit_length())


class LogView:
    """A log, or other bytes, as numpy sees them: numbers at any byte."""

    __slots__ = ("_shorts", "_words", "bytes", "longs")

    def __init__(self, data: object, size: int) -> None:
        self.bytes: NDArray[np.uint8] = np.frombuffer(data, np.uint8, size)  # type: ignore[call-overload]
        self._shorts: NDArray[np.uint16] = self._at_any_byte(np.uint16)
        self._words: NDArray[np.uint32] = self._at_any_byte(np.uint32)
        self.longs: NDArray[np.uint64] = self._at_any_byte(np.uint64)

    def _at_any_byte(self, kind: type) -> Any:
        width = np.dtype(kind).itemsize
        return np.ndarray(max(0, len(self.bytes) - width + 1), kind, self.bytes.data, strides=(1,))

    def values_and_marks(self, places: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return what the headers of entries say: the sizes of values, and marks."""
        return self._words[places], self._words[places + np.uint64(4)]

    def lengths(self, places: NDArray[np.uint64]) -> NDArray[np.uint16]:
        """Return the lengths of the addresses of entries."""
        lengths: NDArray[np.uint16] = self._shorts[places + np.uint64(8)]
        return lengths

    def same_address(self, some: NDArray[np.uint64], others: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Say of pairs of entries whether they have the same address."""
        return self.has_addresses(some, self, others + np.uint64(HEADER.size), self.lengths(others))

    def has_addresses(
        self, places: NDArray[np.uint64], other: LogView, starts: NDArray[np.uint64], lengths: NDArray[Any]
    ) -> NDArray[np.bool_]:
        """Say whether entries have the addresses that begin at some bytes of the other, eight bytes long or longer."""
        same: NDArray[np.bool_] = self.lengths(places) == lengths
        for length in np.unique(lengths[same]).tolist():
            chosen = np.flatnonzero(same & (lengths == length))
            left, right = places[chosen] + np.uint64(HEADER.size), starts[chosen]
            equal = np.ones(len(chosen), np.bool_)
            for begin in (*range(0, length - WORD, WORD), length - WORD):
                # The last word overlaps the one before.
                equal &= self.longs[left + np.uint64(begin)] == other.longs[right + np.uint64(begin)]
            same[chosen] = equal
        return same


def find(table: NDArray[np.uint64], log: LogView, addresses: list[bytes]) -> NDArray[np.uint64]:
    """Return the places of the entries with these addresses; 0 where there is none."""
    count = len(addresses)
    marks = np.fromiter(map(crc32, addresses), np.uint64, count)
    lengths = np.fromiter(map(len, addresses), np.uint64, count)
    joined = b"".join(addresses)
    wanted = LogView(joined, len(joined))
    starts = np.cumsum(lengths) - lengths
    tags = marks & np.uint64(TAG)
    slots = (marks * np.uint64(SPREAD) & MASK_32) >> np.uint64(32 - (len(table).bit_length() - 1))
    found = np.zeros(count, np.uint64)
    looking = np.arange(count)
    while len(looking):
        words = table[slots[looking]]
        there = words != 0
        alike = np.flatnonzero(there & (words >> np.uint64(PLACE_BITS) == tags[looking]))
        places, these = words[alike] & np.uint64(PLACE), looking[alike]
        same = log.has_addresses(places, wanted, starts[these], lengths[these])
        found[these[same]] = places[same]
        there[alike[same]] = False
        looking = looking[there]
        slots[looking] = (slots[looking] + np.uint64(1)) & np.uint64(len(table) - 1)
    return found


def insert(table: NDArray[np.uint64], log: LogView, places: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Put entries of the log into a table that has room for them; return the places of those that they replace.

    The entries have addresses that differ from each other.
    """
    if entries is not None:
        behind = np.empty(len(places), np.uint64)
        return behind[: entries.insert(table, log.bytes, places, behind)]
    bits = len(table).bit_length() - 1
    _, marks = log.values_and_marks(places)
    wide = marks.astype(np.uint64)
    words = (wide & np.uint64(TAG)) << np.uint64(PLACE_BITS) | places
    slots = (wide * np.uint64(SPREAD) & MASK_32) >> np.uint64(32 - bits)
    replaced: list[NDArray[np.uint64]] = []
    while len(words):
        there = table[slots]
        free = there == 0
        wanted = np.flatnonzero(free)
        # Of several that want the same slot one stays in it; the others see that and go on.
        table[slots[wanted]] = words[wanted]
        settled = np.zeros(len(words), np.bool_)
        settled[wanted] = table[slots[wanted]] == words[wanted]
        alike = np.flatnonzero(~free & (there >> np.uint64(PLACE_BITS) == words >> np.uint64(PLACE_BITS)))
        if len(alike):
            before = there[alike] & np.uint64(PLACE)
            same = log.same_address(before, words[alike] & np.uint64(PLACE))
            replacing = alike[same]
            table[slots[replacing]] = words[replacing]
            settled[replacing] = True
            replaced.append(before[same])
        left = ~settled
        words = words[left]
        slots = (slots[left] + np.uint64(1)) & np.uint64(len(table) - 1)
    return np.concatenate(replaced) if replaced else np.zeros(0, np.uint64)
