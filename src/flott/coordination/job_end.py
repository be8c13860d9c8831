"""The end of a job: every step runs, whatever the others raise, and the first cause is what the caller gets."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from flott.common import JobStatus
from flott.connectors.generator_functions import add_note
from flott.errors import CheckpointError, JobExecutionError
from flott.runtime.crash_points import reach

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.coordination.checkpoints.coordinator import CheckpointCoordinator
    from flott.coordination.checkpoints.hooks import MasterHooks
    from flott.coordination.commits import Commits
    from flott.coordination.job_record import JobRecord
    from flott.coordination.runner import EpochRunner
    from flott.coordination.version import JobVersion
    from flott.metrics.job_metrics import JobMetrics
    from flott.runtime.plan import EpochPlan

log = logging.getLogger("flott.job")

T = TypeVar("T")


@dataclass(slots=True)
class Steps:
    """Runs steps of which none may keep another from running, and remembers what they raise."""

    job_name: str
    failures: list[tuple[str, BaseException]] = field(default_factory=list)
    resumable: bool = False
    """The job has not ended: the next driver resumes it, so nothing of it is removed."""

    def run(self, what: str, step: Callable[[], T], default: T | None = None) -> T | None:
        """Run a step and return its result, or the default if it raises."""
        try:
            return step()
        except BaseException as error:  # noqa: BLE001 - also sys.exit() in user code: the next step has its turn
            self.failures.append((what, error))
            log.warning("job '%s': %s failed (%s: %s)", self.job_name, what, type(error).__name__, error)
            return default

    def attach_to(self, cause: BaseException | None) -> None:
        """Add what failed here to the error that the job ends with."""
        for what, error in self.failures:
            if cause is not None and error is not cause:
                add_note(cause, f"at the end of the job, {what} failed too: {type(error).__name__}: {error}")


def as_exception(error: BaseException, job_name: str) -> Exception:
    """Return an error that may be raised for whoever asks for the result; sys.exit() in a function must not end them.

    >>> as_exception(SystemExit(3), "job")
    JobExecutionError("job 'job' failed: SystemExit: 3")
    """
    if isinstance(error, Exception):
        return error
    failure = JobExecutionError(f"job '{job_name}' failed: {type(error).__name__}: {error}")
    failure.__cause__ = error
    return failure


def give_back(record: JobRecord | None, runner: EpochRunner | None) -> None:
    """Release what a job holds that can't start; the next start finds everything as this one did."""
    removed = record is None or record.give_back()
    if runner is not None:
        runner.close(fenced=not removed)


@dataclass(frozen=True, slots=True)
class JobEnd:
    """Releases what a job holds, and keeps of it only what its settings say."""

    plan: EpochPlan
    checkpoints: CheckpointCoordinator
    hooks: MasterHooks
    commits: Commits
    metrics: JobMetrics
    runner: EpochRunner
    record: JobRecord | None

    def run(self, status: JobStatus, version: JobVersion, steps: Steps) -> BaseException | None:
        """End the job; return what fails it at the last moment: a ``close()`` of the user's that raises."""
        checkpoints = self.checkpoints
        reason = f"the job is {status.name.lower()}"
        settled = steps.run("aborting the checkpoints under way", partial(checkpoints.abort_all, reason)) is not None
        refusal = CheckpointError(f"job '{self.plan.job_name}' is {status.name.lower()}")
        steps.run("answering requests for savepoints", partial(checkpoints.requests.refuse_all, refusal))
        failure = self._close_user_code(version, steps)
        if status is not JobStatus.FINISHED:
            failure = None
        elif failure is not None:
            status = JobStatus.FAILED
        keep = checkpoints.keeps(status)
        resumable = steps.resumable and self.record is not None
        recorded = (
            settled
            and not resumable
            and steps.run("recording how the job ended", partial(self._record, status, keep=keep))
        )
        if recorded:
            reach("end.recorded")
            self._remove(version, steps, keep=keep)
        else:
            # It is another driver's, or may be resumed by one: everything stays.
            steps.run("ending the writer of checkpoints", checkpoints.background.shutdown)
            self._release(steps, None, fenced=True)
            if self.record is not None:
                self.record.release()
        return failure

    def _record(self, status: JobStatus, *, keep: bool) -> bool:
        """Say how the job ended, before anything is removed: a driver that comes later must not run it again."""
        if self.record is not None:
            self.record.ends(status, keep=keep)
        return True

    def _close_user_code(self, version: JobVersion, steps: Steps) -> BaseException | None:
        before = len(steps.failures)
        steps.run("close() of a function", self.runner.close_functions)
        for vertex, enumerator in version.enumerators.items():
            steps.run(f"close() of the enumerator of {self.plan.vertices[vertex].chain[0].title}", enumerator.close)
        for name, hook in self.hooks.by_name.items():
            steps.run(f"close() of the master hook '{name}'", hook.close)
        return next((error for _, error in steps.failures[before:]), None)

    def _remove(self, version: JobVersion, steps: Steps, *, keep: bool) -> None:
        checkpoints = self.checkpoints
        steps.run("releasing state files", lambda: checkpoints.release(version.files()))
        # What can't be removed is not half removed: its state files stay too.
        known = len(steps.failures)
        steps.run("removing checkpoints", partial(checkpoints.end, keep=keep))
        keep = keep or len(steps.failures) > known
        reach("end.checkpoints-removed")
        kept = [one for checkpoint in checkpoints.completed for one in checkpoint.metadata.state.committables]
        steps.run("undoing what no sink commits", partial(self.commits.abort_stale, kept))
        self._release(steps, checkpoints.files.held() if keep else None)
        if self.record is not None:
            steps.run("closing the job's record", partial(self.record.close, keep=keep))
        reach("end.record-closed")

    def _release(self, steps: Steps, keep: set[str] | None, *, fenced: bool = False) -> None:
        for call in self.metrics.at_end:
            steps.run("a last report of the metrics", call)
        steps.run("removing the job's files", lambda: self.runner.close(keep, fenced=fenced))
