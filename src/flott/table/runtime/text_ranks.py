"""Texts as numbers in the same order, so that the least and the largest of them are found as those of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class TextRanks:
    """The place of each text of a batch, and of those that groups hold, among all of them.

    >>> ranks = TextRanks(pa.array(["b", "a"]), ["c"])
    >>> ranks.values.tolist(), ranks.held.tolist()
    ([1, 0], [2])
    >>> ranks.texts(np.array([2, 0]))
    ['c', 'a']
    """

    def __init__(self, column: Any, held: Sequence[str | None]) -> None:
        together = pa.concat_arrays([column, pa.array(list(held), column.type)])
        encoded = together.dictionary_encode()
        order = pc.array_sort_indices(encoded.dictionary)
        ranks = np.zeros(max(len(order), 1), np.int64)
        ranks[order.to_numpy()] = np.arange(len(order))
        numbers = ranks[pc.fill_null(encoded.indices, 0).to_numpy(zero_copy_only=False)]
        self.values: NDArray[np.int64] = numbers[: len(column)]
        """Of rows without a text, whatever: they do not count."""
        self.held: NDArray[np.int64] = numbers[len(column) :]
        self._sorted = encoded.dictionary.take(order)

    def column(self, ranks: NDArray[np.int64], nulls: NDArray[np.bool_]) -> Any:
        """Return the texts at some places."""
        return self._sorted.take(pa.array(ranks, mask=nulls))

    def texts(self, ranks: NDArray[np.int64]) -> list[str | None]:
        """Return the texts at some places; None for a place where there is none."""
        nulls = (ranks < 0) | (ranks >= len(self._sorted))
        texts: list[str | None] = self.column(np.where(nulls, 0, ranks), nulls).to_pylist()
        return texts
