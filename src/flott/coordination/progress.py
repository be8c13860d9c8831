"""What is known about a running job. Its own thread writes here once or twice an epoch; anybody may read."""

from __future__ import annotations

import logging
import threading
import traceback
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from flott.common import JobStatus
from flott.coordination.log_lines import enter_epoch, enter_job
from flott.coordination.subtask_progress import ExecutionState, SubtaskProgress
from flott.errors import USER_CODE_RAISES, TaskFailedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.coordination.epoch_stats import EpochStats
    from flott.runtime.clock import Clock
    from flott.runtime.plan import EpochPlan
    from flott.runtime.task_activity import TaskActivity

log = logging.getLogger("flott.job")

T = TypeVar("T")

EPOCHS_REMEMBERED = 100
FAILURES_REMEMBERED = 100


@dataclass(frozen=True, slots=True)
class CurrentEpoch:
    """The epoch that is being run."""

    epoch: int
    attempt: int
    """Which try it is, from 1."""
    started: int
    """When this try began, in milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class FailureNote:
    """Something that went wrong: with an epoch, which was tried again, or with the job."""

    name: str
    """The class of the root cause."""
    cause: str
    """The root cause in one line."""
    trace: str
    time: int
    """In milliseconds since 1970."""
    vertex: int | None = None
    subtask: int | None = None
    host: str | None = None


class JobProgress:
    """The job's status, its epochs, its subtasks and its failures.

    Lists are only ever appended to or replaced, so readers in other threads need no lock.
    """

    def __init__(self, plan: EpochPlan, clock: Clock, look: Callable[[], list[TaskActivity]] = list) -> None:
        self.plan = plan
        self.status = JobStatus.CREATED
        self.since: dict[JobStatus, int] = {JobStatus.CREATED: clock.now()}
        """When the job came into each status last, in milliseconds since 1970."""
        self.started: int | None = None
        """When the job began to run."""
        self.restarts = 0
        self.failures_in_a_row = 0
        """How often the job failed since it came further than where it failed."""
        self.has_worked = False
        """Whether an epoch has completed, or there was nothing to do for one."""
        self.last_failure: FailureNote | None = None
        """What the job failed for last."""
        self.next_attempt: int | None = None
        """When a job that failed starts again, in milliseconds since 1970; None while it does not wait for that."""
        self.current: CurrentEpoch | None = None
        self.history: deque[EpochStats] = deque(maxlen=EPOCHS_REMEMBERED)
        self.listeners: list[Callable[[EpochStats], None]] = []
        """Called by the job's own thread after each epoch: be quick."""
        self.watchers: list[Callable[[JobStatus], None]] = []
        """Called with each new status, the last before anybody hears that the job is over."""
        self.failures: deque[BaseException] = deque(maxlen=FAILURES_REMEMBERED)
        """What the job was restarted for."""
        self.notes: deque[FailureNote] = deque(maxlen=FAILURES_REMEMBERED)
        self._look = look
        self._clock = clock
        self._lock = threading.Lock()
        self.subtasks = {
            (vertex.index, index): SubtaskProgress(vertex.index, index, since={ExecutionState.CREATED: clock.now()})
            for vertex in plan.vertices
            for index in range(vertex.parallelism)
        }

    # The job

    def starts(self) -> None:
        """The job begins; one that failed is RESTARTING until it works again."""
        self.next_attempt = None
        if not self.failures_in_a_row:
            self.enter(JobStatus.RUNNING)

    def works(self, *, beyond: bool) -> None:
        """The job completed an epoch, or found that there is nothing to do yet.

        ``beyond``: it has come further than where it failed last.
        """
        self.has_worked = True
        if beyond:
            self.failures_in_a_row = 0
        if self.status is JobStatus.RESTARTING:
            self.enter(JobStatus.RUNNING)

    def waits(self, millis: int) -> None:
        """The job failed, and starts again after this time."""
        self.next_attempt = self._clock.now() + millis
        self.enter(JobStatus.RESTARTING)

    def enter(self, status: JobStatus) -> None:
        """The job goes to another status, unless it is over, or is cancelled and this is not its end."""
        with self._lock:
            comes_back = status in (JobStatus.RUNNING, JobStatus.RESTARTING)
            if self.status.is_terminal_state() or (comes_back and self.status is JobStatus.CANCELLING):
                return
            self._enter(status, self._clock.now())
        for watcher in self.watchers:
            self._tell(watcher, status)

    def _enter(self, status: JobStatus, now: int) -> None:
        self.status = status
        self.since[status] = now
        if status is JobStatus.RUNNING:
            enter_job(self.plan.job_id, self.plan.job_name)
            if self.started is None:
                self.started = now
            for subtask in self.subtasks.values():
                if subtask.state is ExecutionState.CREATED:
                    subtask.enter(ExecutionState.SCHEDULED, now)
        elif status is JobStatus.RESTARTING:
            self.restarts += 1
            for subtask in self.subtasks.values():
                subtask.restart(now)
        elif status is JobStatus.CANCELLING:
            self._move(ExecutionState.CANCELING, now)
        elif status is JobStatus.FINISHED:
            self._move(ExecutionState.FINISHED, now)
        elif status.is_terminal_state() or status is JobStatus.FAILING:
            self._move(ExecutionState.CANCELED, now)

    def _move(self, state: ExecutionState, now: int) -> None:
        for subtask in self.subtasks.values():
            subtask.enter(state, now)

    def failed(self, error: BaseException) -> None:
        """The job failed; the subtask that is to blame failed too."""
        self.failures.append(error)
        self.failures_in_a_row += 1
        self.last_failure = self.note(error)
        blamed = blamed_task(error)
        if blamed is not None:
            self.subtasks[blamed.vertex, blamed.subtask].enter(ExecutionState.FAILED, self._clock.now())
        self.current = None
        self.enter(JobStatus.FAILING)

    def note(self, error: BaseException) -> FailureNote:
        """Write down something that went wrong, and return that."""
        root, blamed = root_of(error), blamed_task(error)
        name, cause = type(root).__name__, str(root).strip().rpartition("\n")[2] or repr(root)
        if blamed is not None:
            name, cause = blamed.kind.partition(":")[0], blamed.kind
        trace = "".join(traceback.format_exception(error))
        note = FailureNote(name, cause, trace, self._clock.now())
        if blamed is not None:
            task = self.subtasks[blamed.vertex, blamed.subtask]
            host = None if task.place is None else task.place.host
            note = replace(note, vertex=task.vertex, subtask=task.subtask, host=host)
        self.notes.append(note)
        return note

    # Epochs

    def epoch_begins(self, epoch: int) -> None:
        """An epoch is handed to whatever executes it, for the first time or again."""
        enter_epoch(epoch)
        before = self.current
        attempt = before.attempt + 1 if before is not None and before.epoch == epoch else 1
        self.current = CurrentEpoch(epoch, attempt, self._clock.now())
        if not self.history or self.restarts:
            self._move_unstarted()

    def _move_unstarted(self) -> None:
        now = self._clock.now()
        for subtask in self.subtasks.values():
            if subtask.state in (ExecutionState.CREATED, ExecutionState.SCHEDULED):
                subtask.enter(ExecutionState.DEPLOYING, now)

    def epoch_ends(self, stats: EpochStats) -> None:
        """An epoch counts."""
        now = self._clock.now()
        for report, figures in zip(stats.reports, stats.subtasks, strict=True):
            self.subtasks[report.vertex, report.subtask].reported(report, figures.late, now)
        self.history.append(replace(stats, reports=[]))
        self.current = None
        for listener in self.listeners:
            self._tell(listener, stats)

    def _tell(self, listener: Callable[[T], None], what: T) -> None:
        try:
            listener(what)
        except USER_CODE_RAISES:
            log.exception("a listener of job '%s' failed; the job goes on without minding it", self.plan.job_name)

    @property
    def activities(self) -> list[TaskActivity]:
        """What subtasks of the running epoch work on, as far as that is known."""
        current = self.current
        found = [] if current is None else self._look()
        return [one for one in found if current is not None and one.epoch == current.epoch]

    def now(self) -> int:
        """Return the time by the job's clock, in milliseconds since 1970."""
        return self._clock.now()


def root_of(error: BaseException) -> BaseException:
    """Return what an error was raised for in the first place.

    >>> try:
    ...     try:
    ...         {}["missing"]
    ...     except KeyError as cause:
    ...         raise RuntimeError("could not look it up") from cause
    ... except RuntimeError as error:
    ...     root_of(error)
    KeyError('missing')
    """
    *_, root = causes(error)
    return root


def causes(error: BaseException) -> Iterator[BaseException]:
    """Go over an error and what it was raised for; ``raise error from error``, a circle, is left after one round.

    >>> error = ValueError("of itself")
    >>> error.__cause__ = error
    >>> list(causes(error))
    [ValueError('of itself')]
    """
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__


def blamed_task(error: BaseException) -> TaskFailedError | None:
    """Return the error that says which subtask failed."""
    return next((found for found in causes(error) if isinstance(found, TaskFailedError)), None)
