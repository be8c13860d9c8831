"""Events that come in columns: they wait as columns, and only those that matter become Python objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from flott.cep.column_condition import Expression
from flott.cep.conditions import Always, And, Leaf, Not, leaves_of
from flott.common.fields import Field
from flott.runtime.columns import ColumnBatch
from flott.runtime.many_keys import canonical_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from flott.cep.conditions import Condition
    from flott.cep.event_queue import Events

__all__ = ["ColumnEvents"]

Memories = list[list["bool | None"]]
"""For each event the answers of the simple conditions."""


class ColumnEvents:
    """The column batches of one subtask that wait for the watermark.

    An event matters if a match can start with it, or if something is under way for its key. Both can be told from
    the columns alone when the conditions of the first stage are column expressions and the key is a field.
    """

    def __init__(self, key_selector: Any, start: Condition, leaves: tuple[Leaf, ...]) -> None:
        self._key = key_selector.name if isinstance(key_selector, Field) else None
        self._start = start
        self._leaves = leaves
        """The simple conditions, in the order of their answers."""
        self._expressions = [leaf.function for leaf in leaves_of(start)]
        self._useful = self._key is not None and all(isinstance(one, Expression) for one in self._expressions)
        self._waiting: list[ColumnBatch] = []

    def takes(self, batch: Any) -> bool:
        """Say whether a batch can wait here: it has columns, timestamps, and all fields that are asked for."""
        if not self._useful or not batch.columnar or batch.times is None or not batch.has(self._key):
            return False
        fields = {name for one in self._expressions for name in one.fields()}
        return all(isinstance(name, int) or batch.has(name) for name in fields)

    def add(self, batch: ColumnBatch) -> None:
        """Put a batch in. All batches have the same fields, as they are of one stream."""
        if self._waiting and batch.shape != self._waiting[0].shape:
            raise ValueError(f"records of one stream have different fields: {self._waiting[0]!r} and {batch!r}")
        self._waiting.append(batch)

    def due(self, until: int) -> ColumnBatch | None:
        """Take out the events up to a time, in the order of their time; None if there are none."""
        due, rest = [], []
        for batch in self._waiting:
            ready = _times(batch) <= until
            if ready.all():
                due.append(batch)
            elif ready.any():
                due.append(batch.take(np.flatnonzero(ready)))
                rest.append(batch.take(np.flatnonzero(~ready)))
            else:
                rest.append(batch)
        self._waiting = rest
        return _in_order(due) if due else None

    def take_all(self) -> ColumnBatch | None:
        """Take out everything, in the order of time."""
        waiting, self._waiting = self._waiting, []
        return _in_order(waiting) if waiting else None

    def as_events(self, batch: ColumnBatch) -> Events:
        """Make Python objects of all events."""
        keys = canonical_keys(batch.column(str(self._key)).to_pylist())
        return _times(batch).tolist(), keys, batch.values

    def that_matter(self, batch: ColumnBatch, is_active: Callable[[Any], bool]) -> tuple[Events, list[bool], Memories]:
        """Make Python objects of the events that matter; say which can start a match, and what is known of each."""
        starts = _answers(_evaluate(self._start, batch), len(batch))
        encoded = batch.column(str(self._key)).dictionary_encode(null_encoding="encode")
        # Several values of a column may be one key: 0.0 and -0.0.
        numbers: dict[Any, int] = {}
        places = [numbers.setdefault(key, len(numbers)) for key in canonical_keys(encoded.dictionary.to_pylist())]
        codes = np.array(places, np.int64)[encoded.indices.to_numpy(zero_copy_only=False)]
        keys = list(numbers)
        # For each key the position from which on its events matter: the first that starts a match, or all.
        first = np.full(len(keys), len(batch), np.int64)
        positions = np.flatnonzero(starts)[::-1]
        first[codes[positions]] = positions
        first[np.fromiter(map(is_active, keys), bool, len(keys))] = 0
        matter = np.flatnonzero(np.arange(len(batch)) >= first[codes])
        chosen = batch.take(matter)
        distinct = np.array(keys, dtype=object)
        events = _times(chosen).tolist(), distinct[codes[matter]].tolist(), chosen.values
        return events, starts[matter].tolist(), self._memories(chosen)

    def _memories(self, batch: ColumnBatch) -> Memories:
        unknown: list[bool | None] = [None] * len(batch)
        known = [
            _answers(leaf.function.of_columns(batch), len(batch)).tolist()
            if isinstance(leaf.function, Expression)
            else unknown
            for leaf in self._leaves
        ]
        return list(map(list, zip(*known, strict=True))) if known else [[] for _ in range(len(batch))]


def _times(batch: ColumnBatch) -> NDArray[np.int64]:
    if batch.times is None:
        raise ValueError(f"{batch!r} has no timestamps")
    return batch.times


def _in_order(batches: list[ColumnBatch]) -> ColumnBatch:
    """Put batches together, sorted by time; events of one time stay in the order of their arrival."""
    joined = batches[0]
    if len(batches) > 1:
        columns = zip(*(batch.arrays for batch in batches), strict=True)
        arrays = tuple(pa.concat_arrays(parts) for parts in columns)
        joined = ColumnBatch(arrays, joined.shape, np.concatenate([_times(batch) for batch in batches]))
    times = _times(joined)
    if (times[1:] >= times[:-1]).all():
        return joined
    return joined.take(np.argsort(times, kind="stable"))


def _evaluate(condition: Condition, batch: ColumnBatch) -> Any:
    """Ask a condition made of column expressions; each of them says yes or no, never null."""
    if isinstance(condition, Leaf):
        return _answers(condition.function.of_columns(batch), len(batch))
    if isinstance(condition, Always):
        return np.ones(len(batch), bool)
    if isinstance(condition, Not):
        return ~_evaluate(condition.condition, batch)
    left, right = _evaluate(condition.left, batch), _evaluate(condition.right, batch)
    return left & right if isinstance(condition, And) else left | right


def _answers(given: Any, count: int) -> NDArray[np.bool_]:
    """Return answers as a numpy array: null is no, and one answer may stand for all."""
    if isinstance(given, np.ndarray):
        return given
    if isinstance(given, pa.Scalar):
        return np.full(count, given.as_py() is True)
    if isinstance(given, pa.ChunkedArray):
        given = given.combine_chunks()
    filled: NDArray[np.bool_] = pc.fill_null(given, False).to_numpy(zero_copy_only=False)
    return filled
