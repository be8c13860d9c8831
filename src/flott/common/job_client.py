"""The handle on a job that was submitted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flott.common.completable_future import CompletableFuture
    from flott.common.job_execution_result import JobExecutionResult
    from flott.common.job_id import JobID
    from flott.common.job_status import JobStatus

__all__ = ["JobClient"]


class JobClient(ABC):
    """Watches and steers one job; `execute_async` returns one.

    Every question is answered by a future, so that asking never blocks:

        client = env.execute_async("orders")
        client.get_job_status().result()   # JobStatus.RUNNING
        client.cancel().result()
    """

    @abstractmethod
    def get_job_id(self) -> JobID:
        """Returns the id of the job."""

    @abstractmethod
    def get_job_status(self) -> CompletableFuture[JobStatus]:
        """Asks where the job stands."""

    @abstractmethod
    def cancel(self) -> CompletableFuture[None]:
        """Cancels the job; done when it is cancelled."""

    @abstractmethod
    def stop_with_savepoint(
        self, advance_to_end_of_event_time: bool, savepoint_directory: str | None = None
    ) -> CompletableFuture[str]:
        """Stops the sources, takes a savepoint and ends the job; the answer is the savepoint's path.

        Args:
            advance_to_end_of_event_time: Whether to send the last watermark first, so that all
                windows and timers fire; then the job can't be continued from the savepoint.
            savepoint_directory: Where to put the savepoint; by default where the configuration says.
        """

    @abstractmethod
    def trigger_savepoint(self, savepoint_directory: str | None = None) -> CompletableFuture[str]:
        """Takes a savepoint while the job goes on; the answer is the savepoint's path."""

    @abstractmethod
    def get_accumulators(self) -> CompletableFuture[dict[str, Any]]:
        """Asks for the values of the job's accumulators, while it runs or afterwards."""

    @abstractmethod
    def get_job_execution_result(self) -> CompletableFuture[JobExecutionResult]:
        """Asks for the result of the job; done when the job is."""
