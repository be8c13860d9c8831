"""What the driver asks of a task in an epoch, and what the task tells back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flott.runtime.state.lineage import Lineage, StateFile

if TYPE_CHECKING:
    from flott.runtime.metric_group import Measured
    from flott.runtime.source import SplitRead
    from flott.runtime.state.savepoint_file import StateColumn

NO_STATE = Lineage()


@dataclass(frozen=True, slots=True)
class TaskOrder:
    """What one subtask does in one epoch, beyond working on its input."""

    reads: tuple[SplitRead, ...] = ()
    ended: bool = False
    """The source has nothing more after these reads."""
    carried: bytes = b""
    """What this subtask handed over at the end of the epoch before, pickled by itself."""
    lineage: Lineage = NO_STATE
    held: bool = False
    """The source waits for another to be read first."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What became of a checkpoint: functions that listen are told at the start of the next epoch."""

    checkpoint: int
    completed: bool
    """False: it was aborted."""


@dataclass(frozen=True, slots=True)
class SavepointOrder:
    """Asks tasks to write their whole keyed state in the form that outlives job, parallelism and version."""

    root: str
    """The directory of the savepoint, by path or URL."""
    columns: dict[bytes, StateColumn]
    """The states of the job as far as the driver has heard of them."""


@dataclass(frozen=True, slots=True)
class EpochOrder:
    """What the driver asks of one epoch."""

    epoch: int
    job_id: str
    run: str
    """Changes whenever the job (re)starts; operators that a worker kept from another run are not reused."""
    tasks: dict[tuple[int, int], TaskOrder]
    set_time: int | None = None
    """The time of day in this epoch, when the job's clock is one that is moved by hand; else each machine's own."""
    snapshot: int = 0
    """The checkpoint that will hold what this epoch does: this epoch ends with it, or one of the next does."""
    notices: tuple[Notice, ...] = ()
    savepoint: SavepointOrder | None = None

    def task(self, vertex: int, subtask: int) -> TaskOrder:
        """Return the order of one subtask."""
        return self.tasks.get((vertex, subtask), EMPTY_ORDER)


EMPTY_ORDER = TaskOrder()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a subtask gave up: the user's code, which Spark need not try again."""

    message: str
    kind: str
    """The class of the error, by name."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a cluster an attempt of a subtask ran."""

    host: str
    stage: int
    task: int
    """Spark's number of the attempt; no other of the application has it."""
    attempt: int
    partition: int


@dataclass(slots=True)
class TaskReport:
    """What one subtask tells the driver at the end of an epoch. It counts only if Spark accepted the attempt."""

    vertex: int
    subtask: int
    token: str
    attempt: int
    consumed: dict[int, str] = field(default_factory=dict)
    """Per input channel: the attempt of the upstream subtask whose output was read."""
    carried: bytes = b""
    lineage: Lineage = NO_STATE
    payloads: dict[str, Any] = field(default_factory=dict)
    """By operator id: what sinks sent to the driver."""
    watermark: int | None = None
    active: bool = True
    ended: bool = False
    source_watermark: int | None = None
    source_active: bool = True
    split_watermarks: dict[str, int] = field(default_factory=dict)
    """Of a source that is aligned with others: how far its active splits have come."""
    next_wakeup: int | None = None
    """When the earliest processing-time timer is due."""
    input_watermark: int | None = None
    """Where event time stood at the head of the chain."""
    finished: int = 0
    """When the subtask was done, in milliseconds since 1970 by its machine's clock."""
    records_in: int = 0
    records_out: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    emitted: tuple[int, ...] = ()
    """How many records each operator of the chain handed on."""
    counts: dict[str, int] = field(default_factory=dict)
    """What counters counted in this epoch, by ``operator.metric``."""
    metrics: dict[str, list[Measured]] = field(default_factory=dict)
    """What the functions measure, by operator id."""
    state_bytes: int = 0
    """What it wrote to storage, where it may be packed."""
    changed_bytes: int = 0
    """What it changed of its keyed state."""
    seconds: dict[str, float] = field(default_factory=dict)
    """How long reading the input, computing and keeping state took."""
    store_path: str = ""
    """How the working store got to its version: here, apply, catch-up or rebuild."""
    columns: dict[bytes, StateColumn] = field(default_factory=dict)
    """The keyed states that operators have asked for, by the column of their addresses."""
    savepoint: tuple[StateFile, ...] = ()
    """The files of the savepoint that was asked for."""
    shares: bool = False
    """Some of what it carries over is to be shared with the other subtasks: the elements of union lists."""
    place: Place | None = None
    printed: tuple[str, ...] = ()
    """What functions printed, where that would not be seen otherwise."""
    declined: str | None = None
    """Why no checkpoint can be made of this epoch, although it counts."""
    failure: Failure | None = None
