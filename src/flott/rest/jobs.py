"""The jobs that a REST server serves."""

from __future__ import annotations

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING

from flott.rest.http import RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flott.rest.access import Access
    from flott.rest.served_job import ServedJob
    from flott.rest.settings import RestSettings
    from flott.runtime.plan import VertexSpec


REMEMBERED = 50


@dataclass(slots=True)
class Jobs:
    """All jobs that this driver has had since the server started."""

    settings: RestSettings
    access: Access
    by_id: dict[str, ServedJob] = field(default_factory=dict)

    def add(self, job: ServedJob) -> None:
        """Serve one more; of those that are over, the latest are remembered."""
        over = [one.id for one in self.by_id.values() if one.master.status.is_terminal_state()]
        for job_id in over[: max(0, len(over) - REMEMBERED)]:
            del self.by_id[job_id]
        self.by_id[job.id] = job

    def all(self) -> list[ServedJob]:
        """Return them, oldest first."""
        return list(self.by_id.values())

    def job(self, path: Mapping[str, str]) -> ServedJob:
        """Return the job that a path names."""
        job = self.by_id.get(path["jid"])
        if job is None:
            raise RefusedError(HTTPStatus.NOT_FOUND, f"there is no job {path['jid']} here; GET /jobs lists all")
        return job

    def vertex(self, path: Mapping[str, str]) -> tuple[ServedJob, VertexSpec]:
        """Return the job and the vertex that a path names."""
        job = self.job(path)
        vertex = job.vertex(path["vid"])
        if vertex is None:
            message = f"job '{job.plan.job_name}' has no vertex {path['vid']}; GET /jobs/{job.id} lists all"
            raise RefusedError(HTTPStatus.NOT_FOUND, message)
        return job, vertex
