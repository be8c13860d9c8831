"""The head of a source's chain: reads what the driver planned, stamps it, and keeps event time per split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.errors import FlottError
from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.operator import Operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.batch import Batch
    from flott.runtime.source import Source, SplitRead


class SourceOperator(Operator):
    """Reads splits. With a watermark strategy, each split has its own generator; the slowest one counts."""

    def __init__(self, source: Source, strategy: Any = None) -> None:
        self.source = source
        self.strategy = strategy
        self.ended = False
        self.records = 0

    def restore(self, carried: Any) -> None:
        self.ended = bool(carried)
        self.records = 0

    def snapshot(self) -> Any:
        return self.ended

    def process(self, batch: Batch) -> None:
        self.records += len(batch.values)
        self.output.emit(batch)

    def run(self, reads: tuple[SplitRead, ...], *, ended: bool) -> Iterator[None]:
        """Read what was planned; gives way to the caller after each batch."""
        for read in reads:
            batches = self.source.read(read)
            while True:
                try:
                    batch = next(batches, None)
                except (OSError, FlottError):
                    raise
                except Exception as error:
                    raise self.failure(error, f"of split {read.split}, positions {read.start} to {read.end}") from None
                if batch is None:
                    break
                self.process(batch)
                yield
        if ended and not self.ended:
            self.ended = True
            self.output.emit_watermark(MAX_WATERMARK)
            yield
