"""The user's handle on a job that runs in this driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common import CompletableFuture, JobClient
from flott.common.options import CheckpointingOptions
from flott.connectors.paths import absolute
from flott.coordination.checkpoints.requests import SavepointRequest
from flott.errors import CheckpointError
from flott.runtime.storage import open_storage

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
        """Take a savepoint and end the job; the answer is where it is, once the job has ended.

        Args:
            advance_to_end_of_event_time: Drain the job: let all windows and timers fire before. Only for a job that
                will not go on from the savepoint.
            savepoint_directory: Where it goes; by default where the configuration says.
        """
        return self._savepoint(savepoint_directory, stop=True, drain=advance_to_end_of_event_time)

    def trigger_savepoint(self, savepoint_directory: str | None = None) -> CompletableFuture[str]:
        """Take a savepoint while the job goes on; the answer is where it is."""
        return self._savepoint(savepoint_directory)

    def _savepoint(self, directory: str | None, *, stop: bool = False, drain: bool = False) -> CompletableFuture[str]:
        place = directory or self.master.checkpoints.settings.savepoint_directory
        if place is None:
            option = CheckpointingOptions.SAVEPOINT_DIRECTORY.key
            message = f"where should the savepoint go? Give a directory, or set {option}"
            return CompletableFuture.failed_future(CheckpointError(message))
        try:
            open_storage(absolute(place))
        except Exception as error:  # noqa: BLE001 - whatever the file system's client raises
            message = f"a savepoint can't be written to '{place}': {error}. The job goes on"
            return CompletableFuture.failed_future(CheckpointError(message))
        return self.master.ask_for_savepoint(SavepointRequest(absolute(place), stop=stop, drain=drain))

    def get_accumulators(self) -> CompletableFuture[dict[str, Any]]:
        """Ask for what the job's counters hold."""
        return CompletableFuture.completed_future(dict(self.master.counts))

    def get_job_execution_result(self) -> CompletableFuture[JobExecutionResult]:
        """Ask for the result of the job; done when the job is."""
        return self.master.result
