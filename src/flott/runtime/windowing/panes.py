"""Panes: state and timers of a key in a window."""

from __future__ import annotations

import pickle
import struct
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, cast

from flott.errors import StateAccessError
from flott.runtime.state.access import StateAccess
from flott.runtime.state.key_scope import KeyScope
from flott.runtime.state.lists import ListState
from flott.runtime.state.values import AggregatingState, ReducingState
from flott.runtime.timer_queue import DIGEST
from flott.runtime.windowing.windows import CountWindow, GlobalWindow, TimeWindow

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.clock import Clock
    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.kinds import StateKind
    from flott.runtime.state.points import Points

Pane: TypeAlias = tuple[Any, Any]
"""A key and a window."""

MANY_WINDOWS = 10_000
ZERO = 2**63


class WindowBytes(dict[Any, bytes]):
    """Window → at most 17 bytes that stand for it in addresses, made once per window.

    >>> WindowBytes()[TimeWindow(0, 10)][:1], WindowBytes()[GlobalWindow.get()]
    (b'T', b'G')
    """

    def __missing__(self, window: Any) -> bytes:
        if len(self) >= MANY_WINDOWS:
            self.clear()
        kind = type(window)
        if kind is TimeWindow:
            data = b"T" + struct.pack(">QQ", window.start + ZERO, window.end + ZERO)
        elif kind is CountWindow:
            data = b"C" + struct.pack(">Q", window.id + ZERO)
        elif kind is GlobalWindow:
            data = b"G"
        else:
            data = DIGEST + blake2b(pickle.dumps(window, 4), digest_size=16).digest()
        self[window] = data
        return data


def window_of(data: bytes) -> Any:
    """Read a window back from its bytes."""
    if data[:1] == b"T":
        start, end = struct.unpack(">QQ", data[1:])
        return TimeWindow(start - ZERO, end - ZERO)
    if data[:1] == b"C":
        return CountWindow(struct.unpack(">Q", data[1:])[0] - ZERO)
    return GlobalWindow.get()


class PaneOwner:
    """The owner of a window's timer is a pane."""

    def __init__(self, windows: WindowBytes) -> None:
        self._windows = windows

    def key_of(self, owner: Pane) -> Any:
        """Return the owner's key."""
        return owner[0]

    def namespace_bytes(self, owner: Pane) -> bytes:
        """Write the window."""
        return self._windows[owner[1]]

    def owner(self, key: Any, namespace: bytes) -> Pane:
        """Put key and window together again."""
        return key, window_of(namespace)


class PaneHeads:
    """Pane → (key group, key and window as bytes). Not kept: there is no end of panes."""

    __slots__ = ("_heads", "_windows")

    def __init__(self, heads: dict[Any, tuple[bytes, bytes]], windows: WindowBytes) -> None:
        self._heads = heads
        self._windows = windows

    def __getitem__(self, pane: Pane) -> tuple[bytes, bytes]:
        key, window = pane
        group, tail = self._heads[key]
        return group, tail + self._windows[window]


