"""What every source and every sink is: subclass these to bring your own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.common.typeinfo import TypeInformation
    from flott.runtime.batch import Batch
    from flott.runtime.operators.commit_requests import CommitRequest
    from flott.runtime.operators.sinks import WriteContext, WriterInitContext
    from flott.runtime.source import Enumerator, SplitRead

BATCH_SIZE = 4_096
"""How many records a source hands on at once: what a chain makes of them fits into a processor's cache."""


class Source(ABC):
    """A replayable input. The driver plans what each epoch reads; the tasks read exactly that.

    A source is pickled into the plan, so it holds what it takes to read, but no open file or connection.
    """

    fresh_batches: ClassVar[bool] = False
    """Whether ``read`` makes a new list for each batch and keeps nothing of it: fewer records are then copied."""

    @abstractmethod
    def is_bounded(self) -> bool:
        """Say whether the input ends by itself."""

    @abstractmethod
    def create_enumerator(self, parallelism: int) -> Enumerator:
        """In the driver: return what knows the splits of this input and how far each was read."""

    @abstractmethod
    def read(self, read: SplitRead) -> Iterator[Batch]:
        """In a task: give out the records of one planned read, in order; the same ones however often it is asked."""

    def get_produced_type(self) -> TypeInformation | None:
        """Return the type of the records, if the source knows it."""
        return None


class SinkWriter(ABC):
    """Writes the records of one subtask.

    With a method ``write_batch(batch)`` it gets them in batches, which is faster.
    """

    @abstractmethod
    def write(self, element: Any, context: WriteContext) -> None:
        """Write one record."""

    def flush(self, end_of_input: bool) -> None:  # noqa: B027 - most need none
        """At the end of every epoch: write out what is held back."""

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Release what is held; what was written since the last epoch ended does not count."""


class CommittingSinkWriter(SinkWriter):
    """A writer whose output shows only when a Committer has made it visible."""

    @abstractmethod
    def prepare_commit(self) -> list[Any]:
        """At the end of every epoch, after ``flush``: return what a Committer needs to show what was written."""


class StatefulSinkWriter(SinkWriter):
    """A writer with state of its own; its sink has ``restore_writer``."""

    @abstractmethod
    def snapshot_state(self, checkpoint_id: int) -> list[Any]:
        """At the end of every epoch: return the state, in pieces that may go to different subtasks one day."""


class Committer(ABC):
    """Makes visible what writers prepared. Lives in the driver."""

    @abstractmethod
    def commit(self, requests: list[CommitRequest]) -> None:
        """Commit what is asked for. After a failure it is asked again: doing it twice must change nothing."""

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Release what is held."""


class Sink(ABC):
    """An output. Tasks write; what must show only once it counts is committed by the driver, see SupportsCommitter."""

    @abstractmethod
    def create_writer(self, context: WriterInitContext) -> SinkWriter:
        """In a task: return a writer."""


class SupportsWriterState(ABC):
    """A sink whose writers have state."""

    @abstractmethod
    def restore_writer(self, context: WriterInitContext, recovered_state: list[Any]) -> StatefulSinkWriter:
        """In a task: return a writer that goes on from state; that of several writers, if the job was rescaled."""


class SupportsCommitter(ABC):
    """A sink whose output shows once a checkpoint is complete; without checkpoints, once the epoch is."""

    @abstractmethod
    def create_committer(self) -> Committer:
        """In the driver: return what commits."""

    def make_durable(self, committables: list[Any], *, committed: bool) -> None:  # noqa: B027 - most need nothing
        """In the driver: see to it that output survives a power failure.

        Called before a checkpoint names committables, and again when they are committed, before the next checkpoint.
        """

    def abort_stale(self, scope: SinkScope, kept: list[Any]) -> None:  # noqa: B027 - not all leave something
        """In the driver, when the job starts or ends: undo what writers of this sink left that nobody will commit.

        Args:
            scope: Whose output it is; another job may use the same sink.
            kept: What is still to be committed: not to be touched.
        """


@dataclass(frozen=True, slots=True)
class SinkScope:
    """One sink of one job: writers know the same from their context."""

    job_id: str
    operator_id: str
    owner: int = 1
    """The number of the job's driver, which its writers know as ``context.get_owner()``. Put it into names: a driver
    that was replaced and does not know it must not undo what its successor's writers left, so undo only what has this
    number or a lower one."""


class DeliveryGuarantee(Enum):
    """How often a record may show in a sink's output, failures included."""

    EXACTLY_ONCE = 0
    """Once, whatever fails."""

    AT_LEAST_ONCE = 1
    """Once, or several times after a failure."""

    NONE = 2
    """Usually once; after a failure, some never and some twice."""
