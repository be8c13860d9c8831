"""The records of windows, for operators that find the window first and the key after."""

from __future__ import annotations

import pickle
import struct
from typing import TYPE_CHECKING, Any

from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flott.runtime.state.changed_in_place import may_change
from flott.runtime.state.keyed_part import KeyedPart
from flott.runtime.windowing.contents import NAME

if TYPE_CHECKING:
    from flott.runtime.state.changes import EpochChanges
    from flott.runtime.windowing.panes import PaneBackend

Stored = tuple[list[Any], int]
"""The records of a pane that are in the store, and the number of its next chunk."""


class ListedContents(KeyedPart):
    """The records of each pane, in memory by window and then by key. Stored as list state is: a chunk per epoch."""

    lists = True

    def __init__(self, panes: PaneBackend) -> None:
        self._panes = panes
        self._column = panes.column(NAME)
        self.stored_until = MAX_WATERMARK
        """No window that ends after this has anything in the store."""
        self.forget()

    def forget(self) -> None:
        """Drop all live objects; the store is the truth."""
        self._written: dict[Any, dict[Any, list[Any]]] = {}
        self._stored: dict[Any, dict[Any, Stored]] = {}
        self._dropped: dict[Any, dict[Any, int]] = {}
        """Panes whose first so many chunks must go from the store."""

    def written(self, window: Any) -> dict[Any, list[Any]]:
        """Return the records of a window that came in this epoch, by key, to be added to."""
        written = self._written.get(window)
        if written is None:
            written = self._written[window] = {}
        return written

    def latest_end(self) -> int:
        """Return the end of the latest time window that got records in this epoch."""
        return max((window.end for window, keys in self._written.items() if keys), default=MIN_TIMESTAMP)

    def _known(self, key: Any, window: Any) -> Stored | None:
        """Return the records of a pane that are in the store, if that is known without a look."""
        panes = self._stored.get(window)
        if panes is not None and key in panes:
            return panes[key]
        dropped = self._dropped.get(window)
        if dropped is not None and key in dropped:
            return [], dropped[key]
        return ([], 0) if window.end > self.stored_until else None

    def _load(self, key: Any, window: Any) -> Stored:
        known = self._known(key, window)
        if known is not None:
            return known
        records: list[Any] = []
        chunks = 0
        prefix = self._panes.address(self._column, (key, window))
        for address, data in self._panes.scan(prefix):
            records.extend(pickle.loads(data))
            chunks = struct.unpack(">I", address[len(prefix) :])[0] + 1
        if chunks:
            self._stored.setdefault(window, {})[key] = (records, chunks)
        return records, chunks

    def add(self, key: Any, window: Any, value: Any) -> None:
        """Add a record to a pane."""
        self.written(window).setdefault(key, []).append(value)

    def get(self, key: Any, window: Any) -> list[Any] | None:
        """Return the records of a pane; None when there are none."""
        stored, _ = self._load(key, window)
        if any(map(may_change, stored)):
            # What a function changes in place is kept, so it is stored once more.
            self.written(window)[key] = self.take(key, window) or []
            stored = []
        return [*stored, *self._written.get(window, {}).get(key, ())] or None

    def take(self, key: Any, window: Any) -> list[Any] | None:
        """Return the records of a pane, or None, and empty the pane."""
        before, chunks = self._load(key, window)
        if chunks:
            self._dropped.setdefault(window, {})[key] = chunks
            self._stored.get(window, {}).pop(key, None)
        written = self._written.get(window)
        now = None if written is None else written.pop(key, None)
        return [*before, *(now or ())] or None

    clear = take

    def merge(self, key: Any, target: Any, sources: list[Any]) -> None:
        """Append the records of some windows of a key to those of another."""
        for source in sources:
            for value in self.take(key, source) or ():
                self.add(key, target, value)

    def flush(self, changes: EpochChanges) -> None:
        """Add what changed in this epoch, as store entries."""
        into = changes.entries
        column, heads, windows = self._column, self._panes.backend.heads, self._panes.windows
        for window, panes in self._dropped.items():
            namespace = windows[window]
            for key, chunks in panes.items():
                group, tail = heads[key]
                for number in range(chunks):
                    into[group + column + tail + namespace + struct.pack(">I", number)] = None
        for window, written in self._written.items():
            namespace = windows[window]
            for key, values in written.items():
                group, tail = heads[key]
                prefix = group + column + tail + namespace
                known = self._known(key, window)
                if known is None:
                    # Not read in this process, and not read for this: a new chunk goes behind the last.
                    last = self._panes.last(prefix)
                    number = 0 if last is None else struct.unpack(">I", last[len(prefix) :])[0] + 1
                else:
                    records, number = known
                    records.extend(values)
                    self._stored.setdefault(window, {})[key] = (records, number + 1)
                into[prefix + struct.pack(">I", number)] = pickle.dumps(values, 5)
        self._written = {}
        self._dropped = {}
        self._stored = {window: panes for window, panes in self._stored.items() if panes}

    def live_entries(self) -> int:
        """Say how many records are in memory."""
        return sum(len(records) for panes in self._stored.values() for records, _ in panes.values())
