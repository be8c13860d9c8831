"""Physical plan to the graph of the program: each step becomes a transformation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from flott.datastream.data_stream import DataStream
from flott.graph.transformations import PartitionTransformation, PhysicalTransformation, UnionTransformation
from flott.table.physical.step import Step
from flott.table.runtime.batch_rebalance import BatchRebalance
from flott.table.runtime.calc import Calc

if TYPE_CHECKING:
    from flott.datastream import StreamExecutionEnvironment
    from flott.graph.transformations import Transformation

LONG = 120


class StreamBuilder:
    """Adds the steps of plans to a program; a step that several plans share is added once."""

    def __init__(self, environment: StreamExecutionEnvironment) -> None:
        self.environment = environment
        self._made: dict[int, tuple[Step, Transformation]] = {}

    def stream(self, step: Step) -> DataStream:
        """Return the stream of what a step hands on: batches of changes."""
        if step.operator is None and step.source is None:
            # Whatever comes behind a union of streams of different parallelism must not get rows one by one.
            step = Step("Calc", "", step.fields, step.append_only, (step,), partial(Calc, None, None, "UTC"), (None,))
        return DataStream(self.environment, self._transformation(step))

    def _transformation(self, step: Step) -> Transformation:
        known = self._made.get(id(step))
        if known is None:
            # The step is kept with it, so that its id stays its own.
            known = self._made[id(step)] = (step, self._build(step))
        return known[1]

    def _build(self, step: Step) -> Transformation:
        if step.source is not None:
            made: Transformation = step.source(self.environment).get_transformation()
            return made
        steps = self.environment.steps
        inputs = tuple(self._transformation(one) for one in step.inputs)
        if step.operator is None:
            return UnionTransformation(id=steps.next_id(), name="union()", inputs=inputs)
        selectors: list[Any] = []
        spread: list[Transformation] = []
        parallelism = None
        for one, exchange in zip(inputs, step.exchanges, strict=True):
            if exchange is None:
                # As parallel as what it reads: nothing is exchanged on the way, and what was in order stays so.
                kept, parallelism = self._unspread(one)
                spread.append(kept)
                continue
            selectors.append(exchange.key_selector)  # type: ignore[attr-defined]
            spread.append(PartitionTransformation(id=steps.next_id(), name="hash", inputs=(one,), partitioner=exchange))
        transformation = PhysicalTransformation(
            id=steps.next_id(),
            name=title(step),
            inputs=tuple(spread),
            operator=step.operator(),
            key_selectors=tuple(selectors),
            parallelism=parallelism,
        )
        steps.register(transformation)
        return transformation

    def _unspread(self, one: Transformation) -> tuple[Transformation, int | None]:
        """Return an input and how parallel its reader is; the parts of a union may have to be spread for that."""
        if not isinstance(one, UnionTransformation):
            return one, parallelism_of(one)
        found = {parallelism_of(part) for part in one.inputs}
        if len(found) == 1:
            return one, found.pop()
        steps = self.environment.steps
        parts = tuple(
            PartitionTransformation(id=steps.next_id(), name="rebalance", inputs=(part,), partitioner=BatchRebalance())
            for part in one.inputs
        )
        return UnionTransformation(id=steps.next_id(), name="union()", inputs=parts), None


def parallelism_of(one: Transformation) -> int | None:
    """Return how parallel the operator is that a stream comes from; None for what the environment says."""
    if isinstance(one, UnionTransformation):
        found = {parallelism_of(part) for part in one.inputs}
        return found.pop() if len(found) == 1 else None
    return one.parallelism if isinstance(one, PhysicalTransformation) else None


def title(step: Step) -> str:
    """Return what a step is called in plans and messages."""
    whole = f"{step.name}({step.detail})" if step.detail else step.name
    return whole if len(whole) <= LONG else f"{whole[:LONG]}…)"
