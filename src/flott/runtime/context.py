"""What an operator, and through it a user's function, can see of its surroundings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flott.errors import StateAccessError
from flott.runtime.emission import emission
from flott.runtime.metric_group import MetricGroup
from flott.runtime.state.access import StateAccess

if TYPE_CHECKING:
    from flott.runtime.clock import Clock
    from flott.runtime.emission import Emission
    from flott.runtime.state.backend import KeyedBackend


@dataclass(slots=True)
class OperatorContext:
    """The surroundings of one operator in one subtask."""

    name: str
    operator_id: str
    uid: str | None
    subtask: int
    parallelism: int
    max_parallelism: int
    clock: Clock
    backend: KeyedBackend | None = None
    """Keyed state; None when the operator's input is not keyed."""
    task_name: str = ""
    attempt: int = 0
    parameters: dict[str, str] = field(default_factory=dict)
    metrics: MetricGroup = field(default_factory=MetricGroup)
    auto_watermark_interval: int = 200
    job_id: str = ""
    owner: int = 1
    """The number of the job's driver: names of what is written carry it."""
    apart: bool = False
    """The job was started beside others of its name."""
    snapshot: int = 0
    """The checkpoint that will hold what this epoch does."""
    object_reuse: bool = False
    """Whether records are handed on as the objects that functions returned, without copies."""

    @property
    def title(self) -> str:
        """The operator as error messages name it."""
        return f"operator '{self.name}'" + (f" (uid={self.uid})" if self.uid else "")

    @property
    def emission(self) -> Emission:
        """What operators do with what a function returns, before the function goes on."""
        return emission(object_reuse=self.object_reuse)

    def keyed(self, what: str) -> KeyedBackend:
        """Return the keyed state backend, or say why there is none."""
        if self.backend is None:
            message = (
                f"{self.title}: {what} is keyed state, and the stream is not keyed. "
                f"Call key_by(...) before this operator, or use operator state."
            )
            raise StateAccessError(message)
        return self.backend


class RuntimeContext(StateAccess):
    """What ``open(runtime_context)`` gets: where the function runs, and its state."""

    def __init__(self, context: OperatorContext) -> None:
        self._context = context

    # Where this function runs

    def get_task_name(self) -> str:
        """Return the name of the task this function runs in."""
        return self._context.task_name or self._context.name

    def get_task_name_with_subtasks(self) -> str:
        """Return the task's name with the subtask's number, counted from 1, and the parallelism."""
        context = self._context
        return f"{self.get_task_name()} ({context.subtask + 1}/{context.parallelism})"

    def get_number_of_parallel_subtasks(self) -> int:
        """Return the parallelism of this operator."""
        return self._context.parallelism

    def get_max_number_of_parallel_subtasks(self) -> int:
        """Return the number of key groups, beyond which the operator can't be scaled."""
        return self._context.max_parallelism

    def get_index_of_this_subtask(self) -> int:
        """Return this subtask's number, from 0."""
        return self._context.subtask

    def get_attempt_number(self) -> int:
        """Return how often this subtask was started before."""
        return self._context.attempt

    def get_job_parameter(self, key: str, default_value: str) -> str:
        """Return a job parameter (``pipeline.global-job-parameters``)."""
        return self._context.parameters.get(key, default_value)

    def get_metrics_group(self) -> MetricGroup:
        """Return the group in which this function registers its metrics."""
        return self._context.metrics

    get_metric_group = get_metrics_group

    def _states_of(self, what: str) -> tuple[KeyedBackend, Clock]:
        return self._context.keyed(what), self._context.clock
