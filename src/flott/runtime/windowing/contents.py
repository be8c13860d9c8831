"""What windows hold: one accumulator each, or the list of their records."""

from __future__ import annotations

import pickle
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, cast

from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flott.runtime.state.changed_in_place import may_change
from flott.runtime.state.keyed_part import KeyedPart
from flott.runtime.state.kinds import LIST_STATE
from flott.runtime.state.lists import ListState
from flott.runtime.state.points import BATCH

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import EpochChanges
    from flott.runtime.windowing.panes import PaneBackend

NAME = "window-contents"


class Contents(Protocol):
    """What the panes of an operator hold."""

    lists: bool
    """Whether a pane holds its records, or one value."""

    def add(self, key: Any, window: Any, value: Any, /) -> None:
        """Add a record to a pane."""

    def get(self, key: Any, window: Any, /) -> Any:
        """Return what a pane holds, as its function gets it; None when it is empty."""

    def clear(self, key: Any, window: Any, /) -> None:
        """Empty a pane."""

    def merge(self, key: Any, target: Any, sources: list[Any], /) -> None:
        """Bring what some windows of a key hold into another."""


class Accumulation(Protocol):
    """How records become one accumulator."""

    def first(self, value: Any, /) -> Any:
        """Return the accumulator of one record."""

    def add(self, accumulator: Any, value: Any, /) -> Any:
        """Return the accumulator with a record added."""

    def merge(self, one: Any, other: Any, /) -> Any:
        """Return two accumulators as one."""

    def result(self, accumulator: Any, /) -> Any:
        """Return the result of an accumulator."""


class Reducing:
    """The accumulator is a record: two records become one."""

    def __init__(self, function: Any) -> None:
        self.add: Callable[[Any, Any], Any] = function.reduce
        self.merge = self.add

    def first(self, value: Any) -> Any:
        """Return the record."""
        return value

    def result(self, accumulator: Any) -> Any:
        """Return the record."""
        return accumulator


