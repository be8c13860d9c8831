"""What is different when a program runs as a batch: rolling aggregates tell only their last value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.datastream._typed_output import emit_as
from flott.datastream.data_stream.folding import FinalFold, RollingFold
from flott.datastream.data_stream.keyed_functions import FinalReduce
from flott.datastream.execution_mode import RuntimeExecutionMode
from flott.errors import GraphError
from flott.graph.transformations import PhysicalTransformation
from flott.runtime.operators.keyed_process import KeyedProcess
from flott.runtime.operators.rolling import RollingReduce

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.graph.transformations import Transformation

__all__ = ["adapt_to_mode"]


def adapt_to_mode(registered: Iterable[PhysicalTransformation], mode: RuntimeExecutionMode) -> None:
    """Give the steps of a program the operators of its mode; a program may be run again in another one."""
    steps = _with_inputs(registered)
    batch = _is_batch(steps, mode)
    for step in steps:
        operator = step.operator
        if batch and isinstance(operator, RollingReduce):
            step.operator = KeyedProcess(FinalReduce(operator.function), operator.key_selector)
        elif not batch and isinstance(operator, KeyedProcess) and isinstance(operator.function, FinalReduce):
            step.operator = RollingReduce(operator.function.function, operator.key_selector)
        elif isinstance(operator, KeyedProcess) and isinstance(operator.function, RollingFold):
            fold = FinalFold if batch else RollingFold
            step.operator = KeyedProcess(fold(operator.function.function), operator.key_selector)
        if step.operator is not operator and step.output_type is not None:
            emit_as(step.operator, step.output_type)


def _is_batch(steps: list[PhysicalTransformation], mode: RuntimeExecutionMode) -> bool:
    unbounded = [step for step in steps if step.source is not None and not step.source.is_bounded()]
    if unbounded and mode is RuntimeExecutionMode.BATCH:
        raise GraphError(
            f"{unbounded[0].label} never ends, so the program can't run in BATCH mode; "
            "use RuntimeExecutionMode.STREAMING, or AUTOMATIC, or a bounded source"
        )
    return mode is not RuntimeExecutionMode.STREAMING and not unbounded


def _with_inputs(registered: Iterable[Transformation]) -> list[PhysicalTransformation]:
    found: dict[Transformation, None] = {}
    waiting = list(registered)
    while waiting:
        step = waiting.pop()
        if step not in found:
            found[step] = None
            waiting.extend(step.inputs)
    return [step for step in found if isinstance(step, PhysicalTransformation)]
