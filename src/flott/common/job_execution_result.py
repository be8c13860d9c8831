"""What is left of a job when it is over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flott.common.job_id import JobID

__all__ = ["JobExecutionResult"]


@dataclass(frozen=True, slots=True)
class JobExecutionResult:
    """How long a job ran, and what its accumulators hold.

    >>> from flott.common import JobID
    >>> result = JobExecutionResult(JobID(), 1200, {"lines": 7})
    >>> result.get_net_runtime(), result.get_accumulator_result("lines")
    (1200, 7)
    """

    job_id: JobID
    net_runtime: int
    """In milliseconds."""
    accumulators: Mapping[str, Any] = field(default_factory=dict)

    def get_job_id(self) -> JobID:
        """Returns the id of the job."""
        return self.job_id

    def get_net_runtime(self) -> int:
        """Returns how long the job ran, in milliseconds."""
        return self.net_runtime

    def get_accumulator_result(self, accumulator_name: str) -> Any:
        """Returns the value of an accumulator, or None if the job made none of that name."""
        return self.accumulators.get(accumulator_name)

    def get_all_accumulator_results(self) -> dict[str, Any]:
        """Returns the values of all accumulators by their names."""
        return dict(self.accumulators)

    def __str__(self) -> str:
        lines = [f"Job {self.job_id} finished after {self.net_runtime} ms"]
        lines += [f"- {name}: {value}" for name, value in sorted(self.accumulators.items())]
        return "\n".join(lines)
