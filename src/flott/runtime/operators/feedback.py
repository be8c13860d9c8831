"""The two ends of a loop: its head gives out what its tail took in the epoch before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.errors import FlottError
from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.blocks import Segment, encode_block
from flott.runtime.operator import Operator
from flott.runtime.operators.source import SourceOperator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.batch import Batch
    from flott.runtime.source import SplitRead


class FeedbackHead(SourceOperator):
    """Gives out what came back. It never holds event time back: a loop must not wait for itself."""

    told = False

    def restore(self, carried: Any) -> None:
        super().restore(carried)
        self.told = carried is not None

    def run(self, reads: tuple[SplitRead, ...], *, ended: bool) -> Iterator[None]:
        if not self.told:
            self.output.emit_watermark(MAX_WATERMARK)
        yield from super().run(reads, ended=ended)


class FeedbackTail(Operator):
    """Takes what goes back, timestamps included, and sends it to the driver at the end of the epoch."""

    at_checkpoint = False

    def __init__(self, receive: Callable[[int, int, bytes], None]) -> None:
        self.receive: Callable[[int, int, bytes], None] | None = receive
        self._segments: list[Segment] = []

    def __getstate__(self) -> dict[str, Any]:
        # The receiver is the driver's; tasks only gather.
        return {"receive": None, "_segments": []}

    def restore(self, carried: Any) -> None:
        self._segments = []

    def process(self, batch: Batch) -> None:
        if len(batch):
            self._segments.append(Segment(batch, None) if batch.columnar else Segment(batch.values, batch.stamps))

    def take(self) -> bytes | None:
        """In the task: return what goes back."""
        return encode_block(self._segments, None, self._unpicklable) if self._segments else None

    def deliver(self, subtask: int, parallelism: int, payload: bytes) -> None:
        """In the driver: keep what goes back for the next epoch."""
        if self.receive is not None:
            self.receive(subtask, parallelism, payload)

    def _unpicklable(self, error: BaseException) -> FlottError:
        return FlottError(
            f"{self.context.title}: a record that goes back into the iteration can't be pickled: {error}. "
            "Feed back plain values, Rows, or objects of importable classes."
        )
