"""A sink that throws everything away: for benchmarks, and for jobs that only have side effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.connectors.base import Sink, SinkWriter

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.runtime.operators.sinks import WriteContext, WriterInitContext


class DiscardingSink(Sink):
    """Throws every record away.

    >>> writer = DiscardingSink().create_writer(None)
    >>> writer.write("anything", None)
    """

    def create_writer(self, context: WriterInitContext) -> DiscardingWriter:
        return DiscardingWriter()


class DiscardingWriter(SinkWriter):
    """Takes whole batches, since it looks at none of the records."""

    def write(self, element: Any, context: WriteContext) -> None:
        """Throw one record away."""

    def write_batch(self, batch: Batch) -> None:
        """Throw many records away."""
