"""How a state version came to be: a snapshot, then the deltas since. Enough to rebuild it anywhere."""

from __future__ import annotations

import json
import pickle
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from flott.errors import StateStoreError
from flott.runtime.state.address_layout import COLUMN, GROUP, REST
from flott.runtime.state.batch_parts import widths_of
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.packing import packed, unpacked
from flott.runtime.state.points import PointBatch, Points, points_of
from flott.runtime.state.savepoint_file import SUFFIX, decode_savepoint
from flott.runtime.storage import open_storage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from flott.runtime.storage import Storage

MAGIC = b"FLOTTST4"
"""How files begin. The last character is the version of the format; a file of another one is refused."""
MOST = 0xFFFFFFFF
"""An entry has no more bytes."""
GROUPS = 1 << 16
PAST_LAST = b"\xff\xff\xff"
"""Sorts after the key group of any address."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a file comes from that another run of the job wrote, and which of its entries count here."""

    root: str
    """The storage that has the file; empty for the job's own."""
    token: str
    """The version the file leads to there."""
    groups: tuple[int, int]
    """The key groups of the subtask that takes over: the first, and the first after."""
    columns: tuple[tuple[bytes, bytes], ...]
    """The columns of the states that the operator takes over, there and here."""


@dataclass(frozen=True, slots=True)
class StateFile:
    """One stored file of changes. Applied to a store at any version it covers, or at its parent, it gives ``token``."""

    name: str
    token: str
    """Names the version this file leads to; unique for every attempt of every epoch."""
    covers: tuple[str, ...]
    """The versions inside a merged file; applying it to any of them gives ``token``."""
    size: int
    """In storage, where it may be packed."""
    is_snapshot: bool = False
    """The first of these in a lineage stands on nothing; a snapshot may have several parts."""
    origin: Origin | None = None
    content: int = 0
    """The bytes in it once it is read; 0 if nobody said so, and then nothing is packed."""

    @property
    def in_memory(self) -> int:
        """How many bytes it takes when it is read."""
        return self.content or self.size


@dataclass(frozen=True, slots=True)
class Lineage:
    """The files that lead to a version, oldest first. Empty: no state was ever written.

    >>> Lineage().token
    ''
    """

    files: tuple[StateFile, ...] = ()

    @property
    def token(self) -> str:
        """The version this lineage leads to; empty for a store with nothing in it."""
        return self.files[-1].token if self.files else ""

    def after(self, token: str) -> tuple[StateFile, ...] | None:
        """Return the files to apply to a store at ``token``, or None when it is not on this lineage."""
        if token == self.token:
            return ()
        for index in reversed(range(len(self.files))):
            file = self.files[index]
            if token in file.covers:
                return self.files[index:]
            if token == file.token:
                return self.files[index + 1 :]
        if token == "" and (not self.files or not self.files[0].is_snapshot):
            return self.files
        return None


def encode_changes(changes: EpochChanges, token: str) -> tuple[bytes | memoryview, ...]:
    """Write changes as a checksummed file; return its parts, which together may be large."""
    entries = pickle.dumps((list(changes.entries), list(changes.entries.values())), protocol=5)
    batches = [(batch, packed(batch.data), packed_widths(batch)) for batch in changes.points.batches()]
    about = {
        "token": token,
        "entries": len(entries),
        "points": [
            (len(one.starts), len(one.data), None if small is None else len(small), len(widths))
            for one, small, widths in batches
        ],
        "point_columns": sorted(column.hex() for column in changes.points.columns),
        "ordered_columns": sorted(column.hex() for column in changes.ordered),
    }
    header = json.dumps(about).encode()
    points = (part for batch, small, widths in batches for part in (widths, batch.data if small is None else small))
    parts = (struct.pack(">I", len(header)) + header, entries, *points)
    checksum = 0
    for part in parts:
        checksum = crc32(part, checksum)
    return MAGIC + struct.pack(">I", checksum), *parts


