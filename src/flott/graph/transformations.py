"""The program as the user wrote it: one transformation per call, each pointing at its inputs.

Physical transformations become running operators. Virtual ones (partitioning, union, side output) never do;
what they say ends up on the edges of the stream graph.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.common.typeinfo import TypeInformation
    from flott.runtime.operator import Operator
    from flott.runtime.partitioners import Partitioner
    from flott.runtime.source import Source
    from flott.runtime.typed_output import TypedRecords

DEFAULT_SLOT_SHARING_GROUP = "default"


class ChainingStrategy(Enum):
    """Whether an operator may share a task with its neighbours."""

    ALWAYS = "ALWAYS"
    HEAD = "HEAD"
    NEVER = "NEVER"


@dataclass(slots=True, eq=False, kw_only=True)
class Transformation:
    """A step of the program. Identity matters, not content: two equal maps are two steps."""

    id: int
    name: str
    inputs: tuple[Transformation, ...] = ()
    output_type: TypeInformation | None = None
    parallelism: int | None = None
    """None: the environment's."""

    @property
    def label(self) -> str:
        """What error messages call this step."""
        return f"step '{self.name}'"


@dataclass(slots=True, eq=False, kw_only=True)
class PhysicalTransformation(Transformation):
    """A step that becomes an operator: one with no input is a source, with two inputs a two-input operator."""

    operator: Operator
    """The operator, not yet opened; it is pickled into the plan and unpickled once per subtask."""
    typed: TypedRecords | None = None
    """Gives what the operator emits the shape of the declared type; None if it needs none, or does so itself."""
    max_parallelism: int | None = None
    uid: str | None = None
    uid_hash: str | None = None
    description: str | None = None
    slot_sharing_group: str | None = None
    """None: taken from the inputs."""
    buffer_timeout: int | None = None
    chaining: ChainingStrategy = ChainingStrategy.ALWAYS
    key_selectors: tuple[Callable[[Any], Any] | None, ...] = ()
    """Per input: how the key is taken from a record, when the input is keyed."""
    source: Source | None = None
    """Set on sources only: what the driver plans epochs with."""
    is_sink: bool = False
    parallelism_fixed: bool = False
    """True for operators that can only run with parallelism 1 (window_all and the like)."""

    @property
    def label(self) -> str:
        """What error messages call this operator: its name and its uid."""
        uid = f"uid={self.uid}" if self.uid is not None else "no uid"
        return f"operator '{self.name}' ({uid})"

    @property
    def is_source(self) -> bool:
        """Whether this is where data enters the job."""
        return self.source is not None


@dataclass(slots=True, eq=False, kw_only=True)
class PartitionTransformation(Transformation):
    """Virtual: says how records of its input are spread over the next operator's subtasks."""

    partitioner: Partitioner


@dataclass(slots=True, eq=False, kw_only=True)
class UnionTransformation(Transformation):
    """Virtual: several streams of one type as one."""


@dataclass(slots=True, eq=False, kw_only=True)
class SideOutputTransformation(Transformation):
    """Virtual: the records that its input sent to one side output."""

    tag: str


@dataclass(slots=True, kw_only=True)
class Program:
    """All that a user's program says: the steps, and the settings that shape the graph."""

    name: str
    transformations: list[PhysicalTransformation] = field(default_factory=list)
    parallelism: int = 1
    max_parallelism: int | None = None
    chaining_enabled: bool = True
    auto_generated_uids: bool = True
    buffer_timeout: int = 100
    parameters: dict[str, str] = field(default_factory=dict)
