"""What an epoch changed in the keyed state of a subtask."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flott.runtime.state.address_layout import COLUMN
from flott.runtime.state.points import Points, points_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

Changes = dict[bytes, "bytes | None"]
"""Entries of a store: address → value, or None where the entry was removed."""


@dataclass(slots=True)
class EpochChanges:
    """Changed entries that stores keep in order, and apart from them those that are only looked up.

    A column's entries are of one sort. It may change over the life of a job: a value that gets a time to live is
    scanned in order from then on. In files it has a version of its own, see ``encode_changes``.
    """

    entries: Changes = field(default_factory=dict)
    """Those that are kept in order, and may be scanned."""
    points: Points = field(default_factory=Points)
    """Those of point lookups, in no order."""
    ordered: set[bytes] = field(default_factory=set)
    """The columns that are known to be kept in order, whether or not they changed."""

    def is_empty(self) -> bool:
        """Return whether nothing changed."""
        return not self.entries and not len(self.points)

    def size(self) -> int:
        """Return how many bytes the values take, about."""
        return sum(map(len, filter(None, self.entries.values()))) + self.points.size()

    def count(self) -> int:
        """Return how many entries there are."""
        return len(self.entries) + len(self.points)

    def all(self) -> Changes:
        """Return all entries, whatever their sort."""
        return {**self.entries, **dict(self.points.entries())} if len(self.points) else self.entries


def merged(several: list[EpochChanges]) -> EpochChanges:
    """Return what changes, one after the other, come to; each column is of the sort that it had last.

    >>> from flott.runtime.state.points import points_of
    >>> before = EpochChanges({b"..col1a": b"1", b"..col2b": b"2"})
    >>> after = EpochChanges(points=points_of([(b"..col1a", b"3")]))
    >>> one = merged([before, after])
    >>> one.entries, list(one.points.entries())
    ({b'..col2b': b'2'}, [(b'..col1a', b'3')])
    """
    entries: Changes = {}
    pointed: set[bytes] = set()
    ordered: set[bytes] = set()
    for changes in several:
        entries.update(changes.all())
        pointed = (pointed | changes.points.columns) - changes.ordered
        ordered = (ordered | changes.ordered) - changes.points.columns
    points = points_of((address, value) for address, value in entries.items() if address[COLUMN] in pointed)
    return EpochChanges({a: value for a, value in entries.items() if a[COLUMN] not in pointed}, points, ordered)


def sorted_out(changes: EpochChanges, looked_up: Collection[bytes]) -> EpochChanges:
    """Return changes of which nobody said what sort they are, as those of a savepoint, with the known columns apart.

    >>> from_savepoint = EpochChanges({b"..col1a": b"1", b"..col2b": b"2"})
    >>> known = sorted_out(from_savepoint, {b"col1"})
    >>> known.entries, list(known.points.entries())
    ({b'..col2b': b'2'}, [(b'..col1a', b'1')])
    """
    if changes.ordered or len(changes.points) or not looked_up:
        return changes
    points = points_of(entry for entry in changes.entries.items() if entry[0][COLUMN] in looked_up)
    return EpochChanges({a: value for a, value in changes.entries.items() if a[COLUMN] not in looked_up}, points)


def parts_of(entries: Iterable[tuple[bytes, bytes]], size: int) -> Iterator[Changes]:
    """Cut entries into parts of about so many bytes.

    >>> [len(part) for part in parts_of([(b"a", b"123"), (b"b", b"456"), (b"c", b"")], 6)]
    [2, 1]
    """
    part: Changes = {}
    held = 0
    for key, value in entries:
        if held > size:
            yield part
            part, held = {}, 0
        part[key] = value
        held += len(key) + len(value)
    if part:
        yield part
