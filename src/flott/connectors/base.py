"""What every source and every sink is: subclass these to bring your own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.common.typeinfo import TypeInformation
    from flott.runtime.batch import Batch
    from flott.runtime.context import OperatorContext
    from flott.runtime.operators.sinks import SinkWriter
    from flott.runtime.source import Enumerator, SplitRead

BATCH_SIZE = 16_384
"""How many records a source hands on at once."""


class Source(ABC):
    """A replayable input. The driver plans what each epoch reads; the tasks read exactly that.

    A source is pickled into the plan, so it holds what it takes to read, but no open file or connection.
    """

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


class Sink(ABC):
    """An output that shows only what counts: tasks write, and the driver commits once the epoch is complete."""

    @abstractmethod
    def create_writer(self, context: OperatorContext) -> SinkWriter:
        """In a task: return a writer for one epoch."""

    @abstractmethod
    def commit(self, committables: list[Any]) -> None:
        """In the driver: make visible what writers prepared; doing it twice must change nothing."""


class DeliveryGuarantee(Enum):
    """How often a record may show in a sink's output, failures included."""

    EXACTLY_ONCE = 0
    """Once, whatever fails."""

    AT_LEAST_ONCE = 1
    """Once, or several times after a failure."""

    NONE = 2
    """Usually once; after a failure, some never and some twice."""
