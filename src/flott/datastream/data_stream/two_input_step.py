"""Adds an operator behind two streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.datastream._typed_output import typed_records
from flott.datastream.data_stream.keyed import KeyedStream
from flott.datastream.data_stream.stream import DataStream
from flott.graph.transformations import PhysicalTransformation

if TYPE_CHECKING:
    from flott.common.typeinfo import TypeInformation
    from flott.runtime.operator import MultiInputOperator

__all__ = ["apply_to_both"]


def apply_to_both(
    stream1: DataStream,
    stream2: DataStream,
    name: str,
    operator: MultiInputOperator,
    output_type: TypeInformation,
    *,
    keyed: tuple[bool, bool] = (False, False),
) -> DataStream:
    """Return what an operator makes of two streams; ``keyed`` says whose keys it keeps state for."""
    environment = stream1.get_execution_environment()
    selectors = [
        stream.get_key_selector() if by_key and isinstance(stream, KeyedStream) else None
        for stream, by_key in zip((stream1, stream2), keyed, strict=True)
    ]
    inputs = (stream1._transformation, stream2._transformation)  # noqa: SLF001 - streams are made of steps
    step = PhysicalTransformation(
        id=environment.steps.next_id(),
        name=name,
        inputs=inputs,
        output_type=output_type,
        operator=operator,
        typed=typed_records(output_type),
        key_selectors=tuple(selectors) if any(keyed) else (),
    )
    environment.steps.register(step)
    return DataStream(environment, step)
