"""Which rows bring a value that their group did not have before: what COUNT(DISTINCT …) counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.table.runtime.key_codes import key_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flott.runtime.state.seen_values import SeenValues


def new_values(
    column: Any, counts: NDArray[np.bool_], codes: NDArray[np.int64], keys: list[Any], seen: SeenValues
) -> NDArray[np.bool_]:
    """Say of each row that counts whether its value is new in its group, and remember the value.

    ``codes`` has the number of the group of each row, ``keys`` the key of each group.
    """
    places = np.flatnonzero(counts)
    fresh = np.zeros(len(counts), bool)
    if not len(places):
        return fresh
    pairs, numbers = key_codes([pa.array(codes[places]), column.take(pa.array(places))], (0, 1), len(places))
    first = np.empty(len(pairs), np.int64)
    first[numbers[::-1]] = places[::-1]
    owners, values = map(list, zip(*pairs, strict=True))
    fresh[first] = seen.add_all(keys, owners, values)
    return fresh
