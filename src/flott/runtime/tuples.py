"""What is asked of all tuples of a batch at once."""

from __future__ import annotations

from typing import Any

from flott.runtime.native import records


def all_tuples(values: list[Any], size: int) -> bool:
    """Say whether all values are tuples of this size.

    >>> all_tuples([(1, 2), (3, 4)], 2), all_tuples([(1, 2), [3, 4]], 2), all_tuples([(1, 2), (3,)], 2)
    (True, False, False)
    """
    if records is not None and type(values) is list:
        found: bool = records.all_tuples(values, size)
        return found
    return set(map(type, values)) <= {tuple} and set(map(len, values)) <= {size}


def items_at(values: list[Any], index: int) -> list[Any] | None:
    """Return the item at an index of each tuple; None if that can't be done faster than one by one."""
    if records is None or index < 0 or type(values) is not list:
        return None
    items: list[Any] | None = records.items_at(values, index)
    return items
