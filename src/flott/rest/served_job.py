"""A job as the REST API sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flott.coordination.client import DriverJobClient
from flott.rest.audience import Audience

if TYPE_CHECKING:
    from flott.common import CompletableFuture, Configuration
    from flott.coordination.job_master import JobMaster
    from flott.coordination.progress import JobProgress
    from flott.metrics.job_metrics import JobMetrics
    from flott.runtime.plan import EpochPlan, VertexSpec


@dataclass(frozen=True, slots=True)
class ServedJob:
    """A job of this driver, with its settings and what was asked of it through the API."""

    master: JobMaster
    configuration: Configuration
    savepoints: dict[str, CompletableFuture[str]] = field(default_factory=dict)
    """Savepoints that were asked for, by the number of the request."""
    audience: Audience = field(default_factory=Audience)

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.master.job_id)

    @property
    def plan(self) -> EpochPlan:
        """How it runs."""
        return self.master.plan

    @property
    def progress(self) -> JobProgress:
        """How far it is."""
        return self.master.progress

    @property
    def metrics(self) -> JobMetrics:
        """What it measures."""
        return self.master.metrics

    @property
    def client(self) -> DriverJobClient:
        """The handle that steers it."""
        return DriverJobClient(self.master)

    def vertex(self, vertex_id: str) -> VertexSpec | None:
        """Return the vertex of that id."""
        return next((vertex for vertex in self.plan.vertices if vertex.id == vertex_id), None)
