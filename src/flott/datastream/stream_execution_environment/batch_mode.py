"""What is different when a program runs as a batch.

Rolling aggregates tell only their last value; there is no watermark but the last; and keyed operators work on one key
after the other, whose timers fire when it has had all its records.
"""

from __future__ import annotations

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

__all__ = ["adapt_to_mode", "with_inputs"]

GATHERED = {KeyedProcess, KeyedCoProcess, IntervalJoin}
"""Operators that work on one key after the other; and so do those of windows."""


@dataclass(frozen=True, slots=True)
class TimestampsOnly(WatermarkStrategy):
    """What a strategy is in batch mode: records have timestamps, but no watermark tells how far they are."""

    streaming: WatermarkStrategy | None = None
    """What it is else."""


def adapt_to_mode(registered: Iterable[PhysicalTransformation], mode: RuntimeExecutionMode) -> None:
    """Give the steps of a program the operators of its mode; a program may be run again in another one."""
    steps = with_inputs(registered)
    batch = _is_batch(steps, mode)
    for step in steps:
        if isinstance(step.operator, KeyByKey):
            step.operator = step.operator.operator
        operator = step.operator
        if batch and isinstance(operator, RollingReduce):
            step.operator = KeyedProcess(FinalReduce(operator.function), operator.key_selector)
        elif not batch and isinstance(operator, KeyedProcess) and isinstance(operator.function, FinalReduce):
            step.operator = RollingReduce(operator.function.function, operator.key_selector)
        elif isinstance(operator, KeyedProcess) and isinstance(operator.function, RollingFold):
            fold = FinalFold if batch else RollingFold
            step.operator = KeyedProcess(fold(operator.function.function), operator.key_selector)
        elif isinstance(operator, SourceOperator | TimestampsAndWatermarks) and operator.strategy is not None:
            operator.strategy = _strategy(operator.strategy, batch=batch)
        if batch and _is_gathered(step):
            selectors: Any = step.key_selectors
            step.operator = KeyByKey(step.operator, selectors)


def _strategy(strategy: WatermarkStrategy, *, batch: bool) -> WatermarkStrategy:
    known = strategy.streaming if isinstance(strategy, TimestampsOnly) and strategy.streaming else strategy
    if not batch:
        return known
    return TimestampsOnly(WatermarkStrategy.no_watermarks().generator, known.timestamp_assigner, streaming=known)


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


def with_inputs(registered: Iterable[Transformation]) -> list[PhysicalTransformation]:
    """Return steps and all that they come from."""
    found: dict[Transformation, None] = {}
    waiting = list(registered)
    while waiting:
        step = waiting.pop()
        if step not in found:
            found[step] = None
            waiting.extend(step.inputs)
    return [step for step in found if isinstance(step, PhysicalTransformation)]
