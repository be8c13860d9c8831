"""An output for records whose type was declared: each gets the shape of the type on its way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.batch import Batch
    from flott.runtime.operator import Output


class TypedRecords(Protocol):
    """What is declared of records, on its way to the worker."""

    def shaper(self, title: str) -> Callable[[Batch], Batch]:
        """Return what gives batches that shape; ``title`` names the operator in errors."""


class TypedOutput:
    """An output that shapes the records of the main stream."""

    def __init__(self, title: str, output: Output, typed: TypedRecords) -> None:
        self.output = output
        self.shaped = typed.shaper(title)
        self.emit_side = output.emit_side
        self.emit_watermark = output.emit_watermark
        self.emit_status = output.emit_status

    def emit(self, batch: Batch) -> None:
        """Hand on records, each in its shape."""
        self.output.emit(self.shaped(batch))
