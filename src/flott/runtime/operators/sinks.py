"""Where records leave the job."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from flott.errors import USER_CODE_RAISES, FlottError
from flott.runtime.batch import MIN_TIMESTAMP
from flott.runtime.crash_points import reach
from flott.runtime.operator import Operator
from flott.runtime.operators.commit_requests import commit_all
from flott.runtime.operators.sink_capabilities import (
    SINK_METHODS,
    SinkCapabilities,
    WriterCapabilities,
    check_names,
)
from flott.runtime.source import raise_named
from flott.runtime.state.operator_state import CarriedStates, OperatorStates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.batch import Batch
    from flott.runtime.context import OperatorContext
    from flott.runtime.metric_group import MetricGroup

WRITER_STATES = "writer-states"


class DriverDelivery(Protocol):
    """An operator whose tasks send something to the driver, which acts on it when it counts."""

    at_checkpoint: bool
    """When the job takes checkpoints: wait for the next to be complete, since a restart would send it again."""

    def take(self) -> Any:
        """In the task, at the end of an epoch: return what goes to the driver, or None."""

    def deliver(self, subtask: int, parallelism: int, payload: Any) -> None:
        """In the driver, once the epoch or checkpoint counts: act on what a task sent."""


class Discard(Operator):
    """Drops every record."""

    def process(self, batch: Batch) -> None:
        pass


class DriverSink(Operator):
    """Brings records to the driver: print and collect."""

    def __init__(self, receive: Callable[[int, int, list[Any]], None], *, at_checkpoint: bool = False) -> None:
        self.receive: Callable[[int, int, list[Any]], None] | None = receive
        self.at_checkpoint = at_checkpoint
        self.gathered: list[Any] = []

    def __getstate__(self) -> dict[str, Any]:
        # The receiver is the driver's; tasks only gather.
        return {"receive": None, "gathered": [], "at_checkpoint": self.at_checkpoint}

    def restore(self, carried: Any) -> None:
        self.gathered = []

    def process(self, batch: Batch) -> None:
        self.gathered.extend(batch.values)

    def take(self) -> list[Any] | None:
        return self.gathered or None

    def deliver(self, subtask: int, parallelism: int, payload: Any) -> None:
        if self.receive is not None:
            self.receive(subtask, parallelism, payload)


class WriterInitContext:
    """What a sink gets to make a writer: where the writer runs."""

    def __init__(self, context: OperatorContext, restored: int | None = None) -> None:
        self._context = context
        self._restored = restored
        self.clock = context.clock
        self.job_id = context.job_id
        self.owner = context.owner
        self.apart = context.apart
        self.operator_id = context.operator_id
        self.subtask = context.subtask

    def get_index_of_this_subtask(self) -> int:
        """Return the number of the subtask, from 0."""
        return self._context.subtask

    def get_number_of_parallel_subtasks(self) -> int:
        """Return the parallelism of the sink."""
        return self._context.parallelism

    def get_attempt_number(self) -> int:
        """Return how often this subtask was started before."""
        return self._context.attempt

    def get_restored_checkpoint_id(self) -> int | None:
        """Return the checkpoint that the writer's state comes from; None at the very beginning."""
        return self._restored

    def get_next_checkpoint_id(self) -> int:
        """Return the checkpoint that will hold what is written now; 0 when the job takes none."""
        return self._context.snapshot

    def get_job_id(self) -> str:
        """Return the id of the job."""
        return self._context.job_id

    def get_owner(self) -> int:
        """Return the number of the job's driver: names of what is written carry it, see SinkScope."""
        return self._context.owner

    def get_operator_id(self) -> str:
        """Return the id of the sink in its job; the same after a restart."""
        return self._context.operator_id

    def metric_group(self) -> MetricGroup:
        """Return the group in which the writer registers its metrics."""
        return self._context.metrics


class WriteContext:
    """What ``write(element, context)`` gets; one object for all records."""

    __slots__ = ("stamp", "watermark")

    def __init__(self) -> None:
        self.stamp: int | None = None
        self.watermark = MIN_TIMESTAMP

    def timestamp(self) -> int | None:
        """Return the record's timestamp, if it has one."""
        return self.stamp

    def current_watermark(self) -> int:
        """Return where event time stands."""
        return self.watermark