class PaneBackend:
    """What states need of a backend, for panes instead of keys."""

    # The keys of a batch do not say which panes its records belong to.
    reads_ahead: ClassVar[bool] = False

    def __init__(self, backend: KeyedBackend) -> None:
        self.backend = backend
        self.title = backend.title
        self.scope = KeyScope(backend.title)
        self.windows = WindowBytes()
        self.heads = PaneHeads(backend.heads, self.windows)
        self.get = backend.get
        self.scan = backend.scan
        self.last = backend.last

        self.reader = backend.reader
        # What expires is found by walking over the entries of all panes.
        self.groups = backend.groups
        self.scan_from = backend.scan_from
        self.entries_of = backend.entries_of
        self.is_converted = backend.is_converted
        self.is_looked_up = backend.is_looked_up

    @property
    def readers(self) -> dict[bytes, Callable[[bytes], bytes | None]]:
        """By column, what reads an entry of the epoch's version."""
        return self.backend.readers

    def column(self, name: str) -> bytes:
        """Return the bytes that stand for a state's name; apart from those of the key's own states."""
        return self.backend.column(f"{name}@window")

    def address(self, column: bytes, pane: Pane) -> bytes:
        """Return where the entry of a pane is stored."""
        group, tail = self.heads[pane]
        return group + column + tail

    def addresses(self, column: bytes, panes: list[Pane]) -> list[bytes]:
        """Return where the entries of several panes are stored."""
        return [group + column + tail for group, tail in map(self.heads.__getitem__, panes)]

    def fetch(
        self, column: bytes, panes: list[Pane], read: dict[Any, Any], written: dict[Any, Any], drafts: None = None
    ) -> list[Pane]:
        """Read none ahead."""
        return panes

    def lay_out(self, column: bytes, written: dict[Pane, Any], points: Points) -> dict[Pane, Any]:
        """Lay out none: their addresses are not those of keys."""
        return written

    def part(self, name: str, kind: StateKind, make: Callable[[], Any], schema: str = "") -> Any:
        """Return the pane state of a name, made at first use."""
        return self.backend.part(f"{name}@window", kind, make, schema)


class PaneStateStore(StateAccess):
    """The states of the current pane, by their descriptors."""

    def __init__(self, panes: PaneBackend, clock: Clock) -> None:
        self._panes = panes
        self._clock = clock

    def _states_of(self, what: str) -> tuple[KeyedBackend, Clock]:
        return cast("KeyedBackend", self._panes), self._clock

    def get_partitioned_state(self, state_descriptor: Any) -> Any:
        """Return the state that a descriptor of any kind describes."""
        for kind in type(state_descriptor).__mro__:
            getter = GETTERS.get(kind.__name__)
            if getter is not None:
                return getter(self, state_descriptor)
        message = (
            f"{self._panes.title}: {state_descriptor!r} describes no state; give a ValueStateDescriptor, a "
            f"ListStateDescriptor, a MapStateDescriptor, a ReducingStateDescriptor or an AggregatingStateDescriptor"
        )
        raise StateAccessError(message)

    def merge(self, state_descriptor: Any, key: Any, target: Any, sources: list[Any]) -> None:
        """Merge a state of some windows of a key into that of another window; the sources are empty then."""
        state = self.get_partitioned_state(state_descriptor)
        scope = self._panes.scope
        if not isinstance(state, MERGEABLE):
            message = (
                f"{self._panes.title}: state '{state_descriptor.get_name()}' can't be merged when windows are; use "
                f"list, reducing or aggregating state in triggers of session windows"
            )
            raise StateAccessError(message)
        for source in sources:
            scope.key = (key, source)
            found = state.get() if isinstance(state, ListState) else state.accumulated()
            state.clear()
            scope.key = (key, target)
            if isinstance(state, ListState):
                state.add_all(found)
            elif isinstance(state, AggregatingState):
                state.merge_in(found)
            elif found is not None:
                state.add(found)
        scope.key = (key, target)


MERGEABLE = (ListState, ReducingState, AggregatingState)

GETTERS: dict[str, Callable[[PaneStateStore, Any], Any]] = {
    "ValueStateDescriptor": PaneStateStore.get_state,
    "ListStateDescriptor": PaneStateStore.get_list_state,
    "MapStateDescriptor": PaneStateStore.get_map_state,
    "ReducingStateDescriptor": PaneStateStore.get_reducing_state,
    "AggregatingStateDescriptor": PaneStateStore.get_aggregating_state,
}


class NoPaneStates:
    """In place of per-window state, where windows grow together and nobody could say which one's state it is."""

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("get_"):
            raise AttributeError(name)
        message = (
            "state of a single window can't be used with session windows, because they are merged. "
            "Use context.global_state(), which belongs to the key."
        )
        raise StateAccessError(message)
