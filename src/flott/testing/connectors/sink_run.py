"""Runs a sink as tasks and the driver do: attempts write and prepare, the driver commits or undoes."""

from __future__ import annotations

import pickle
from itertools import count
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import cloudpickle

from flott.connectors.base import SinkScope
from flott.runtime.batch import Batch
from flott.runtime.clock import ManualClock
from flott.runtime.context import OperatorContext
from flott.runtime.operators.commit_requests import commit_all
from flott.runtime.operators.sink_capabilities import WriterCapabilities
from flott.runtime.operators.sinks import WriteContext, WriterInitContext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.connectors.base import Sink
    from flott.testing.connectors.cases import SinkCase

OPERATOR = "sink-under-test"
PARALLELISM = 2


class SinkRun:
    """One job that writes to the sink; each has an id of its own."""

    def __init__(self, case: SinkCase) -> None:
        self.case = case
        self.job_id = uuid4().hex
        self.written: list[Any] = []
        """The records that count so far."""
        self._pickled = cloudpickle.dumps(case.make())
        self._numbers = count()
        self._epochs = count(1)

    def sink(self) -> Sink:
        """Return a copy of the sink, as a task gets it."""
        sink: Sink = cloudpickle.loads(self._pickled)
        return sink

    def next_epoch(self) -> int:
        """Return the number of the next epoch, which ends with a checkpoint."""
        return next(self._epochs)

    def records(self, amount: int = 5) -> list[Any]:
        """Return records that were not written before."""
        return [self.case.record(next(self._numbers)) for _ in range(amount)]

    def attempt(
        self, records: Sequence[Any], subtask: int = 0, *, attempt: int = 0, epoch: int | None = None
    ) -> Attempt:
        """Start an attempt of an epoch, of the next one unless told which; it writes some records."""
        return Attempt(self, records, subtask, attempt, self.next_epoch() if epoch is None else epoch)

    def commit(self, committables: list[Any], *, recovered: bool = False) -> None:
        """In the driver, a new one each time, which has run the program again: commit what attempts prepared."""
        commit_all(self.case.make(), pickle.loads(pickle.dumps(committables, protocol=5)), recovered=recovered)

    def undo_stale(self, kept: list[Any], *, job_id: str | None = None) -> None:
        """In the driver, when it starts, restarts or ends."""
        undo = getattr(self.case.make(), "abort_stale", None)
        if undo is not None:
            undo(SinkScope(job_id or self.job_id, OPERATOR), pickle.loads(pickle.dumps(kept, protocol=5)))


class Attempt:
    """One attempt of one epoch of one subtask."""

    def __init__(self, run: SinkRun, records: Sequence[Any], subtask: int, number: int, epoch: int) -> None:
        self._run = run
        self._surroundings = OperatorContext(
            name=OPERATOR,
            operator_id=OPERATOR,
            uid=OPERATOR,
            subtask=subtask,
            parallelism=PARALLELISM,
            max_parallelism=128,
            clock=ManualClock(),
            attempt=number,
            job_id=run.job_id,
            snapshot=epoch,
        )
        self._writer: Any = run.sink().create_writer(WriterInitContext(self._surroundings))
        self._can = WriterCapabilities.of(self._writer)
        self._context = WriteContext()
        self.write(records)

    def write(self, records: Sequence[Any]) -> None:
        """Write records, in a batch where the writer takes batches."""
        whole = self._can.write_batch
        if whole is not None:
            whole(Batch(list(records)))
            return
        for record in records:
            self._writer.write(record, self._context)

    def prepare(self) -> list[Any]:
        """End the epoch: return what goes to the driver, as it arrives there. What follows is the next."""
        self._writer.flush(end_of_input=False)
        prepare = self._can.prepare_commit
        prepared = [] if prepare is None else list(prepare() or ())
        self._surroundings.snapshot = self._run.next_epoch()
        return list(pickle.loads(pickle.dumps(prepared, protocol=5)))

    def close(self) -> None:
        """End the subtask in an orderly way."""
        self._writer.close()
