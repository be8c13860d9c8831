"""What there is to know of a job's checkpoints."""

from __future__ import annotations

from typing import TypedDict


class Counts(TypedDict):
    """How many checkpoints there were."""

    restored: int
    total: int
    in_progress: int
    completed: int
    failed: int


class Measure(TypedDict):
    """One measure over all completed checkpoints."""

    min: float
    max: float
    avg: float
    p50: float
    p90: float
    p95: float
    p99: float
    p999: float


class Summary(TypedDict):
    """All completed checkpoints in a few numbers."""

    checkpointed_size: Measure
    state_size: Measure
    end_to_end_duration: Measure
    alignment_buffered: Measure
    processed_data: Measure
    persisted_data: Measure


class TaskCheckpoint(TypedDict):
    """The part of one vertex in a checkpoint."""

    id: int
    status: str
    latest_ack_timestamp: int
    checkpointed_size: int
    state_size: int
    end_to_end_duration: int
    alignment_buffered: int
    processed_data: int
    persisted_data: int
    num_subtasks: int
    num_acknowledged_subtasks: int


class CheckpointBase(TypedDict):
    """What is known of every checkpoint."""

    className: str
    id: int
    status: str
    is_savepoint: bool
    savepointFormat: str | None
    checkpoint_type: str
    trigger_timestamp: int
    latest_ack_timestamp: int
    checkpointed_size: int
    state_size: int
    end_to_end_duration: int
    alignment_buffered: int
    processed_data: int
    persisted_data: int
    num_subtasks: int
    num_acknowledged_subtasks: int
    tasks: dict[str, TaskCheckpoint]


class Checkpoint(CheckpointBase, total=False):
    """A checkpoint: complete ones have a path, failed ones a reason."""

    external_path: str
    discarded: bool
    failure_timestamp: int
    failure_message: str


class Restored(TypedDict):
    """The last return to a checkpoint."""

    id: int
    restore_timestamp: int
    is_savepoint: bool
    external_path: str | None


class Latest(TypedDict):
    """The latest of each kind."""

    completed: Checkpoint | None
    savepoint: Checkpoint | None
    failed: Checkpoint | None
    restored: Restored | None


class Checkpoints(TypedDict):
    """The checkpoints of a job."""

    counts: Counts
    summary: Summary | None
    latest: Latest
    history: list[Checkpoint]


SubtaskPhases = TypedDict("SubtaskPhases", {"sync": int, "async": int})


class Alignment(TypedDict):
    """What waiting for barriers cost: nothing, since an epoch's end needs none."""

    buffered: int
    processed: int
    persisted: int
    duration: int


class SubtaskCheckpoint(TypedDict):
    """The part of one subtask in a checkpoint."""

    index: int
    status: str
    ack_timestamp: int
    end_to_end_duration: int
    checkpointed_size: int
    state_size: int
    checkpoint: SubtaskPhases
    alignment: Alignment
    start_delay: int
    unaligned_checkpoint: bool
    aborted: bool


class TaskCheckpointDetails(TaskCheckpoint):
    """The part of one vertex in a checkpoint, by subtask."""

    subtasks: list[SubtaskCheckpoint]


class Externalization(TypedDict):
    """Whether checkpoints outlive the job."""

    enabled: bool
    delete_on_cancellation: bool


class CheckpointConfig(TypedDict):
    """When checkpoints are taken and what becomes of them."""

    mode: str
    interval: int
    timeout: int
    min_pause: int
    max_concurrent: int
    externalization: Externalization
    state_backend: str
    checkpoint_storage: str
    unaligned_checkpoints: bool
    tolerable_failed_checkpoints: int
    aligned_checkpoint_timeout: int
    checkpoints_after_tasks_finish: bool
    state_changelog_enabled: bool
    directory: str | None
    savepoint_directory: str | None
