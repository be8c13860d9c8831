"""Takes a job's checkpoints: starts them with an epoch, writes them while later epochs run, keeps and drops them."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Protocol

from flott.common import JobStatus
from flott.coordination.checkpoints.decision import Decision
from flott.coordination.checkpoints.metadata import CHECKPOINT, SAVEPOINT, CheckpointMetadata
from flott.coordination.checkpoints.requests import RequestQueue
from flott.coordination.checkpoints.settings import NEVER_KEEP, RETAIN
from flott.coordination.checkpoints.state_files import StateFiles, own_names
from flott.coordination.checkpoints.statistics import CheckpointStatistics, CheckpointStats, SubtaskStats
from flott.coordination.checkpoints.storage import remove_unfinished, write_savepoint_metadata
from flott.errors import CheckpointError, FencedError
from flott.runtime.crash_points import reach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Future

    from flott.coordination.checkpoints.metadata import JobState
    from flott.coordination.checkpoints.requests import SavepointRequest
    from flott.coordination.checkpoints.settings import CheckpointSettings
    from flott.coordination.checkpoints.storage import CheckpointStorage
    from flott.runtime.clock import Clock
    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import TaskReport

log = logging.getLogger("flott.checkpoints")


class Background(Protocol):
    """Runs one thing after the other beside the job's loop: a thread, or at once in tests."""

    def submit(self, work: Callable[[], str], /) -> Future[str]:
        """Run some work; the future has its result."""

    def shutdown(self) -> None:
        """Finish all that was submitted."""


@dataclass(slots=True)
class PendingCheckpoint:
    """A checkpoint that was started and is not complete."""

    checkpoint_id: int
    stats: CheckpointStats
    started: int
    """By the monotonic clock."""
    savepoint: SavepointRequest | None = None
    path: str | None = None
    """Where the savepoint goes."""
    metadata: CheckpointMetadata | None = None
    commits_up_to: int = 0
    """How many of the job's committables, counted from its start, are covered by it."""
    written: Future[str] | None = None
    where: str = ""
    """Where its metadata is, once that is written."""
    decision: Decision = field(default_factory=Decision)
    written_at: int | None = None
    """When its metadata was in place, by the monotonic clock."""


@dataclass(frozen=True, slots=True)
class CompletedCheckpoint:
    """A checkpoint that the job can come back to, or a savepoint."""

    metadata: CheckpointMetadata
    path: str
    files: frozenset[str] = frozenset()
    """The job's own state files that it needs."""
    request: SavepointRequest | None = None
    commits_up_to: int = 0


@dataclass(frozen=True, slots=True)
class AbortedCheckpoint:
    """A checkpoint that came to nothing."""

    checkpoint_id: int
    reason: str
    counts: bool
    """Whether it counts against the tolerable failures."""


