"""Numbers for the keys of a batch: what has to be done for each key is done for each distinct one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.table.runtime.changes import keys_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def key_codes(columns: Sequence[Any], positions: Sequence[int], length: int) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the distinct keys of rows, in the order in which they come, and for each row the number of its key.

    >>> columns = [pa.array([7, 8, 7]), pa.array(["a", "a", "a"])]
    >>> keys, codes = key_codes(columns, (0, 1), 3)
    >>> keys, codes.tolist()
    ([(7, 'a'), (8, 'a')], [0, 1, 0])
    """
    chosen = [columns[position] for position in positions]
    if not chosen or not length or not all(hashed_by_arrow(column.type) for column in chosen):
        index: dict[Any, int] = {}
        keys = keys_of(columns, positions, length)
        codes = np.fromiter((index.setdefault(key, len(index)) for key in keys), np.int64, length)
        return list(index), codes
    codes, count = _codes(chosen[0])
    for column in chosen[1:]:
        others, number = _codes(column)
        codes, count = _codes(pa.array(codes * number + others))
    first = np.empty(count, np.int64)
    # Backwards, so that what is left in the end is where a key came first.
    first[codes[::-1]] = np.arange(length - 1, -1, -1)
    heads = [column.take(pa.array(first)) for column in chosen]
    return keys_of(heads, range(len(heads)), count), codes


def _codes(column: Any) -> tuple[NDArray[np.int64], int]:
    encoded = column.dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64, copy=False), len(encoded.dictionary)


def hashed_by_arrow(kind: Any) -> bool:
    """Say whether values of a type are equal to Arrow where they are to Python: not -0.0 and 0.0."""
    types = pa.types
    return bool(
        types.is_integer(kind) or types.is_string(kind) or types.is_timestamp(kind) or types.is_date32(kind)
        or types.is_boolean(kind)
    )  # fmt: skip
