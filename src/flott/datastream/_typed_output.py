"""Lets what an operator emits have the shape that its declared type promises."""

from __future__ import annotations

from operator import length_hint
from typing import TYPE_CHECKING, Any

from flott.datastream._typed_values import shape_of
from flott.errors import FlottError
from flott.runtime.batch import Batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.common.typeinfo import TypeInformation
    from flott.runtime.context import OperatorContext
    from flott.runtime.operator import Operator, Output

__all__ = ["emit_as"]


def emit_as(operator: Operator, type_info: TypeInformation) -> Operator:
    """Make an operator emit values of a type; one whose values need no shaping stays untouched."""
    if shape_of(type_info) is not None:
        # Of this one object only: the chain sets it up with an output of ours around its own.
        operator.setup = TypedSetup(operator, type_info)  # type: ignore[method-assign]
    return operator


class TypedSetup:
    """Sets an operator up with an output that shapes values; the shape is worked out in the worker."""

    def __init__(self, operator: Operator, type_info: TypeInformation) -> None:
        self.operator = operator
        self.type_info = type_info

    def __call__(self, context: OperatorContext, output: Output) -> None:
        shape = shape_of(self.type_info)
        operator = self.operator
        type(operator).setup(operator, context, output if shape is None else TypedOutput(context.title, output, shape))


class TypedOutput:
    """An output that shapes the values of the main stream on their way."""

    def __init__(self, title: str, output: Output, shape: Callable[[Any], Any]) -> None:
        self.title = title
        self.output = output
        self.shape = shape
        self.emit_side = output.emit_side
        self.emit_watermark = output.emit_watermark
        self.emit_status = output.emit_status

    def emit(self, batch: Batch) -> None:
        """Hand on records, each in its shape; those in columns have it already."""
        if batch.columnar:
            self.output.emit(batch)
            return
        records = iter(batch.values)
        try:
            values = list(map(self.shape, records))
        except (ValueError, TypeError) as error:
            wrong = batch.values[len(batch) - length_hint(records) - 1]
            raise FlottError(
                f"{self.title}: its result {wrong!r:.200} is not what was declared: {error}. Return such values, or "
                "declare output_type=... as they are"
            ) from None
        self.output.emit(Batch(values, batch.stamps))