class Aggregating:
    """The accumulator is what an AggregateFunction makes it."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.merge: Callable[[Any, Any], Any] = function.merge
        self.result: Callable[[Any], Any] = function.get_result

    def first(self, value: Any) -> Any:
        """Return an accumulator with one record added."""
        return self.function.add(value, self.function.create_accumulator())

    def add(self, accumulator: Any, value: Any) -> Any:
        """Return the accumulator with a record added."""
        return self.function.add(value, accumulator)


class AccumulatedContents(KeyedPart):
    """One accumulator per pane, in memory by window and then by key: most records find their window at once.

    What was found neither in this epoch nor in the store is not in the store, so that a pane that comes and goes
    within an epoch leaves no trace there.
    """

    lists = False

    def __init__(self, panes: PaneBackend, accumulation: Accumulation) -> None:
        self._panes = panes
        self._column = panes.column(NAME)
        self._accumulation = accumulation
        self.stored_until = MAX_WATERMARK
        """No time window that ends after this has anything in the store, so that nobody need look."""
        self.forget()

    @property
    def is_looked_up(self) -> bool:
        return True

    def forget(self) -> None:
        """Drop all live objects; the store is the truth."""
        self._written: dict[Any, dict[Any, Any]] = {}
        """Changed in this epoch."""
        self._stored: dict[Any, dict[Any, Any]] = {}
        """In the store, as far as it was read."""
        self._dropped: dict[Any, set[Any]] = {}
        """In the store, but not for long."""

    def written(self, window: Any) -> dict[Any, Any]:
        """Return the accumulators of a window that changed in this epoch, by key, to be changed further.

        Before a key is put there, ``stored`` must have been asked.
        """
        written = self._written.get(window)
        if written is None:
            written = self._written[window] = {}
        return written

    def stored(self, key: Any, window: Any) -> Any:
        """Return what the store has for a pane, or None."""
        stored = self._stored.get(window)
        if stored is not None and key in stored:
            return stored[key]
        dropped = self._dropped.get(window)
        if dropped is not None and key in dropped:
            return None
        if self.stored_until != MAX_WATERMARK and window.end > self.stored_until:
            return None
        data = self._panes.get(self._panes.address(self._column, (key, window)))
        if data is None:
            return None
        accumulator = pickle.loads(data)
        if stored is None:
            stored = self._stored[window] = {}
        stored[key] = accumulator
        return accumulator

    def latest_end(self) -> int:
        """Return the end of the latest time window that changed in this epoch."""
        return max((window.end for window, keys in self._written.items() if keys), default=MIN_TIMESTAMP)

    def peek(self, key: Any, window: Any) -> Any:
        """Return the accumulator of a pane, or None."""
        written = self._written.get(window)
        accumulator = None if written is None else written.get(key)
        return self.stored(key, window) if accumulator is None else accumulator

    def add(self, key: Any, window: Any, value: Any) -> None:
        """Add a record to a pane."""
        before = self.peek(key, window)
        accumulation = self._accumulation
        self.written(window)[key] = accumulation.first(value) if before is None else accumulation.add(before, value)

    def get(self, key: Any, window: Any) -> Any:
        """Return the result of a pane; None when it is empty."""
        written = self._written.get(window)
        accumulator = None if written is None else written.get(key)
        if accumulator is None:
            accumulator = self.stored(key, window)
            if accumulator is None:
                return None
            if may_change(accumulator):
                # What a function changes in place is kept, as it is if the pane was changed in this epoch.
                self.written(window)[key] = accumulator
        return self._accumulation.result(accumulator)

    def take(self, key: Any, window: Any) -> Any:
        """Return the accumulator of a pane, or None, and empty the pane."""
        written = self._written.get(window)
        accumulator = None if written is None else written.pop(key, None)
        if accumulator is None:
            accumulator = self.stored(key, window)
        stored = self._stored.get(window)
        if stored is not None and stored.pop(key, None) is not None:
            self._dropped.setdefault(window, set()).add(key)
        return accumulator

    clear = take

    def merge(self, key: Any, target: Any, sources: list[Any]) -> None:
        """Merge the accumulators of some windows of a key into that of another."""
        whole = self.peek(key, target)
        for source in sources:
            accumulator = self.take(key, source)
            if accumulator is not None:
                whole = accumulator if whole is None else self._accumulation.merge(whole, accumulator)
        if whole is not None:
            self.written(target)[key] = whole

    def flush(self, changes: EpochChanges) -> None:
        """Add what changed in this epoch, as store entries."""
        heads, windows, column, dumps = self._panes.backend.heads, self._panes.windows, self._column, pickle.dumps
        add = changes.points.add
        for window, keys in self._dropped.items():
            namespace = windows[window]
            # What was taken out and came back is among those that were written.
            gone = keys - self._written.get(window, {}).keys()
            places = [group + column + tail + namespace for group, tail in map(heads.__getitem__, gone)]
            add(column, places, [None] * len(places))
        for window, written in self._written.items():
            namespace = windows[window]
            changed = iter(written.items())
            while some := list(islice(changed, BATCH)):
                places = [group + column + tail + namespace for group, tail in (heads[key] for key, _ in some)]
                add(column, places, [dumps(accumulator, 5) for _, accumulator in some])
            if written:
                self._stored.setdefault(window, {}).update(written)
        self._written = {}
        self._dropped = {}
        self._stored = {window: stored for window, stored in self._stored.items() if stored}

    def live_entries(self) -> int:
        """Say how many accumulators are in memory."""
        return sum(map(len, self._stored.values()))


class ListContents:
    """The records of each pane, as a list that grows in chunks."""

    lists = True

    def __init__(self, panes: PaneBackend) -> None:
        self._scope = panes.scope
        self._state: ListState = panes.part(NAME, LIST_STATE, lambda: ListState(cast("KeyedBackend", panes), NAME))
        self._state.watch()

    def add(self, key: Any, window: Any, value: Any) -> None:
        """Add a record to a pane."""
        self._scope.key = (key, window)
        self._state.add(value)

    def get(self, key: Any, window: Any) -> Any:
        """Return the records of a pane; None when there are none."""
        self._scope.key = (key, window)
        return self._state.get() or None

    def clear(self, key: Any, window: Any) -> None:
        """Empty a pane."""
        self._scope.key = (key, window)
        self._state.clear()

    def replace(self, key: Any, window: Any, values: list[Any]) -> None:
        """Set the records of a pane."""
        self._scope.key = (key, window)
        self._state.update(values)

    def merge(self, key: Any, target: Any, sources: list[Any]) -> None:
        """Append the records of some windows of a key to those of another."""
        for source in sources:
            values = self.get(key, source)
            if values is not None:
                self.clear(key, source)
                self._scope.key = (key, target)
                self._state.add_all(values)
