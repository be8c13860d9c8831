"""Tells apart what ``marshal`` writes exactly, and what it would change.

``marshal`` refuses most objects, but it writes whatever has a buffer as ``bytes``: numpy scalars and arrays, bytearray,
array.array, memoryview, subclasses of bytes. So it may only see data whose types are known.
"""

from __future__ import annotations

from itertools import chain
from types import CodeType, EllipsisType
from typing import TYPE_CHECKING, Any

from flott.runtime import native

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAVES = frozenset(
    {type(None), bool, int, float, complex, str, bytes, EllipsisType, CodeType},
)
SEQUENCES = frozenset({tuple, list, set, frozenset})
PLAIN = LEAVES | SEQUENCES | {dict}


def is_plain(values: list[Any]) -> bool:
    """Return whether values consist of nothing but exact built-in types that ``marshal`` keeps.

    >>> import numpy as np
    >>> is_plain([("a", [1, {"b": 2.5}])]), is_plain([("a", [1, {"b": np.float64(2.5)}])])
    (True, False)
    """
    if native.records is not None:
        plain: bool = native.records.is_plain(values)
        return plain
    items = values
    seen: set[int] = set()
    while True:
        kinds = set(map(type, items))
        if kinds <= LEAVES:
            return True
        if not kinds <= PLAIN:
            return False
        containers = [item for item in items if type(item) not in LEAVES]
        have_only_items = kinds - LEAVES <= SEQUENCES
        if have_only_items and LEAVES.issuperset(map(type, chain.from_iterable(containers))):
            return True
        containers = _new_containers(containers, seen)
        contents = containers if have_only_items else map(_contents, containers)
        items = list(chain.from_iterable(contents))


def _new_containers(containers: list[Any], seen: set[int]) -> list[Any]:
    """Return each container once, however often it is referenced: it may even contain itself."""
    found = {id(item): item for item in containers}
    new = [item for address, item in found.items() if address not in seen]
    seen.update(found)
    return new


def _contents(container: Any) -> Iterable[Any]:
    """Return the items of a container; of a dict, its keys and values."""
    return chain(container, container.values()) if type(container) is dict else container
