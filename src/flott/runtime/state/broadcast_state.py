"""Broadcast state: maps that every subtask holds in full, written by the broadcast side only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from flott.errors import StateAccessError
from flott.runtime.canonical_keys import PLAIN
from flott.runtime.state.map_keys import ShownKeys, found_by

if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView


class BroadcastState:
    """A map in memory. It is small by nature: every subtask has all of it."""

    __slots__ = ("_shown", "_values", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self._values: dict[Any, Any] = {}
        """By the canonical forms of the keys."""
        self._shown = ShownKeys()

    @property
    def entries(self) -> dict[Any, Any]:
        """All entries, not to be changed."""
        values = self._values
        return {self._shown.of(None, key): value for key, value in values.items()} if self._shown.by_map else values

    def get(self, key: Any) -> Any:
        """Return the value under a map key, or None."""
        return self._values.get(key if type(key) in PLAIN else found_by(key))

    def contains(self, key: Any) -> bool:
        """Say whether there is an entry under a map key."""
        return (key if type(key) in PLAIN else found_by(key)) in self._values

    def items(self) -> ItemsView[Any, Any]:
        """Go over the entries."""
        return self.entries.items()

    def keys(self) -> KeysView[Any]:
        """Go over the map keys."""
        return self.entries.keys()

    def values(self) -> ValuesView[Any]:
        """Go over the values."""
        return self._values.values()

    def is_empty(self) -> bool:
        """Say whether there is no entry."""
        return not self._values

    def put(self, key: Any, value: Any) -> None:
        """Set the value under a map key."""
        self._values[self._shown.put(None, key)] = value

    def put_all(self, dict_value: Mapping[Any, Any]) -> None:
        """Set several values."""
        for key, value in dict_value.items():
            self.put(key, value)

    def remove(self, key: Any) -> None:
        """Remove the entry under a map key, if there is one."""
        self._values.pop(self._shown.removed(None, key), None)

    def clear(self) -> None:
        """Remove all entries."""
        self._values.clear()
        self._shown.clear()

    def __getitem__(self, key: Any) -> Any:
        return self.get(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.put(key, value)

    def __delitem__(self, key: Any) -> None:
        self.remove(key)

    def __contains__(self, key: Any) -> bool:
        return self.contains(key)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.entries)


class ReadOnlyBroadcastState:
    """A broadcast state as the other side sees it. Writing there would let the subtasks' copies differ."""

    __slots__ = ("_state", "_title", "contains", "get", "is_empty")

    def __init__(self, state: BroadcastState, title: str) -> None:
        self._state = state
        self._title = title
        self.get = state.get
        self.contains = state.contains
        self.is_empty = state.is_empty

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Go over the entries."""
        return self._state.entries.items()

    def keys(self) -> Iterable[Any]:
        """Go over the map keys."""
        return self._state.entries.keys()

    def values(self) -> Iterable[Any]:
        """Go over the values."""
        return self._state.entries.values()

    def __getitem__(self, key: Any) -> Any:
        return self._state.get(key)

    def __contains__(self, key: Any) -> bool:
        return self._state.contains(key)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._state.entries)

    def _refuse(self, *_arguments: Any) -> NoReturn:
        message = (
            f"{self._title}: broadcast state '{self._state.name}' was written outside of process_broadcast_element. "
            f"Every subtask has its own copy, and only the broadcast side sees the same records everywhere: write it "
            f"in process_broadcast_element, and only read it in process_element and on_timer."
        )
        raise StateAccessError(message)

    put = put_all = remove = clear = __setitem__ = __delitem__ = _refuse
