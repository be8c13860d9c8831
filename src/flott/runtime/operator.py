"""The operator: one step of a chain. A batch comes in, batches go out."""

from __future__ import annotations

import traceback
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Protocol

from flott.errors import FlottError, UserFunctionError
from flott.runtime.value_kinds import NotCopiedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flott.runtime.batch import Batch
    from flott.runtime.context import OperatorContext
    from flott.runtime.reports import Notice

RECORD_PREVIEW = 200


class Output(Protocol):
    """Where an operator puts what it makes: the next operator of the chain, or an exchange."""

    def emit(self, batch: Batch, /) -> None:
        """Hand on records."""

    def emit_side(self, tag: str, batch: Batch, /) -> None:
        """Hand on records of a side output; dropped when nobody listens to the tag."""

    def emit_watermark(self, timestamp: int, /) -> None:
        """Hand on a watermark: no record at or before it will follow."""

    def emit_status(self, active: bool, /) -> None:
        """Say that this stream became idle, or active again."""


class Lifecycle(Protocol):
    """What a chain opens, restores, snapshots and closes."""

    def open(self) -> None:
        """Prepare for work; called once per worker and subtask."""

    def restore(self, carried: Any, /) -> None:
        """Start an epoch with what ``snapshot`` returned at the end of the epoch before (None at first)."""

    def snapshot(self) -> Any:
        """End an epoch; return what the next one needs."""

    def close(self) -> None:
        """Release what ``open`` took."""


class Operator:
    """One step of a chain.

    An operator is built in the driver, pickled into the plan, and lives in a worker for many epochs.
    Life: ``setup``, ``open``, then for each epoch ``restore``, ``process*``, ``snapshot``; at last ``close``.
    Keyed state, timers and carried state are at the epoch's version when ``restore`` is called.
    """

    context: OperatorContext
    output: Output
    inputs: int = 1
    makes_watermarks: bool = False
    """Whether it says how far event time is."""
    waits_for_watermarks: bool = False
    """Whether it gives no result before event time moves."""

    def setup(self, context: OperatorContext, output: Output) -> None:
        """Receive the surroundings; called once per worker and subtask."""
        self.context = context
        self.output = output

    def lifecycle(self) -> Lifecycle:
        """Return what opens, restores, snapshots and closes this operator: itself, or what wraps it."""
        return self

    def open(self) -> None:
        """Prepare for work: open the user's function, create state handles."""

    def restore(self, carried: Any) -> None:
        """Start an epoch with what ``snapshot`` returned at the end of the epoch before (None at first)."""

    def process(self, batch: Batch) -> None:
        """Work on a batch."""
        raise NotImplementedError

    def on_watermark(self, timestamp: int) -> int | None:
        """Event time reached ``timestamp``: fire what is due. Returns the watermark to hand on; None hands on none."""
        return timestamp

    def on_status(self, active: bool) -> bool | None:
        """Handle an input that became idle, or active again. Returns the status to hand on; None hands on none."""
        return active

    def process_time(self, now: int) -> None:
        """Processing time reached ``now``: fire what is due."""

    def finish(self) -> None:
        """The input has ended for good: hand on what is still held back."""

    def snapshot(self) -> Any:
        """End an epoch: return what the next epoch of this subtask needs, in whatever worker that runs; or None."""
        return None

    def notify(self, notice: Notice) -> None:
        """Hear what became of a checkpoint that holds earlier work of this operator."""

    def next_wakeup(self) -> int | None:
        """Return when the earliest processing-time timer is due, or None."""
        return None

    def close(self) -> None:
        """Release what ``open`` took."""

    def failed(self, error: BaseException, records: Iterator[Any] | None, values: list[Any]) -> FlottError:
        """Say which record the user's function failed on, given the half-consumed iterator over ``values``.

        A list iterator knows how many items are left, so the hot loop needs no counter.
        """
        if isinstance(error, FlottError):
            return error
        index = len(values) - (records.__length_hint__() if records is not None else 0) - 1  # type: ignore[attr-defined]
        record = values[index] if 0 <= index < len(values) else None
        return self.failure(error, record)

    def failure(self, error: BaseException, record: Any) -> FlottError:
        """Wrap what the user's function raised while it worked on ``record``."""
        if isinstance(error, FlottError):
            return error
        text = repr(record)
        if len(text) > RECORD_PREVIEW:
            text = f"{text[:RECORD_PREVIEW]}… ({len(text)} characters)"
        if isinstance(error, NotCopiedError):
            return FlottError(f"{self.context.title}: the result for record {text} can't be emitted: {error}")
        frames = traceback.extract_tb(error.__traceback__)
        inside = [frame for frame in frames if "/flott/runtime/" not in frame.filename] or list(frames)
        trace = "".join(traceback.format_list(inside) + traceback.format_exception_only(type(error), error))
        context = self.context
        return UserFunctionError(context.name, context.uid, context.subtask, text, trace)


def close_all(functions: Iterable[Any]) -> None:
    """Close the functions of an operator, all of them; then raise what one of them raised."""
    with ExitStack() as stack:
        for function in reversed(list(functions)):
            stack.callback(function.close)


class MultiInputOperator(Operator):
    """An operator with several inputs, which are numbered from 0."""

    inputs = 2

    def process(self, batch: Batch) -> None:
        """Work on a batch of the first input."""
        self.process_input(0, batch)

    def process_input(self, index: int, batch: Batch) -> None:
        """Work on a batch of one input."""
        raise NotImplementedError

    def on_input_watermark(self, index: int, timestamp: int) -> int | None:
        """Event time of one input reached ``timestamp``. Returns the watermark to hand on; None hands on none."""
        raise NotImplementedError

    def on_input_status(self, index: int, active: bool) -> tuple[int | None, bool | None]:
        """Handle an input that became idle, or active again. Returns the watermark and the status to hand on."""
        raise NotImplementedError
