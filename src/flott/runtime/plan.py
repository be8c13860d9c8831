"""The epoch plan as data: what the driver lays out once and every task looks itself up in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flott.runtime.operator import Operator
    from flott.runtime.partitioners import Partitioner
    from flott.runtime.typed_output import TypedRecords


@dataclass(frozen=True, slots=True)
class ChainedOperator:
    """An operator at its place in a chain.

    ``parent`` is the position in the chain of the operator that feeds it (-1 for the head) and ``tag`` the side
    output of the parent it listens to (None for the main output).
    """

    operator: Operator
    operator_id: str
    name: str
    uid: str | None
    parent: int = -1
    tag: str | None = None
    typed: TypedRecords | None = None

    @property
    def title(self) -> str:
        """The operator as error messages name it."""
        return f"operator '{self.name}'" + (f" (uid={self.uid})" if self.uid else "")


@dataclass(frozen=True, slots=True)
class VertexSpec:
    """A chain of operators that runs as ``parallelism`` subtasks, all in one level."""

    index: int
    name: str
    chain: tuple[ChainedOperator, ...]
    parallelism: int
    max_parallelism: int
    level: int
    first_partition: int
    """The Spark partition of subtask 0 within the level."""
    max_parallelism_is_set: bool = False
    """The program asks for this number of key groups; else a restored job takes that of its state."""

    @property
    def id(self) -> str:
        """The vertex's id: that of the operator at its head."""
        return self.chain[0].operator_id


@dataclass(frozen=True, slots=True)
class EdgeSpec:
    """An exchange between two vertices. Channel ``first_channel + i`` is upstream subtask *i* of this edge."""

    index: int
    source: int
    source_position: int
    """Position in the source's chain of the operator whose output goes out here."""
    target: int
    input_index: int
    partitioner: Partitioner
    tag: str | None
    first_channel: int


@dataclass(frozen=True, slots=True)
class LevelSpec:
    """The vertices that share one ``mapInArrow`` stage."""

    index: int
    vertices: tuple[int, ...]
    partitions: int


@dataclass(frozen=True, slots=True)
class EpochPlan:
    """How one epoch of the job runs: levels of vertices, edges between them."""

    job_name: str
    vertices: tuple[VertexSpec, ...]
    edges: tuple[EdgeSpec, ...]
    levels: tuple[LevelSpec, ...]
    parameters: dict[str, str] = field(default_factory=dict)
    """What user functions read with ``get_job_parameter``."""
    auto_watermark_interval: int = 200
    """Milliseconds; 0 turns periodic watermarks off."""
    object_reuse: bool = False
    """Whether operators hand on the objects that functions returned, without copies."""
    job_id: str = ""
    owner: int = 1
    """The number of the driver among those of the job: names of files carry it."""
    apart: bool = False
    """The job was started beside others of its name: its transactional ids are its own."""

    def vertex_at(self, level: int, partition: int) -> tuple[VertexSpec, int]:
        """Return the vertex that a Spark partition of a level belongs to, and the subtask's index."""
        for index in self.levels[level].vertices:
            vertex = self.vertices[index]
            subtask = partition - vertex.first_partition
            if 0 <= subtask < vertex.parallelism:
                return vertex, subtask
        message = f"level {level} has no partition {partition}"
        raise IndexError(message)

    def inputs_of(self, vertex: VertexSpec) -> list[EdgeSpec]:
        """Return the edges into a vertex."""
        return [edge for edge in self.edges if edge.target == vertex.index]

    def outputs_of(self, vertex: VertexSpec) -> list[EdgeSpec]:
        """Return the edges out of a vertex."""
        return [edge for edge in self.edges if edge.source == vertex.index]
