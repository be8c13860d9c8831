"""A sink that throws everything away: for benchmarks, and for jobs that only have side effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.connectors.base import Sink

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.runtime.context import OperatorContext


class DiscardingSink(Sink):
    """Throws every record away.

    >>> writer = DiscardingSink().create_writer(None)
    >>> writer.write("anything", None)
    >>> writer.prepare_commit()
    """

    def create_writer(self, context: OperatorContext) -> DiscardingWriter:
        return DiscardingWriter()

    def commit(self, committables: list[Any]) -> None:
        """Nothing was written."""


class DiscardingWriter:
    """Takes whole batches, since it looks at none of the records."""

    def write(self, value: Any, timestamp: int | None) -> None:
        """Throw one record away."""

    def write_batch(self, batch: Batch) -> None:
        """Throw many records away."""

    def prepare_commit(self) -> None:
        """There is nothing to commit."""

    def abort(self) -> None:
        """There is nothing to undo."""
