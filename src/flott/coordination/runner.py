"""The seam between the driver's loop and whatever executes an epoch: Spark, or the in-process cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from flott.runtime.reports import EpochOrder, TaskReport
    from flott.runtime.task_activity import TaskActivity


class EpochRunner(Protocol):
    """Runs epochs of one job."""

    def run(self, order: EpochOrder) -> list[TaskReport]:
        """Run one epoch to its end and return the reports of the attempts that count.

        Raises EpochFailedError when it could not be completed; then nothing of it counts. Raises RunnerLostError when
        no epoch can be completed here any more.
        """

    def activities(self) -> list[TaskActivity]:
        """Return what tasks work on, as far as that is known; from another thread, while an epoch takes long.

        Those of earlier epochs may be among them.
        """

    def cancel(self) -> None:
        """Stop the epoch that is running, from another thread; ``run`` then raises EpochFailedError."""

    def kill(self) -> None:
        """Kill what works on the epoch and ignored ``cancel``, if it is in processes of its own."""

    def discard(self, names: list[str]) -> None:
        """Remove state files that no version needs any more; called from a thread beside the loop."""

    def close_functions(self) -> None:
        """Call ``close()`` of the job's functions, where the runner can reach them; called once, when the job is over.

        All are closed; then the first error is raised.
        """

    def close(self, keep: set[str] | None = None, *, fenced: bool = False) -> None:
        """Release everything. State goes with it, but for the files that checkpoints need which outlive the job.

        ``fenced``: the job's files may be another driver's, and so may its working stores on this machine; nothing that
        it may share is removed.
        """
