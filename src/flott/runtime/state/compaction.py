"""Keeps lineages short: many small deltas become one, and at times a snapshot replaces them all."""

from __future__ import annotations

from dataclasses import replace
from heapq import merge
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from flott.runtime.state.address_layout import COLUMN
from flott.runtime.state.changes import EpochChanges, merged, parts_of
from flott.runtime.state.lineage import GROUPS, Lineage, Origin, StateFile, encode_changes, read_changes
from flott.runtime.state.savepoint_file import SUFFIX, encode_savepoint
from flott.runtime.storage import LocalStorage, open_storage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from flott.runtime.state.changes import Changes
    from flott.runtime.state.savepoint_file import StateColumn
    from flott.runtime.state.store import StateStore
    from flott.runtime.storage import Storage

SMALL_STATE = 16 * 2**20
"""Below this many bytes of deltas, a snapshot is not worth while."""

DELTAS_PER_SNAPSHOT = 4
"""Deltas may take so many times the room of the snapshot they follow."""

MANY_DELTAS = 64
"""This many single deltas in a row are merged into one, if they are small enough to be held in memory together."""

MANY_MERGED = 16
"""This many merged files make a snapshot due, however small they are."""


Part = TypeVar("Part")

PART_SIZE = 16 * 2**20
"""A snapshot is written, and read, in parts of about so many bytes."""


def next_lineage(lineage: Lineage, delta: StateFile, store: StateStore, storage: Storage, folder: str) -> Lineage:
    """Add a delta to a lineage, compacting when due.

    ``store`` is at the version before the delta. A snapshot is written when the deltas since the last one outweigh it
    several times, so that little is written twice.
    """
    files = (*lineage.files, delta)
    whole = sum(file.size for file in files if file.is_snapshot)
    deltas = tuple(file for file in files if not file.is_snapshot)
    weight = sum(file.size for file in deltas)
    several = sum(1 for file in deltas if file.covers)
    heavy = weight > max(SMALL_STATE, whole * DELTAS_PER_SNAPSHOT)
    if lineage.files and (heavy or several >= MANY_MERGED):
        return replaced_by_snapshot(lineage, (delta,), store, storage, folder)
    singles = trailing_singles(deltas)
    if len(singles) >= MANY_DELTAS and sum(file.in_memory for file in singles) <= PART_SIZE:
        changes = merged([read_changes(storage, file) for file in singles])
        covers = tuple(file.token for file in singles[:-1])
        one = write_file(storage, f"{folder}/merged-{delta.token}", changes, delta.token, covers=covers)
        # Nobody else has heard of this one; the others belong to versions that a checkpoint may hold.
        storage.delete(delta.name)
        return Lineage((*files[: -len(singles)], one))
    return Lineage(files)


def own_lineage(lineage: Lineage, store: StateStore, storage: Storage, folder: str) -> Lineage:
    """Return a lineage of files that are all the job's own, for one that begins with those of another run."""
    if not any(file.origin for file in lineage.files):
        return lineage
    return replaced_by_snapshot(lineage, (), store, storage, folder)


def replaced_by_snapshot(
    lineage: Lineage, deltas: tuple[StateFile, ...], store: StateStore, storage: Storage, folder: str
) -> Lineage:
    """Write the state as it is before some deltas; so a store that is there needs only these, not to be rebuilt."""
    name = f"{folder}/snapshot-{deltas[-1].token if deltas else lineage.token}"
    whole = write_snapshot(storage, name, store.parts(PART_SIZE), lineage.token)
    return Lineage((*whole, *deltas))


def write_snapshot(storage: Storage, name: str, parts: Iterable[EpochChanges], token: str) -> tuple[StateFile, ...]:
    """Store entries in parts, so that no more than one is in memory; only the last leads to ``token``."""
    files: list[StateFile] = []
    for part, last in with_last(parts, EpochChanges()):
        number = len(files)
        file, version = (name, token) if last else (f"{name}.{number}", f"{token}.{number}")
        files.append(write_file(storage, file, part, version, is_snapshot=True))
    return tuple(files)


def write_savepoint(
    root: str, folder: str, entries: Iterable[tuple[bytes, bytes]], columns: dict[bytes, StateColumn], token: str
) -> tuple[StateFile, ...]:
    """Write entries as Parquet files that outlive the job, in parts; only the last leads to ``token``.

    Without entries there is no file: an operator that keeps nothing has no state that a later job must take over.
    """
    storage = open_storage(root)
    files: list[StateFile] = []
    for part, last in with_last(parts_of(entries, PART_SIZE), {}):
        if not part:
            break
        number = len(files)
        version = token if last else f"{token}.{number}"
        data = encode_savepoint(part.items(), columns, version)  # type: ignore[arg-type]
        name = f"{folder}-{number}{SUFFIX}"
        storage.write(name, data)
        files.append(StateFile(name, version, (), len(data), is_snapshot=True))
    return tuple(files)


def with_last(parts: Iterable[Part], empty: Part) -> Iterator[tuple[Part, bool]]:
    """Say of each part whether it is the last; there is always one.

    >>> list(with_last("ab", "")), list(with_last("", ""))
    ([('a', False), ('b', True)], [('', True)])
    """
    before = None
    for part in parts:
        if before is not None:
            yield before, False
        before = part
    yield empty if before is None else before, True


def with_changes(entries: Iterator[tuple[bytes, bytes]], changes: Changes) -> Iterator[tuple[bytes, bytes]]:
    """Go over sorted entries as they are after some changes.

    >>> list(with_changes(iter([(b"a", b"1"), (b"c", b"3")]), {b"a": None, b"b": b"2"}))
    [(b'b', b'2'), (b'c', b'3')]
    """
    changed = ((key, value) for key in sorted(changes) if (value := changes[key]) is not None)
    kept = (entry for entry in entries if entry[0] not in changes)
    return merge(kept, changed)


def after_changes(store: StateStore, changes: EpochChanges) -> Iterator[tuple[bytes, bytes]]:
    """Go over the entries of a store as they are after some changes; those that it keeps in order, in order."""
    changed = changes.all()
    unchanged = (entry for entry in store.points.entries() if entry[0] not in changed)
    return chain(with_changes(store.scan(b""), changed), unchanged)


def write_aside(place: Path, name: str, changes: EpochChanges, token: str) -> StateFile:
    """Store changes on this machine alone, for as long as the job's storage takes no files."""
    file = write_file(LocalStorage(place), name, changes, token)
    columns = tuple((column, column) for column in {key[COLUMN] for key in changes.all()})
    return replace(file, origin=Origin(str(place), token, (0, GROUPS), columns))


def trailing_singles(deltas: tuple[StateFile, ...]) -> tuple[StateFile, ...]:
    """Return the deltas at the end that were not merged yet."""
    count = 0
    for file in reversed(deltas):
        if file.covers:
            break
        count += 1
    return deltas[len(deltas) - count :]


def write_file(
    storage: Storage,
    name: str,
    changes: EpochChanges,
    token: str,
    *,
    covers: tuple[str, ...] = (),
    is_snapshot: bool = False,
) -> StateFile:
    """Store changes as a file of a lineage."""
    parts = encode_changes(changes, token)
    storage.write(name, *parts)
    return StateFile(name, token, covers, sum(map(len, parts)), is_snapshot, content=changes.size())