class WriterSink(Operator):
    """Runs a sink's writer.

    The writer lives as long as this worker runs the subtask. At the end of every epoch it writes out what it holds,
    and what it has prepared travels to the driver; that commits it with the epoch, or with the next checkpoint.
    """

    at_checkpoint = True
    writer: Any = None
    _can = WriterCapabilities()
    """What the writer can do."""
    _prepared: list[Any] | None = None
    _kept: CarriedStates | None = None
    _ended = False
    _busy = False
    """The writer has records of an epoch that has not ended."""

    def __init__(self, sink: Any) -> None:
        check_names(sink, SINK_METHODS)
        self.sink = sink
        self.capabilities = SinkCapabilities.of(sink)
        self._write_context = WriteContext()

    def __getstate__(self) -> dict[str, Any]:
        return {"sink": self.sink, "_write_context": WriteContext()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.capabilities = SinkCapabilities.of(self.sink)

    def restore(self, carried: CarriedStates | None) -> None:
        self._prepared = None
        if self.writer is not None and (self._busy or carried != self._kept):
            # It holds half an epoch, or the last epoch ran elsewhere: its state is not the one that counts.
            self._drop()
        self._busy = False
        self._kept = carried
        if self.writer is None and carried is not None:
            self._start()

    def _start(self) -> None:
        kept = self._kept
        context = WriterInitContext(self.context, None if kept is None else kept.number)
        restore = self.capabilities.restore_writer
        with self._naming_failures("none: it failed to make a writer"):
            if kept is not None and restore is not None:
                writer = restore(context, OperatorStates.unpack(kept.states).split.get(WRITER_STATES, []))
            else:
                writer = self.sink.create_writer(context)
            self._can = WriterCapabilities.of(writer)
            self.writer = writer

    @contextmanager
    def _naming_failures(self, record: str) -> Iterator[None]:
        try:
            yield
        except (ConnectionError, FlottError) as error:
            raise_named(self.context.title, error)
        except OSError:
            raise
        except USER_CODE_RAISES as error:
            raise self.failure(error, record) from None

    def process(self, batch: Batch) -> None:
        if self.writer is None:
            self._start()
        self._busy = True
        whole = self._can.write_batch
        if whole is not None:
            with self._naming_failures(f"of a batch of {len(batch)}"):
                whole(batch)
            return
        write, context = self.writer.write, self._write_context
        records = iter(batch.values)
        try:
            if batch.stamps is None:
                context.stamp = None
                for value in records:
                    write(value, context)
            else:
                for value, context.stamp in zip(records, batch.stamps, strict=True):
                    write(value, context)
        except (ConnectionError, FlottError) as error:
            raise_named(self.context.title, error)
        except OSError:
            raise
        except USER_CODE_RAISES as error:
            raise self.failed(error, records, batch.values) from None

    def on_watermark(self, timestamp: int) -> int | None:
        self._write_context.watermark = timestamp
        if self.writer is None and self.capabilities.follows_watermarks:
            self._start()
        if self._can.write_watermark is not None:
            self._can.write_watermark(timestamp)
        return timestamp

    def finish(self) -> None:
        self._ended = True

    def snapshot(self) -> CarriedStates | None:
        if self.writer is None:
            return self._kept
        can = self._can
        reach("sink.before-prepare")
        with self._naming_failures("none: it failed at the end of an epoch"):
            if can.flush is not None:
                can.flush(self._ended)
            prepared = can.prepare_commit() if can.prepare_commit is not None else ()
            states = list(can.snapshot_state(self.context.snapshot)) if can.snapshot_state is not None else None
        self._prepared = list(prepared or ())
        self._busy = False
        reach("sink.after-prepare")
        if states is not None:
            packed = OperatorStates(split={WRITER_STATES: states}).pack(self.context.title)
            self._kept = CarriedStates(packed, None, self.context.snapshot)
        return self._kept

    def take(self) -> list[Any] | None:
        return self._prepared or None

    def deliver(self, subtask: int, parallelism: int, payload: Any) -> None:
        commit_all(self.sink, payload, recovered=False)

    def close(self) -> None:
        self._drop()

    def _drop(self) -> None:
        close = self._can.close
        self.writer, self._can = None, WriterCapabilities()
        if close is not None:
            close()
