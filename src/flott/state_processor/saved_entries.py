"""Reads the entries of keyed state: which key, window or moment each belongs to, and what it holds."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.errors import CheckpointError
from flott.runtime.canonical_keys import loaded_key
from flott.runtime.keys import decode_key
from flott.runtime.state.address_layout import GROUP, TIMED, group_bytes, key_end, key_in, time_in
from flott.runtime.state.addresses import LONG_KEY, LONG_KEYS
from flott.runtime.state.kinds import Form, form_of
from flott.runtime.timer_queue import DIGEST
from flott.runtime.windowing.panes import window_of
from flott.runtime.windowing.windows import CountWindow, TimeWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.state.store import StateStore
    from flott.state_processor.saved_job import SavedState

DIGEST_SIZE = 32
WINDOW_SIZES = {b"T": 17, b"C": 9, b"G": 1, b"D": 17}
OF_WINDOWS = "@window"


@dataclass(frozen=True, slots=True)
class Layout:
    """What the rows of a kind of state look like, and how they are read."""

    columns: tuple[str, ...]
    read: Callable[[StateStore, bytes, range], Iterator[tuple[Any, ...]]]


def layout_of(state: SavedState) -> Layout:
    """Return how a state is read."""
    form = form_of(state.name, state.kind)
    if form is Form.PANES and state.schema:
        return panes_layout(json.loads(state.schema)["columns"])
    found = (OF_KEYS_AND_WINDOWS if state.name.endswith(OF_WINDOWS) else OF_KEYS).get(form)
    if found is None:
        message = (
            f"state '{state.name}' ({state.kind}) is written by an operator for itself, in a form that only it reads"
        )
        raise CheckpointError(message)
    return found


def entries(store: StateStore, column: bytes, groups: range) -> Iterator[tuple[Any, bytes, bytes]]:
    """Go over the entries of a state: key, what follows the key in the address, and the content."""
    last: tuple[bytes, Any] = (b"", None)
    for group in groups:
        for address, data in store.scan(group_bytes(group) + column):
            end = key_end(address)
            head = address[:end]
            if head != last[0]:
                last = head, key_of(store, head)
            yield last[1], address[end:], data


def key_of(store: StateStore, head: bytes) -> Any:
    """Read the key out of an address; a long one stands elsewhere."""
    encoded = key_in(head)
    if len(encoded) == LONG_KEY:
        whole = store.get(head[GROUP] + LONG_KEYS + encoded[-DIGEST_SIZE:])
        if whole is not None:
            return decode_key(whole)
    return decode_key(encoded)


def read_values(store: StateStore, column: bytes, groups: range) -> Iterator[tuple[Any, ...]]:
    """Go over single values, by key."""
    for key, _, data in entries(store, column, groups):
        yield key, pickle.loads(data)


def read_lists(store: StateStore, column: bytes, groups: range) -> Iterator[tuple[Any, ...]]:
    """Go over lists, by key."""
    for key, whole in together(((key, None), data) for key, _, data in entries(store, column, groups)):
        yield key[0], whole


def read_row_lists(store: StateStore, column: bytes, groups: range) -> Iterator[tuple[Any, ...]]:
    """Go over lists whose end stands before their chunks, by key."""
    for key, found in groupby(entries(store, column, groups), key=lambda entry: entry[0]):
        (_, _, end), *chunks = found
        yield key, [row for _, _, data in chunks for row in pickle.loads(data)] + pickle.loads(end)[1]


def read_maps(store: StateStore, column: bytes, groups: range) -> Iterator[tuple[Any, ...]]:
    """Go over the entries of maps, by key."""
    for key, _, data in entries(store, column, groups):
        yield key, *pickle.loads(data)


def read_buffers(store: StateStore, column: bytes, groups: range) -> Iterator[tuple[Any, ...]]:
    """Go over what is kept for moments, by key."""
    for key, rest, data in entries(store, column, groups):
        yield key, time_in(rest, 0), pickle.loads(data)


def read_sessions(store: StateStore, column: bytes, groups: range) -> Iterator[tuple[Any, ...]]:
    """Go over open sessions, by key."""
    for key, _, data in entries(store, column, groups):
        for start, end, accumulator, _ in pickle.loads(data):
            yield key, start, end, accumulator


def read_events(store: StateStore, column: bytes, groups: range) -> Iterator[tuple[Any, ...]]:
    """Go over events that wait for the watermark."""
    for group in groups:
        prefix = group_bytes(group) + column
        done: int | None = None
        for address, data in store.scan(prefix):
            if len(address) == len(prefix):
                done = pickle.loads(data)
                continue
            for time, key, value in zip(*pickle.loads(data), strict=True):
                if done is None or time > done:
                    yield key, time, value


def read_timers(store: StateStore, column: bytes, groups: range) -> Iterator[tuple[Any, ...]]:
    """Go over timers."""
    for group in groups:
        for address, data in store.scan(group_bytes(group) + column):
            time = time_in(address)
            end = key_end(address, TIMED)
            window = None
            if data[:1] == b"o":
                key, window = pickle.loads(data[1:])
                key = loaded_key(key)
            else:
                key = loaded_key(pickle.loads(data[1:])) if data else decode_key(key_in(address, TIMED))
                if address[end:]:
                    window = window_of(address[end:])
            yield key, time, *bounds(window)


def read_moments(store: StateStore, column: bytes, groups: range) -> Iterator[tuple[Any, ...]]:
    """Go over timers of windows, which are stored together for each moment."""
    for group in groups:
        for address, data in store.scan(group_bytes(group) + column):
            time = time_in(address)
            for namespace, keys in pickle.loads(data).items():
                if namespace[:1] == DIGEST:
                    for key, window in keys:
                        yield key, time, *bounds(window)
                else:
                    for key in keys:
                        yield key, time, *bounds(window_of(namespace))


def read_values_of_windows(store: StateStore, column: bytes, groups: range) -> Iterator[tuple[Any, ...]]:
    """Go over single values, by key and window."""
    for key, rest, data in entries(store, column, groups):
        yield key, *window_bounds(rest)[0], pickle.loads(data)


def read_lists_of_windows(store: StateStore, column: bytes, groups: range) -> Iterator[tuple[Any, ...]]:
    """Go over lists, by key and window."""
    chunks = (((key, window_bounds(rest)[0]), data) for key, rest, data in entries(store, column, groups))
    for (key, window), whole in together(chunks):
        yield key, *window, whole


def read_maps_of_windows(store: StateStore, column: bytes, groups: range) -> Iterator[tuple[Any, ...]]:
    """Go over the entries of maps, by key and window."""
    for key, rest, data in entries(store, column, groups):
        yield key, *window_bounds(rest)[0], *pickle.loads(data)


def panes_layout(columns: dict[str, str]) -> Layout:
    """Return how the partial results of panes are read: what is aggregated in columns, by key and start of the pane."""
    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in columns.items()])
    key = next(iter(columns))

    def read(store: StateStore, column: bytes, groups: range) -> Iterator[tuple[Any, ...]]:
        for group in groups:
            for address, data in store.scan(group_bytes(group) + column):
                start = time_in(address)
                for row in pa.ipc.read_record_batch(pa.py_buffer(data), schema).to_pylist():
                    yield row.pop(key), start, row

    return Layout(("key", "pane_start", "value"), read)


def together(chunks: Iterator[tuple[Any, bytes]]) -> Iterator[tuple[Any, list[Any]]]:
    """Join the chunks of a list, which follow each other."""
    for owner, some in groupby(chunks, key=lambda chunk: chunk[0]):
        yield owner, [value for _, data in some for value in pickle.loads(data)]


def window_bounds(rest: bytes) -> tuple[tuple[int | None, int | None], bytes]:
    """Read the window behind a key in an address; return its bounds and what follows."""
    kind = rest[:1]
    size = WINDOW_SIZES[kind]
    # A window of the user's own class stands there as a digest.
    window = None if kind == DIGEST else window_of(rest[:size])
    return bounds(window), rest[size:]


def bounds(window: Any) -> tuple[int | None, int | None]:
    """Return start and end of a window of time, or the number of a window of a count."""
    if isinstance(window, TimeWindow):
        return window.start, window.end
    return (window.id, None) if isinstance(window, CountWindow) else (None, None)


WINDOW = "window_start", "window_end"
OF_KEYS = {
    Form.VALUES: Layout(("key", "value"), read_values),
    Form.LISTS: Layout(("key", "value"), read_lists),
    Form.ROW_LISTS: Layout(("key", "value"), read_row_lists),
    Form.MAPS: Layout(("key", "map_key", "value"), read_maps),
    Form.BUFFERS: Layout(("key", "timestamp", "value"), read_buffers),
    Form.EVENTS: Layout(("key", "timestamp", "value"), read_events),
    Form.SESSIONS: Layout(("key", *WINDOW, "value"), read_sessions),
    Form.TIMERS: Layout(("key", "timestamp", *WINDOW), read_timers),
    Form.MOMENTS: Layout(("key", "timestamp", *WINDOW), read_moments),
}
OF_KEYS_AND_WINDOWS = {
    Form.VALUES: Layout(("key", *WINDOW, "value"), read_values_of_windows),
    Form.LISTS: Layout(("key", *WINDOW, "value"), read_lists_of_windows),
    Form.MAPS: Layout(("key", *WINDOW, "map_key", "value"), read_maps_of_windows),
}
