"""Keeps lineages short: many small deltas become one, and at times a snapshot replaces them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.runtime.state.lineage import Lineage, StateFile, encode_changes, read_changes

if TYPE_CHECKING:
    from flott.runtime.state.lineage import Changes
    from flott.runtime.state.store import StateStore
    from flott.runtime.storage import Storage

SMALL_STATE = 16 * 2**20
"""Below this many bytes of deltas, a snapshot is not worth while."""

DELTAS_PER_SNAPSHOT = 4
"""Deltas may take so many times the room of the snapshot they follow."""

MANY_DELTAS = 64
"""This many single deltas in a row are merged into one."""

MANY_MERGED = 16
"""This many merged files make a snapshot due, however small they are."""


def next_lineage(
    lineage: Lineage, delta: StateFile, store: StateStore, storage: Storage, folder: str
) -> tuple[Lineage, tuple[str, ...]]:
    """Add a delta to a lineage, compacting when due; return the lineage and the files it no longer needs.

    ``store`` is at the version before the delta. A snapshot is written when the deltas since the last one outweigh it
    several times, so that little is written twice.
    """
    files = (*lineage.files, delta)
    snapshot = files[0] if files[0].is_snapshot else None
    deltas = files[1:] if snapshot else files
    weight = sum(file.size for file in deltas)
    merged = sum(1 for file in deltas if file.covers)
    heavy = weight > max(SMALL_STATE, snapshot.size * DELTAS_PER_SNAPSHOT if snapshot else 0)
    if lineage.files and (heavy or merged >= MANY_MERGED):
        # The state before the delta: a store that is there needs only the delta, not to be rebuilt.
        whole = write_file(
            storage, f"{folder}/snapshot-{delta.token}", dict(store.scan(b"")), lineage.token, is_snapshot=True
        )
        return Lineage((whole, delta)), tuple(file.name for file in lineage.files)
    singles = trailing_singles(deltas)
    if len(singles) >= MANY_DELTAS:
        changes: Changes = {}
        for file in singles:
            changes.update(zip(*read_changes(storage, file), strict=True))
        covers = tuple(file.token for file in singles[:-1])
        one = write_file(storage, f"{folder}/merged-{delta.token}", changes, delta.token, covers=covers)
        return Lineage((*files[: -len(singles)], one)), tuple(file.name for file in singles)
    return Lineage(files), ()


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
    changes: Changes,
    token: str,
    *,
    covers: tuple[str, ...] = (),
    is_snapshot: bool = False,
) -> StateFile:
    """Store changes as a file of a lineage."""
    data = encode_changes(changes, token)
    storage.write(name, data)
    return StateFile(name, token, covers, len(data), is_snapshot)
