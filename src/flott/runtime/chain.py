"""A vertex at work: its operators wired to each other and to the exchanges, opened once and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from flott.errors import USER_CODE_RAISES
from flott.runtime.batch import Batch
from flott.runtime.emission import copies
from flott.runtime.input import Input
from flott.runtime.state.carried import Carried
from flott.runtime.typed_output import TypedOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flott.runtime.context import OperatorContext
    from flott.runtime.operator import Operator
    from flott.runtime.plan import ChainedOperator
    from flott.runtime.reports import Notice


class Receiver(Protocol):
    """The far side of an output: an exchange's edge."""

    def add(self, batch: Batch) -> None:
        """Take records."""

    def watermark(self, timestamp: int) -> None:
        """Take a watermark."""

    def status(self, active: bool) -> None:
        """Take a change of status."""


class ChainOutput:
    """The output of one operator: the chained operators behind it and the edges that leave here."""

    __slots__ = ("active", "edges", "emitted", "next", "object_reuse", "side_edges", "side_next", "watermark")

    def __init__(self) -> None:
        self.object_reuse = False
        self.next: list[Input] = []
        self.edges: list[Receiver] = []
        self.side_next: dict[str, list[Input]] = {}
        self.side_edges: dict[str, list[Receiver]] = {}
        self.emitted = 0
        self.watermark: int | None = None
        self.active = True

    def emit(self, batch: Batch) -> None:
        """Hand records to whoever listens to the main output."""
        self.emitted += len(batch)
        self._hand_on(batch, self.next, self.edges)

    def emit_side(self, tag: str, batch: Batch) -> None:
        """Hand records to whoever listens to a side output."""
        self.emitted += len(batch)
        self._hand_on(batch, self.side_next.get(tag, ()), self.side_edges.get(tag, ()))

    def _hand_on(self, batch: Batch, inputs: Sequence[Input], edges: Sequence[Receiver]) -> None:
        """Hand records to all. Each operator may change those it gets; edges only write them down, but later."""
        last = len(inputs) - 1 if not edges else len(inputs)
        for number, one in enumerate(inputs):
            one.process(batch if number == last or self.object_reuse else _copy_of(batch))
        for edge in edges:
            edge.add(batch)

    def emit_watermark(self, timestamp: int) -> None:
        """Hand a watermark to all, side outputs too; none passes while this stream is idle."""
        if not self.active:
            return
        self.watermark = timestamp
        for one in self._inputs():
            one.watermark(timestamp)
        for edge in self._edges():
            edge.watermark(timestamp)

    def emit_status(self, active: bool) -> None:
        """Hand a change of status to all."""
        self.active = active
        for one in self._inputs():
            one.status(active)
        for edge in self._edges():
            edge.status(active)

    def _inputs(self) -> list[Input]:
        return [*self.next, *(one for some in self.side_next.values() for one in some)]

    def _edges(self) -> list[Receiver]:
        return [*self.edges, *(edge for some in self.side_edges.values() for edge in some)]


def _copy_of(batch: Batch) -> Batch:
    """Return a batch with records of its own."""
    return batch.view() if batch.columnar else Batch(copies(batch.values), batch.stamps)


class OperatorChain:
    """The operators of one subtask. Lives in a worker process for many epochs."""

    def __init__(
        self, chain: tuple[ChainedOperator, ...], context_of: Callable[[ChainedOperator], OperatorContext]
    ) -> None:
        self.chain = chain
        self.operators = [member.operator for member in chain]
        self.outputs = [ChainOutput() for _ in chain]
        for member in chain:
            if member.parent < 0:
                continue
            output = self.outputs[member.parent]
            if member.tag is None:
                output.next.append(Input(member.operator))
            else:
                output.side_next.setdefault(member.tag, []).append(Input(member.operator))
        for member, output in zip(chain, self.outputs, strict=True):
            context = context_of(member)
            output.object_reuse = context.object_reuse
            typed = member.typed
            member.operator.setup(context, output if typed is None else TypedOutput(context.title, output, typed))
        self.lifecycles = [operator.lifecycle() for operator in self.operators]

    @property
    def head(self) -> Operator:
        """The operator that data enters at."""
        return self.operators[0]

    def open(self) -> None:
        """Open all operators, the last first, so that one may emit as soon as it is open."""
        for lifecycle in reversed(self.lifecycles):
            lifecycle.open()

    def connect(self, edges: list[tuple[int, str | None, Receiver]]) -> None:
        """Set the edges of this epoch: (position of the operator, side output tag or None, where it goes)."""
        for output in self.outputs:
            output.edges = []
            output.side_edges = {}
            output.emitted = 0
        for position, tag, edge in edges:
            output = self.outputs[position]
            if tag is None:
                output.edges.append(edge)
            else:
                output.side_edges.setdefault(tag, []).append(edge)

    def restore(self, carried: Carried) -> None:
        """Start an epoch with what each operator carried over."""
        for member, lifecycle, output in zip(self.chain, self.lifecycles, self.outputs, strict=True):
            output.watermark, output.active = carried.outputs.get(member.operator_id, (None, True))
            lifecycle.restore(carried.operators.get(member.operator_id))

    def snapshot(self) -> Carried:
        """End an epoch: return what each operator carries over; the rest is the subtask's."""
        carried = Carried()
        for member, lifecycle, output in zip(self.chain, self.lifecycles, self.outputs, strict=True):
            # The operator comes first: one that waits for answers hands them on before it ends the epoch.
            kept = lifecycle.snapshot()
            if kept is not None:
                carried.operators[member.operator_id] = kept
            carried.outputs[member.operator_id] = (output.watermark, output.active)
        return carried

    def notify(self, notice: Notice) -> None:
        """Tell all operators what became of a checkpoint."""
        for operator in self.operators:
            operator.notify(notice)

    def process_time(self, now: int) -> None:
        """Tell all operators that processing time moved on."""
        for operator in self.operators:
            operator.process_time(now)

    def finish(self) -> None:
        """End the input for good, operator by operator."""
        for operator in self.operators:
            operator.finish()

    def close(self) -> None:
        """Close all operators; the first error is raised after all were tried."""
        errors = []
        for operator, lifecycle in zip(self.operators, self.lifecycles, strict=True):
            try:
                lifecycle.close()
            except USER_CODE_RAISES as error:
                errors.append(operator.failure(error, "none: it failed in close()"))
        if errors:
            raise errors[0]
