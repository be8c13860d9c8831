"""What the loop does about checkpoints: starts them with epochs, and acts on what becomes of them."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

from flott.coordination.checkpoints.coordinator import AbortedCheckpoint
from flott.errors import USER_CODE_RAISES, JobExecutionError
from flott.runtime.crash_points import reach
from flott.runtime.operators.checkpointed import functions_inside
from flott.runtime.reports import Notice

if TYPE_CHECKING:
    from flott.coordination.checkpoints.coordinator import (
        CheckpointCoordinator,
        CompletedCheckpoint,
        PendingCheckpoint,
    )
    from flott.coordination.checkpoints.hooks import MasterHooks
    from flott.coordination.commits import Commits
    from flott.coordination.version import JobVersion
    from flott.runtime.clock import Clock
    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import TaskReport


log = logging.getLogger("flott.checkpoints")


class JobCheckpoints:
    """Connects the coordinator of checkpoints with the sinks, hooks and functions of the job."""

    def __init__(
        self, plan: EpochPlan, coordinator: CheckpointCoordinator, commits: Commits, hooks: MasterHooks, clock: Clock
    ) -> None:
        self._plan = plan
        self._coordinator = coordinator
        self._commits = commits
        self._hooks = hooks
        self._clock = clock
        self._listened_to = somebody_listens(plan)
        self.notices: list[Notice] = []
        """What functions have not been told yet."""
        self._failed_at: tuple[int, CompletedCheckpoint | None] = (0, None)
        """The epoch that failed last, and the checkpoint that the job went back to."""

    def failed_at(self, version: JobVersion) -> None:
        """The job failed in the epoch after a version."""
        self._failed_at = (version.epoch + 1, self._coordinator.latest)

    def is_beyond_failure(self, version: JobVersion) -> bool:
        """Return whether a checkpoint has completed since the last failure; without checkpoints, the epoch that failed.

        After a failure epochs are small, and those before the record that fails do work.
        """
        epoch, latest = self._failed_at
        return self._coordinator.latest is not latest if self._coordinator.settings.enabled else version.epoch >= epoch

    def begin(self, *, backlog: bool, last: bool) -> PendingCheckpoint | None:
        """Start a checkpoint with the next epoch if one is due; the last epoch of a job always ends with one."""
        coordinator = self._coordinator
        if not coordinator.due(backlog=backlog) and not (last and coordinator.settings.enabled):
            return None
        pending = coordinator.begin(self._plan, lambda request: f"{request.directory.rstrip('/')}/{self._folder()}")
        try:
            self._hooks.trigger(pending.checkpoint_id, self._clock.now())
        except USER_CODE_RAISES as error:  # whatever a hook raises
            self._decline(pending, f"a master hook failed: {type(error).__name__}: {error}")
            return None
        return pending

    def _folder(self) -> str:
        return f"savepoint-{self._plan.job_id[:6]}-{uuid4().hex[:12]}"

    def acknowledge(self, pending: PendingCheckpoint, version: JobVersion, reports: list[TaskReport]) -> None:
        """The epoch that a checkpoint ends counts: write the checkpoint down, unless a task could not do its part."""
        declined = [report.declined for report in reports if report.declined is not None]
        if self._coordinator.expired(pending):
            declined.append(f"its epoch took longer than {self._coordinator.settings.timeout} ms")
        if declined:
            self._decline(pending, declined[0])
            return
        written = None
        if pending.savepoint is not None:
            written = {(report.vertex, report.subtask): report for report in reports}
        pending.commits_up_to = version.committed + len(version.committables)
        state = version.state(self._hooks.states(), written)
        self._coordinator.acknowledge(
            pending,
            self._plan,
            reports,
            state,
            partial(self._commits.make_durable, state.committables),
            commits=bool(state.committables) or self._listened_to,
        )

    def handle(self, version: JobVersion, *, wait: bool = False) -> CompletedCheckpoint | None:
        """Act on what has become of checkpoints; return the savepoint that the job ends with, if that is complete."""
        ends_with = None
        for outcome in self._coordinator.wait() if wait else self._coordinator.poll():
            if isinstance(outcome, AbortedCheckpoint):
                self._on_abort(outcome)
            elif self._on_complete(outcome, version):
                ends_with = outcome
        return ends_with

    def is_final(self, pending: PendingCheckpoint | None) -> bool:
        """Return whether a job whose input has ended may end with this checkpoint; False if it needs one more.

        Whatever number of failures is tolerated: what was written since the checkpoint before would never be committed.
        """
        if not self._coordinator.settings.enabled:
            return True
        if pending is None or pending.savepoint is not None:
            # A savepoint in passing commits nothing.
            return False
        latest = self._coordinator.latest
        if latest is not None and latest.metadata.checkpoint_id >= pending.checkpoint_id:
            return True
        message = (
            f"checkpoint {pending.checkpoint_id}, the job's last, failed: {pending.stats.failure}. The job can't "
            f"finish without it: what its sinks wrote since the checkpoint before is not committed"
        )
        raise JobExecutionError(message)

    @staticmethod
    def go_on_after(pending: PendingCheckpoint | None) -> None:
        """The savepoint to stop with came to nothing: the job goes on, but if it was drained, from before that."""
        if pending is not None and pending.savepoint is not None and pending.savepoint.drain:
            message = (
                f"savepoint {pending.checkpoint_id}, which the job was drained for, could not be taken; event time "
                f"is at its end, so the job can only go on from its last checkpoint"
            )
            raise JobExecutionError(message)

    def abort_all(self, reason: str) -> None:
        """Give up what is under way."""
        for aborted in self._coordinator.abort_all(reason):
            self.notices.append(Notice(aborted.checkpoint_id, completed=False))

    def _decline(self, pending: PendingCheckpoint, reason: str) -> None:
        """Abort a checkpoint before it is written: it can't be complete."""
        aborted = self._coordinator.decline(pending, reason)
        if isinstance(aborted, AbortedCheckpoint):
            self._on_abort(aborted)

    def _on_abort(self, aborted: AbortedCheckpoint) -> None:
        self.notices.append(Notice(aborted.checkpoint_id, completed=False))
        in_a_row, tolerated = self._coordinator.failures_in_a_row, self._coordinator.settings.tolerable_failures
        if aborted.counts and in_a_row > tolerated:
            message = (
                f"checkpoint {aborted.checkpoint_id} failed: {aborted.reason}. That is {in_a_row} in a row, "
                f"{tolerated} are tolerated (execution.checkpointing.tolerable-failed-checkpoints)"
            )
            raise JobExecutionError(message)

    def _on_complete(self, done: CompletedCheckpoint, version: JobVersion) -> bool:
        """Commit and tell; True when the job ends with this savepoint."""
        number, kind = done.metadata.checkpoint_id, done.metadata.kind
        log.log(
            logging.DEBUG if done.request is None else logging.INFO, "%s %d is complete: %s", kind, number, done.path
        )
        if done.request is not None and not done.request.stop:
            # A savepoint in passing has no side effects: sinks and functions hear of checkpoints only.
            done.request.promise.complete(done.path)
            return False
        self._commits.commit(version.commit_up_to(done.commits_up_to), number)
        reach("notify.before")
        self.notices.append(Notice(number, completed=True))
        for enumerator in version.enumerators.values():
            tell = getattr(enumerator, "notify_checkpoint_complete", None)
            if tell is not None:
                tell(number)
        reach("notify.after")
        return done.request is not None


def somebody_listens(plan: EpochPlan) -> bool:
    """Say whether any function of a job wants to be told what becomes of checkpoints."""
    functions = (getattr(member.operator, "function", None) for vertex in plan.vertices for member in vertex.chain)
    return any(
        hasattr(inside, "notify_checkpoint_complete") or hasattr(inside, "notify_checkpoint_aborted")
        for function in functions
        for inside in functions_inside(function)
    )