@dataclass(slots=True)
class CheckpointCoordinator:
    """The state machine of a job's checkpoints. All methods but ``ask`` are called by the job's own thread."""

    settings: CheckpointSettings
    storage: CheckpointStorage
    clock: Clock
    monotonic: Callable[[], int]
    background: Background
    discard: Callable[[list[str]], None]
    """Removes state files from the job's storage."""
    job_id: str
    job_name: str
    next_id: int = 1
    statistics: CheckpointStatistics = field(default_factory=CheckpointStatistics)
    completed: deque[CompletedCheckpoint] = field(default_factory=deque)
    """Those that are retained, oldest first; never savepoints."""
    files: StateFiles = field(default_factory=StateFiles)
    pending: dict[int, PendingCheckpoint] = field(default_factory=dict)
    failures_in_a_row: int = 0
    requests: RequestQueue = field(init=False)

    def __post_init__(self) -> None:
        self.requests = RequestQueue(self.settings, self.monotonic())

    # Start

    def due(self, *, backlog: bool) -> bool:
        """Return whether the next epoch should end with a checkpoint or savepoint."""
        return self.requests.waiting() or self.requests.periodic_due(
            self.monotonic(), len(self.pending), backlog=backlog
        )

    def begin(self, plan: EpochPlan, path_of: Callable[[SavepointRequest], str]) -> PendingCheckpoint:
        """Start a checkpoint with the next epoch: a savepoint if somebody waits for one."""
        request = self.requests.next_savepoint()
        number = self.next_id
        self.next_id += 1
        kind = CHECKPOINT if request is None else SAVEPOINT
        total = sum(vertex.parallelism for vertex in plan.vertices)
        pending = PendingCheckpoint(
            number, CheckpointStats(number, kind, self.clock.now(), total), self.monotonic(), request
        )
        if request is None:
            self.requests.triggered(pending.started)
        else:
            pending.path = path_of(request)
        self.pending[number] = pending
        self.statistics.on_trigger(pending.stats)
        log.debug("%s %d of job %s starts", kind, number, self.job_id)
        return pending

    # End

    def acknowledge(
        self,
        pending: PendingCheckpoint,
        plan: EpochPlan,
        reports: list[TaskReport],
        state: JobState,
        make_durable: Callable[[], None] = lambda: None,
        *,
        commits: bool = True,
    ) -> None:
        """All subtasks have done their part: write the checkpoint down, and publish it unless it is aborted meanwhile.

        ``make_durable`` is called before; ``commits``: going back before this checkpoint repeats commits.
        """
        stats, now = pending.stats, self.clock.now()
        for report in reports:
            vertex = plan.vertices[report.vertex]
            files = report.savepoint if pending.savepoint is not None else report.lineage.files
            written = (
                sum(file.size for file in report.savepoint) if pending.savepoint is not None else report.state_bytes
            )
            stats.tasks.setdefault(vertex.id, []).append(
                SubtaskStats(
                    report.subtask,
                    now,
                    report.seconds.get("sync", 0.0) * 1000,
                    report.seconds.get("async", 0.0) * 1000,
                    written + len(report.carried),
                    sum(file.size for file in files) + len(report.carried),
                )
            )
        everything = [one for subtasks in stats.tasks.values() for one in subtasks]
        stats.latest_acknowledgement = now
        stats.checkpointed_size = sum(one.checkpointed_size for one in everything)
        stats.full_size = sum(one.full_size for one in everything)
        metadata = pending.metadata = CheckpointMetadata(
            pending.checkpoint_id, stats.kind, stats.triggered, self.job_id, self.job_name, state
        )
        self.files.hold(own_names(state.files()) if pending.savepoint is None else ())
        path, retained = pending.path, self.settings.retained

        def write() -> str:
            reach("metadata.before")
            make_durable()
            if path is not None:
                write_savepoint_metadata(path, metadata, durable=self.settings.durable)
                pending.where = path
            else:
                pending.where = self.storage.write(metadata)
            pending.written_at = self.monotonic()
            if path is None and not self.expired(pending):
                pending.decision.publish(partial(self.storage.publish, metadata, commits=commits, retained=retained))
            reach("metadata.after")
            return pending.where

        pending.written = self.background.submit(write)

    def decline(
        self, pending: PendingCheckpoint, reason: str, *, counts: bool = True
    ) -> AbortedCheckpoint | CompletedCheckpoint:
        """Abort a checkpoint: on return it is certain that nobody resumes from it. One that was published is complete.

        Raises OSError while it is unknown whether it was published; then nothing of it may be undone.
        """
        if pending.decision.abort(partial(self.storage.settle, pending.checkpoint_id)):
            return self._complete(pending, pending.where)
        del self.pending[pending.checkpoint_id]
        self.statistics.on_failure(pending.stats, reason, self.clock.now())
        log.warning("%s %d was given up: %s", pending.stats.kind, pending.checkpoint_id, reason)
        self._let_go(pending)
        if pending.savepoint is not None:
            pending.savepoint.promise.complete_exceptionally(
                CheckpointError(f"savepoint {pending.checkpoint_id} was given up: {reason}")
            )
            counts = False
        if counts:
            self.failures_in_a_row += 1
        return AbortedCheckpoint(pending.checkpoint_id, reason, counts)

    def _let_go(self, pending: PendingCheckpoint) -> None:
        if pending.metadata is not None and pending.savepoint is None:
            self._discard(self.files.release(own_names(pending.metadata.state.files())))
        if pending.path is not None:
            self.background.submit(partial(remove_unfinished, pending.path))
        elif pending.written is not None:
            self.background.submit(partial(self._forget, pending.checkpoint_id))

    def poll(self) -> list[CompletedCheckpoint | AbortedCheckpoint]:
        """Return what has become of checkpoints under way since the last look."""
        outcomes: list[CompletedCheckpoint | AbortedCheckpoint] = []
        for pending in list(self.pending.values()):
            if pending.checkpoint_id not in self.pending:
                continue
            written = pending.written if pending.written is not None and pending.written.done() else None
            error = None if written is None else written.exception()
            if isinstance(error, FencedError):
                raise error
            if error is not None:
                outcomes.append(self.decline(pending, f"its metadata could not be written: {error}"))
            elif self.expired(pending):
                outcomes.append(self.decline(pending, f"it took longer than {self.settings.timeout} ms"))
            elif written is not None:
                outcomes.append(self._complete(pending, written.result()))
        return outcomes

    def expired(self, pending: PendingCheckpoint) -> bool:
        """Return whether a checkpoint takes, or took, longer than the timeout: from its epoch to its metadata."""
        until = self.monotonic() if pending.written_at is None else pending.written_at
        return until - pending.started > self.settings.timeout

    def wait(self) -> list[CompletedCheckpoint | AbortedCheckpoint]:
        """Wait until nothing is under way any more, and return what became of it."""
        for pending in list(self.pending.values()):
            if pending.written is not None:
                pending.written.exception(timeout=self.settings.timeout / 1000)
        return self.poll()

    def _complete(self, pending: PendingCheckpoint, path: str) -> CompletedCheckpoint:
        metadata = pending.metadata
        if metadata is None:
            raise AssertionError(pending)
        files = frozenset(own_names(metadata.state.files()))
        done = CompletedCheckpoint(metadata, path, files, pending.savepoint, pending.commits_up_to)
        self.failures_in_a_row = 0
        del self.pending[pending.checkpoint_id]
        is_savepoint = pending.savepoint is not None
        self.statistics.on_complete(pending.stats, path, self.clock.now(), is_savepoint=is_savepoint)
        log.log(
            logging.INFO if is_savepoint else logging.DEBUG,
            "%s %d is complete: %d bytes in %d ms, at %s",
            pending.stats.kind, pending.checkpoint_id, pending.stats.checkpointed_size,
            pending.stats.duration_ms or 0, path,
        )  # fmt: skip
        if not is_savepoint:
            self.requests.completed(self.monotonic())
            self.completed.append(done)
            for older in [one for one in self.pending.values() if one.checkpoint_id < pending.checkpoint_id]:
                if older.savepoint is None:
                    self.decline(
                        older, f"checkpoint {pending.checkpoint_id}, which is newer, is complete", counts=False
                    )
            while len(self.completed) > self.settings.retained:
                self._drop(self.completed.popleft())
        return done

    # Keep and drop

    @property
    def latest(self) -> CompletedCheckpoint | None:
        """The checkpoint to come back to."""
        return self.completed[-1] if self.completed else None

    def adopt(self, found: Iterable[CompletedCheckpoint]) -> None:
        """Take over the checkpoints that an earlier driver of this job left."""
        for checkpoint in found:
            self.files.hold(checkpoint.files)
            self.completed.append(checkpoint)
            self.next_id = max(self.next_id, checkpoint.metadata.checkpoint_id + 1)

    def abort_all(self, reason: str) -> list[AbortedCheckpoint]:
        """Abort all that is under way, because the job failed or ends: sinks undo next what no checkpoint holds."""
        outcomes = [self.decline(pending, reason, counts=False) for pending in list(self.pending.values())]
        return [one for one in outcomes if isinstance(one, AbortedCheckpoint)]

    def keeps(self, status: JobStatus) -> bool:
        """Return whether checkpoints are kept when the job ends so."""
        retention = self.settings.retention
        cancelled = status is JobStatus.CANCELED and retention == RETAIN
        failed = status is JobStatus.FAILED and retention != NEVER_KEEP
        return self.storage.survives and bool(self.completed) and (cancelled or failed)

    def end(self, *, keep: bool) -> None:
        """Remove checkpoints that the job's end leaves no use for, and wait for all that is under way."""
        while self.completed and not keep:
            self._drop(self.completed.popleft())
        self.background.shutdown()

    def _drop(self, checkpoint: CompletedCheckpoint) -> None:
        number = checkpoint.metadata.checkpoint_id
        self.background.submit(partial(self._forget, number))
        self._discard(self.files.release(checkpoint.files))

    def _discard(self, names: list[str]) -> None:
        if names:
            self.background.submit(partial(self._remove, names))

    def _forget(self, number: int) -> str:
        self.storage.discard(number)
        return ""

    def _remove(self, names: list[str]) -> str:
        self.discard(names)
        return ""

    # The running version

    def hold(self, names: Iterable[str]) -> None:
        """Keep files that the running version needs."""
        self.files.hold(names)

    def release(self, names: Iterable[str]) -> None:
        """Let go of files that the running version no longer needs."""
        self._discard(self.files.release(names))
