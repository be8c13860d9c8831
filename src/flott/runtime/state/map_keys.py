"""The keys inside maps: found by their canonical form, as the keys of state are, and shown as they were put in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.errors import StateAccessError
from flott.runtime import native
from flott.runtime.canonical_keys import PLAIN, KeyTypeError, canonical_key
from flott.runtime.emission import copied
from flott.runtime.keys import encode_key

if TYPE_CHECKING:
    from collections.abc import Collection

IN_ORDER = {str}, {int}, {bytes}
"""Keys that are all of one of these types are shown in their own order."""


def _plain(key: Any) -> bool:
    return type(key) is tuple and PLAIN.issuperset(map(type, key))


is_plain = _plain if native.entries is None else native.entries.plain
"""Report whether a key is its own canonical form, and nothing in it can change; if not sure, no."""


def found_by(key: Any) -> Any:
    """Return what a key of a map is found by: its canonical form.

    >>> found_by(["ann", 7.0])
    ('ann', 7)
    """
    if is_plain(key):
        return key
    try:
        return canonical_key(key)
    except KeyTypeError as error:
        # The reason ends with what a key selector could return.
        reason = str(error).partition(". Return ")[0]
        message = f"a key of a map, {key!r:.100}, is {reason}. Use a string, a number or a tuple of such instead"
        raise StateAccessError(message) from None


def shown_as(key: Any, form: Any) -> Any:
    """Return how a key of a map comes back: as it was put in, or in its canonical form if it could be changed.

    >>> shown_as(5.0, 5), shown_as(["ann"], ("ann",))
    (5.0, ('ann',))
    """
    return key if copied(key) is key else form


def in_order(forms: Collection[Any]) -> list[Any]:
    """Return canonical keys in an order that depends on nothing but which keys there are.

    >>> in_order([10, 9]), in_order(["b", 1, "a"])
    ([9, 10], [1, 'a', 'b'])
    """
    return sorted(forms) if set(map(type, forms)) in IN_ORDER else sorted(forms, key=encode_key)


class ShownKeys:
    """How keys of maps come back that are not their own canonical form, by map and canonical form."""

    __slots__ = ("by_map",)

    def __init__(self) -> None:
        self.by_map: dict[Any, dict[Any, Any]] = {}
        """Empty as long as all keys are their own canonical form, as most are."""

    def put(self, at: Any, key: Any) -> Any:
        """Note how a key was put into a map; return what it is found by."""
        if type(key) in PLAIN or is_plain(key):
            return self.removed(at, key) if self.by_map else key
        form = found_by(key)
        shown = shown_as(key, form)
        if shown is form:
            return self.removed(at, form)
        self.by_map.setdefault(at, {})[form] = shown
        return form

    def removed(self, at: Any, key: Any) -> Any:
        """Forget how a key was put in; return what it is found by."""
        form = key if type(key) in PLAIN else found_by(key)
        shown = self.by_map.get(at)
        if shown is not None and shown.pop(form, None) is not None and not shown:
            del self.by_map[at]
        return form

    def of(self, at: Any, form: Any) -> Any:
        """Return how a key of a map comes back."""
        shown = self.by_map.get(at) if self.by_map else None
        return form if shown is None else shown.get(form, form)

    def forget(self, at: Any) -> None:
        """Forget those of one map."""
        self.by_map.pop(at, None)

    def clear(self) -> None:
        """Forget all."""
        self.by_map = {}
