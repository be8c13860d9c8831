"""Where records leave the job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from flott.runtime.operator import Operator

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.batch import Batch
    from flott.runtime.context import OperatorContext


class DriverDelivery(Protocol):
    """An operator whose tasks send something to the driver, which acts on it when the epoch is accepted."""

    def take(self) -> Any:
        """In the task, at the end of an epoch: return what goes to the driver, or None."""

    def deliver(self, subtask: int, parallelism: int, payload: Any) -> None:
        """In the driver, once the epoch counts: act on what a task sent."""


class Discard(Operator):
    """Drops every record."""

    def process(self, batch: Batch) -> None:
        pass


class DriverSink(Operator):
    """Brings records to the driver: print and collect."""

    def __init__(self, receive: Callable[[int, int, list[Any]], None]) -> None:
        self.receive: Callable[[int, int, list[Any]], None] | None = receive
        self.gathered: list[Any] = []

    def __getstate__(self) -> dict[str, Any]:
        # The receiver is the driver's; tasks only gather.
        return {"receive": None, "gathered": []}

    def restore(self, carried: Any) -> None:
        self.gathered = []

    def process(self, batch: Batch) -> None:
        self.gathered.extend(batch.values)

    def take(self) -> list[Any] | None:
        return self.gathered or None

    def deliver(self, subtask: int, parallelism: int, payload: Any) -> None:
        if self.receive is not None:
            self.receive(subtask, parallelism, payload)


class SinkWriter(Protocol):
    """Writes the records of one subtask; lives for one epoch. With a ``write_batch(batch)`` it gets them in batches."""

    def write(self, value: Any, timestamp: int | None) -> None:
        """Write one record."""

    def prepare_commit(self) -> Any:
        """Finish the epoch's output so that a committer can make it visible; return what that needs, or None."""

    def abort(self) -> None:
        """Throw this epoch's output away."""


class TransactionalSink(Protocol):
    """A sink whose output shows only once the epoch counts."""

    def create_writer(self, context: OperatorContext) -> SinkWriter:
        """In the task: return a writer for one epoch."""

    def commit(self, committables: list[Any]) -> None:
        """In the driver: make written output visible; doing it twice must change nothing."""


class WriterSink(Operator):
    """Runs a sink's writer; what it prepared travels to the driver, which commits it with the epoch."""

    writer: SinkWriter | None = None

    def __init__(self, sink: TransactionalSink) -> None:
        self.sink = sink

    def restore(self, carried: Any) -> None:
        if self.writer is not None:
            self.writer.abort()
        self.writer = None

    def process(self, batch: Batch) -> None:
        if self.writer is None:
            self.writer = self.sink.create_writer(self.context)
        whole = getattr(self.writer, "write_batch", None)
        if whole is not None:
            whole(batch)
            return
        write = self.writer.write
        records = iter(batch.values)
        try:
            if batch.stamps is None:
                for value in records:
                    write(value, None)
            else:
                for value, stamp in zip(records, batch.stamps, strict=True):
                    write(value, stamp)
        except OSError:
            raise
        except Exception as error:
            raise self.failed(error, records, batch.values) from None

    def take(self) -> Any:
        prepared = None if self.writer is None else self.writer.prepare_commit()
        self.writer = None
        return prepared

    def deliver(self, subtask: int, parallelism: int, payload: Any) -> None:
        self.sink.commit([payload])