def decode_changes(data: bytes, name: str) -> tuple[str, EpochChanges]:
    """Read a file of changes back; a half-written or altered one is refused."""
    if len(data) < len(MAGIC) + 8 or data[: len(MAGIC)] != MAGIC:
        message = f"{name} is not a state file of this version (its first bytes are {data[:8]!r})"
        raise StateStoreError(message)
    (checksum,) = struct.unpack_from(">I", data, len(MAGIC))
    content = memoryview(data)[len(MAGIC) + 4 :]
    if crc32(content) != checksum:
        message = f"{name} is damaged: its checksum does not match (half-written or altered, {len(data)} bytes)"
        raise StateStoreError(message)
    (header_size,) = struct.unpack_from(">I", content, 0)
    header = json.loads(bytes(content[4 : 4 + header_size]))
    body = content[4 + header_size :]
    entries = dict(zip(*pickle.loads(body[: header["entries"]]), strict=True))
    columns, ordered = (set(map(bytes.fromhex, header[name])) for name in ("point_columns", "ordered_columns"))
    points = Points(columns, batches_in(body[header["entries"] :], header["points"]))
    return header["token"], EpochChanges(entries, points, ordered)


def batches_in(content: memoryview, sizes: list[list[Any]]) -> Iterator[PointBatch]:
    """Go over batches that lie one behind the other, of so many entries and bytes each, and packed ones perhaps."""
    for count, size, small, before in sizes:
        starts = starts_in(content[:before], count)
        end = before + (size if small is None else small)
        data = content[before:end]
        yield PointBatch(starts, data if small is None else unpacked(data, size))
        content = content[end:]


def packed_widths(batch: PointBatch) -> bytes:
    """Return what says where the entries of a batch begin: how many bytes each takes, of which most are alike.

    >>> from flott.runtime.state.points import batch_of
    >>> batch = batch_of([b"a", b"b"], [b"one", b"two"])
    >>> starts_in(memoryview(packed_widths(batch)), 2).tolist() == batch.starts.tolist()
    True
    """
    widths = widths_of(batch)
    if widths.max(initial=0) > MOST:
        message = "a value has 4 GB or more; keep less in one state of one key"
        raise StateStoreError(message)
    plain = widths.astype(np.uint32).tobytes()
    small = packed(plain)
    return plain if small is None or len(small) >= len(plain) else small  # the length tells which it is


def starts_in(data: memoryview, count: int) -> NDArray[np.uint64]:
    """Return where entries begin, as ``packed_widths`` wrote it down."""
    plain = data if len(data) == 4 * count else unpacked(data, 4 * count)
    widths = np.frombuffer(plain, np.uint32).astype(np.uint64)
    starts: NDArray[np.uint64] = np.cumsum(widths) - widths
    return starts


def read_changes(storage: Storage, file: StateFile) -> EpochChanges:
    """Read a file of a lineage, checked to be the one that was meant."""
    origin = file.origin
    place = storage if origin is None or not origin.root else open_storage(origin.root)
    try:
        data = place.read(file.name)
    except FileNotFoundError:
        message = f"state file {file.name} is missing from storage; the state version {file.token} can't be rebuilt"
        raise StateStoreError(message) from None
    if file.name.endswith(SUFFIX):
        token, keys, values = decode_savepoint(data, file.name)
        changes = EpochChanges(dict(zip(keys, values, strict=True)))
    else:
        token, changes = decode_changes(data, file.name)
    wanted = file.token if origin is None else origin.token
    if token != wanted:
        message = f"state file {file.name} holds version {token}, not {wanted}"
        raise StateStoreError(message)
    return changes if origin is None else taken_over(changes, origin)


def taken_over(changes: EpochChanges, origin: Origin) -> EpochChanges:
    """Return the entries of the subtask's key groups, in the columns of the operator's states."""
    first, end = (struct.pack(">I", group)[2:] if group < GROUPS else PAST_LAST for group in origin.groups)
    columns = dict(origin.columns)

    def own(entries: Iterable[tuple[bytes, bytes | None]]) -> Iterator[tuple[bytes, bytes | None]]:
        for key, value in entries:
            if first <= key[GROUP] < end:
                column = columns.get(key[COLUMN])
                if column is not None:
                    yield key[GROUP] + column + key[REST], value

    ordered = {columns[column] for column in changes.ordered if column in columns}
    return EpochChanges(dict(own(changes.entries.items())), points_of(own(changes.points.entries())), ordered)
