"""What is different when a program runs as a batch.

Rolling aggregates tell only their last value; there is no watermark but the last; and keyed operators work on one key
after the other, whose timers fire when it has had all its records.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.common.watermark_strategy import WatermarkStrategy
from flott.datastream.data_stream.folding import FinalFold, RollingFold
from flott.datastream.data_stream.keyed_functions import FinalReduce
from flott.datastream.execution_mode import RuntimeExecutionMode
from flott.errors import GraphError
from flott.graph.transformations import PhysicalTransformation
from flott.runtime.operators.checkpointed import checkpointed_part
from flott.runtime.operators.interval_join import IntervalJoin
from flott.runtime.operators.key_by_key import KeyByKey
from flott.runtime.operators.keyed_co_process import KeyedCoProcess
from flott.runtime.operators.keyed_process import KeyedProcess
from flott.runtime.operators.rolling import RollingReduce
from flott.runtime.operators.source import SourceOperator
from flott.runtime.watermarks import TimestampsAndWatermarks
from flott.runtime.windowing.operator import WindowOperator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.graph.transformations import Transformation
    from flott.runtime.operator import Operator

__all__ = ["in_mode", "physical_steps"]

GATHERED = {KeyedProcess, KeyedCoProcess, IntervalJoin}
"""Operators that work on one key after the other; and so do those of windows."""


@dataclass(frozen=True, slots=True)
class TimestampsOnly(WatermarkStrategy):
    """What a strategy is in batch mode: records have timestamps, but no watermark tells how far they are."""


def in_mode(registered: list[PhysicalTransformation], mode: RuntimeExecutionMode) -> list[PhysicalTransformation]:
    """Return the steps of a program as they run in a mode. The program stays as it is, and may run again in another."""
    if not _is_batch(physical_steps(registered), mode):
        return registered
    copies = {step: copy(step) for step in with_inputs(registered)}
    for step in copies.values():
        step.inputs = tuple(copies[given] for given in step.inputs)
        if isinstance(step, PhysicalTransformation):
            step.operator = _in_batch(step.operator)
            if _is_gathered(step):
                selectors: Any = step.key_selectors
                step.operator = KeyByKey(step.operator, selectors)
    return [copies[step] for step in registered]  # type: ignore[misc]


def _in_batch(operator: Operator) -> Operator:
    """Return what an operator is in batch mode."""
    if isinstance(operator, RollingReduce):
        return KeyedProcess(FinalReduce(operator.function), operator.key_selector)
    if isinstance(operator, KeyedProcess) and isinstance(operator.function, RollingFold):
        return KeyedProcess(FinalFold(operator.function.function), operator.key_selector)
    if isinstance(operator, SourceOperator | TimestampsAndWatermarks) and operator.strategy is not None:
        strategy = TimestampsOnly(WatermarkStrategy.no_watermarks().generator, operator.strategy.timestamp_assigner)
        operator = copy(operator)
        operator.strategy = strategy
    return operator


def _is_gathered(step: PhysicalTransformation) -> bool:
    """Say whether a step waits for all its input, to work on one key after the other."""
    if not step.key_selectors or None in step.key_selectors or len(step.key_selectors) != len(step.inputs):
        return False  # Not keyed, or with broadcast state, which belongs to no key.
    operator = step.operator
    function = getattr(operator, "function", None)
    if isinstance(function, FinalReduce | FinalFold) or checkpointed_part(function) is not None:
        return False  # What they keep is one value per key, or operator state, which belongs to no key.
    return type(operator) in GATHERED or isinstance(operator, WindowOperator)


def _is_batch(steps: list[PhysicalTransformation], mode: RuntimeExecutionMode) -> bool:
    unbounded = [step for step in steps if step.source is not None and not step.source.is_bounded()]
    if unbounded and mode is RuntimeExecutionMode.BATCH:
        raise GraphError(
            f"{unbounded[0].label} never ends, so the program can't run in BATCH mode; "
            "use RuntimeExecutionMode.STREAMING, or AUTOMATIC, or a bounded source"
        )
    return mode is not RuntimeExecutionMode.STREAMING and not unbounded


def with_inputs(registered: Iterable[Transformation]) -> list[Transformation]:
    """Return steps and all that they come from."""
    found: dict[Transformation, None] = {}
    waiting = list(registered)
    while waiting:
        step = waiting.pop()
        if step not in found:
            found[step] = None
            waiting.extend(step.inputs)
    return list(found)


def physical_steps(registered: Iterable[Transformation]) -> list[PhysicalTransformation]:
    """Return the steps that become operators, and those among all that they come from."""
    return [step for step in with_inputs(registered) if isinstance(step, PhysicalTransformation)]
