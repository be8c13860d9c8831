"""The user's handle on a job that runs in this driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common import CompletableFuture, JobClient
from flott.errors import FlottError

if TYPE_CHECKING:
    from flott.common import JobExecutionResult, JobID, JobStatus
    from flott.coordination.job_master import JobMaster


class DriverJobClient(JobClient):
    """Asks the job's own driver loop, which lives in this process."""

    def __init__(self, master: JobMaster) -> None:
        self.master = master

    def get_job_id(self) -> JobID:
        """Return the id of the job."""
        return self.master.job_id

    def get_job_status(self) -> CompletableFuture[JobStatus]:
        """Ask where the job stands."""
        return CompletableFuture.completed_future(self.master.status)

    def cancel(self) -> CompletableFuture[None]:
        """Cancel the job; done when it is cancelled."""
        done: CompletableFuture[None] = CompletableFuture()
        self.master.result.add_done_callback(lambda _: done.complete(None))
        self.master.cancel()
        return done

    def stop_with_savepoint(
        self,
        advance_to_end_of_event_time: bool,
        savepoint_directory: str | None = None,
    ) -> CompletableFuture[str]:
        """Savepoints are not there yet: says so."""
        return no_savepoints()

    def trigger_savepoint(self, savepoint_directory: str | None = None) -> CompletableFuture[str]:
        """Savepoints are not there yet: says so."""
        return no_savepoints()

    def get_accumulators(self) -> CompletableFuture[dict[str, Any]]:
        """Ask for what the job's counters hold."""
        return CompletableFuture.completed_future(dict(self.master.counts))

    def get_job_execution_result(self) -> CompletableFuture[JobExecutionResult]:
        """Ask for the result of the job; done when the job is."""
        return self.master.result


def no_savepoints() -> CompletableFuture[str]:
    """Answer a request for a savepoint."""
    answer: CompletableFuture[str] = CompletableFuture()
    answer.complete_exceptionally(
        FlottError("this version of Flott takes no savepoints yet; cancel the job with JobClient.cancel()")
    )
    return answer
