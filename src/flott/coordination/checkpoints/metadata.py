"""What a checkpoint holds, and how it is written: one checksummed file that is complete or not there."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from zlib import crc32

from flott.errors import CheckpointError
from flott.runtime.reports import TaskOrder
from flott.runtime.state.lineage import Lineage, Origin, StateFile
from flott.runtime.state.savepoint_file import StateColumn

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"FLOTTCP1"
FORMAT = 1
CHECKPOINT, SAVEPOINT = "checkpoint", "savepoint"


@dataclass(frozen=True, slots=True)
class OperatorTitle:
    """An operator of the job that the checkpoint was taken of."""

    id: str
    uid: str | None
    name: str


@dataclass(frozen=True, slots=True)
class VertexState:
    """The state of a chain of operators, per subtask."""

    operators: tuple[OperatorTitle, ...]
    parallelism: int
    max_parallelism: int
    subtasks: tuple[TaskOrder, ...]
    """What each subtask carried over and the lineage of its keyed state, which belongs to the chain's head."""


@dataclass(frozen=True, slots=True)
class Committable:
    """Output that was written but does not show yet."""

    operator_id: str
    subtask: int
    payload: bytes
    """Pickled by the driver."""


@dataclass(frozen=True, slots=True)
class JobState:
    """A version that the job can go on from."""

    epoch: int
    vertices: tuple[VertexState, ...]
    sources: dict[str, bytes]
    """By operator id: what the source's enumerator had planned, pickled."""
    committables: tuple[Committable, ...] = ()
    columns: dict[bytes, StateColumn] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    hooks: dict[str, bytes] = field(default_factory=dict)
    """By identifier: what master hooks returned, pickled."""

    def files(self) -> Iterator[StateFile]:
        """Go over the state files that this version needs."""
        for vertex in self.vertices:
            for task in vertex.subtasks:
                yield from task.lineage.files


@dataclass(frozen=True, slots=True)
class CheckpointMetadata:
    """A checkpoint or savepoint, complete."""

    checkpoint_id: int
    kind: str
    timestamp: int
    job_id: str
    job_name: str
    state: JobState

    @property
    def full_size(self) -> int:
        """The bytes of all state that it stands on."""
        return sum(file.size for file in self.state.files())


class Blobs:
    """The binary part of the file; the header refers to pieces of it by position."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = bytearray(data)

    def put(self, piece: bytes) -> list[int]:
        """Add a piece; return where it is."""
        self.data += piece
        return [len(self.data) - len(piece), len(piece)]

    def get(self, place: list[int]) -> bytes:
        """Return a piece."""
        start, size = place
        return bytes(self.data[start : start + size])


def encode_metadata(metadata: CheckpointMetadata) -> bytes:
    """Write a checkpoint down. The header is JSON, so that people and tools can look into it."""
    blobs = Blobs()
    state = metadata.state
    header = {
        "format": FORMAT,
        "checkpoint_id": metadata.checkpoint_id,
        "kind": metadata.kind,
        "timestamp": metadata.timestamp,
        "job_id": metadata.job_id,
        "job_name": metadata.job_name,
        "epoch": state.epoch,
        "vertices": [vertex_out(vertex, blobs) for vertex in state.vertices],
        "sources": {operator: blobs.put(data) for operator, data in state.sources.items()},
        "committables": [[one.operator_id, one.subtask, blobs.put(one.payload)] for one in state.committables],
        "columns": [
            [column.hex(), one.operator_id, one.name, one.kind, one.schema]
            for column, one in sorted(state.columns.items())
        ],
        "counts": state.counts,
        "hooks": {name: blobs.put(data) for name, data in state.hooks.items()},
    }
    text = json.dumps(header).encode()
    content = struct.pack(">I", len(text)) + text + bytes(blobs.data)
    return MAGIC + struct.pack(">I", crc32(content)) + content


def decode_metadata(data: bytes, name: str) -> CheckpointMetadata:
    """Read a checkpoint back; half a file, or an altered one, is refused."""
    if data[: len(MAGIC)] != MAGIC:
        message = f"{name} is not the metadata of a checkpoint of this version (its first bytes are {data[:8]!r})"
        raise CheckpointError(message)
    content = data[len(MAGIC) + 4 :]
    if not content or struct.pack(">I", crc32(content)) != data[len(MAGIC) : len(MAGIC) + 4]:
        message = (
            f"{name} is damaged: its checksum does not match (half-written or altered, {len(data)} bytes). "
            "Start from another savepoint or a retained checkpoint; flott checkpoints JOB lists them"
        )
        raise CheckpointError(message)
    (size,) = struct.unpack_from(">I", content, 0)
    header = json.loads(content[4 : 4 + size])
    if header["format"] != FORMAT:
        message = f"{name} has format {header['format']}; this version of Flott reads format {FORMAT}"
        raise CheckpointError(message)
    blobs = Blobs(content[4 + size :])
    state = JobState(
        epoch=header["epoch"],
        vertices=tuple(vertex_in(vertex, blobs) for vertex in header["vertices"]),
        sources={operator: blobs.get(place) for operator, place in header["sources"].items()},
        committables=tuple(
            Committable(operator, subtask, blobs.get(place)) for operator, subtask, place in header["committables"]
        ),
        columns={bytes.fromhex(column): StateColumn(*rest) for column, *rest in header["columns"]},
        counts=header["counts"],
        hooks={hook: blobs.get(place) for hook, place in header["hooks"].items()},
    )
    return CheckpointMetadata(
        header["checkpoint_id"], header["kind"], header["timestamp"], header["job_id"], header["job_name"], state
    )


def vertex_out(vertex: VertexState, blobs: Blobs) -> dict[str, Any]:
    """Return a vertex as the header has it."""
    return {
        "operators": [[operator.id, operator.uid, operator.name] for operator in vertex.operators],
        "parallelism": vertex.parallelism,
        "max_parallelism": vertex.max_parallelism,
        "subtasks": [
            [blobs.put(task.carried), [file_out(file) for file in task.lineage.files]] for task in vertex.subtasks
        ],
    }


def vertex_in(header: dict[str, Any], blobs: Blobs) -> VertexState:
    """Read a vertex back."""
    return VertexState(
        tuple(OperatorTitle(*operator) for operator in header["operators"]),
        header["parallelism"],
        header["max_parallelism"],
        tuple(
            TaskOrder(carried=blobs.get(place), lineage=Lineage(tuple(file_in(file) for file in files)))
            for place, files in header["subtasks"]
        ),
    )


def file_out(file: StateFile) -> list[Any]:
    """Return a state file as the header has it."""
    origin = file.origin
    where = origin and [
        origin.root,
        origin.token,
        list(origin.groups),
        [[there.hex(), here.hex()] for there, here in origin.columns],
    ]
    return [file.name, file.token, list(file.covers), file.size, file.is_snapshot, where, file.content]


def file_in(header: list[Any]) -> StateFile:
    """Read a state file back."""
    name, token, covers, size, is_snapshot, where, *rest = header
    content = rest[0] if rest else 0
    origin = None
    if where is not None:
        root, original, groups, columns = where
        pairs = tuple((bytes.fromhex(there), bytes.fromhex(here)) for there, here in columns)
        origin = Origin(root, original, (groups[0], groups[1]), pairs)
    return StateFile(name, token, tuple(covers), size, is_snapshot, origin, content)
