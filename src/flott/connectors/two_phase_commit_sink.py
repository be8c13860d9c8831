"""Makes a sink of a function that writes in transactions: the writer in tasks, the committer in the driver."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import cloudpickle

from flott.common.machine_clock import MachineClock
from flott.connectors.base import Committer, CommittingSinkWriter, Sink, SinkScope, SupportsCommitter
from flott.errors import USER_CODE_RAISES, CommitError
from flott.runtime.context import RuntimeContext

if TYPE_CHECKING:
    from flott.runtime.clock import Clock
    from flott.runtime.operators.commit_requests import CommitRequest
    from flott.runtime.operators.sinks import WriteContext, WriterInitContext

log = logging.getLogger("flott.sinks")

SHOWN = 200
"""How much of a handle goes into a message."""


class TransactionalFunction(Protocol):
    """What the user writes, see ``flott.datastream.functions.TwoPhaseCommitSinkFunction``."""

    scope: SinkScope
    transaction_timeout: int | None
    warning_ratio: float | None
    ignores_failures_after_timeout: bool

    def open(self, runtime_context: RuntimeContext) -> None: ...
    def close(self) -> None: ...
    def begin_transaction(self) -> Any: ...
    def invoke(self, transaction: Any, value: Any, context: Any) -> None: ...
    def finish_processing(self, transaction: Any) -> None: ...
    def pre_commit(self, transaction: Any) -> None: ...
    def abort(self, transaction: Any) -> None: ...
    def commit(self, transaction: Any) -> None: ...
    def recover_and_commit(self, transaction: Any) -> None: ...
    def abort_stale(self, scope: SinkScope, kept: list[Any]) -> None: ...


@dataclass(frozen=True, slots=True)
class PreCommitted:
    """A transaction on its way to the driver: the committable."""

    handle: bytes
    """By cloudpickle: its class may be one of the user's script, which the driver and the workers see differently."""
    begun: int
    text: str

    def load(self) -> Any:
        """Return the user's handle."""
        return cloudpickle.loads(self.handle)

    def __repr__(self) -> str:
        return f"transaction {self.text}"


class TransactionContext:
    """What ``invoke`` knows besides the record: one object for all calls."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.write: WriteContext | None = None

    def current_processing_time(self) -> int:
        """Return the time of day in milliseconds since 1970."""
        return self._clock.now()

    def current_watermark(self) -> int:
        """Return the event time that was reached."""
        assert self.write is not None  # noqa: S101 - set before the first call
        return self.write.current_watermark()

    def timestamp(self) -> int | None:
        """Return the timestamp of the record, or None if it has none."""
        assert self.write is not None  # noqa: S101 - set before the first call
        return self.write.timestamp()


class TransactionWriter(CommittingSinkWriter):
    """Writes what an epoch brings in one transaction."""

    def __init__(self, function: TransactionalFunction, context: WriterInitContext) -> None:
        self._function = function
        self._context = TransactionContext(context.clock)
        self._clock = context.clock
        self._open = False
        self._handle: Any = None
        self._begun = 0

    def write(self, element: Any, context: WriteContext) -> None:
        """Write a record; the first of an epoch begins the transaction."""
        if not self._open:
            self._context.write = context
            self._begun = self._clock.now()
            self._handle = self._function.begin_transaction()
            self._open = True
        self._function.invoke(self._handle, element, self._context)

    def flush(self, end_of_input: bool) -> None:
        """Let the function write what it holds back, if nothing more will come."""
        if end_of_input and self._open:
            self._function.finish_processing(self._handle)

    def prepare_commit(self) -> list[PreCommitted]:
        """Pre-commit the transaction; return it for the driver."""
        if not self._open:
            return []
        handle = self._handle
        self._function.pre_commit(handle)
        packed = pack_handle(self._function, handle)
        self._open, self._handle = False, None
        return [PreCommitted(packed, self._begun, f"{handle!r:.{SHOWN}}")]

    def close(self) -> None:
        """Abort what was not pre-committed."""
        handle, was_open = self._handle, self._open
        self._open, self._handle = False, None
        try:
            if was_open:
                self._function.abort(handle)
        except USER_CODE_RAISES as error:  # it does not count either way, and the driver may have been quicker
            log.warning("%s could not abort %.200r: %s", type(self._function).__qualname__, handle, error)
        finally:
            self._function.close()


def pack_handle(function: TransactionalFunction, handle: Any) -> bytes:
    """Pickle a handle, or say what a handle is."""
    try:
        return bytes(cloudpickle.dumps(handle))
    except Exception as error:
        name = type(function).__qualname__
        message = (
            f"{name}.begin_transaction returned {handle!r:.{SHOWN}}, which can't be pickled ({error}). The driver "
            f"commits, so the transaction travels there: return a name or a path, and keep what is open in self"
        )
        raise TypeError(message) from error


class TransactionCommitter(Committer):
    """Commits in the driver; tells how old a transaction is by the time of day, as the task that began it."""

    def __init__(self, function: TransactionalFunction, clock: Clock) -> None:
        self._function = function
        self._clock = clock

    def commit(self, requests: list[CommitRequest]) -> None:
        """Commit all; the first failure is raised after each had its turn."""
        first: CommitError | None = None
        for request in requests:
            try:
                self._commit(request.get_committable(), recovered=request.recovered)
            except CommitError as error:
                first = first or error
        if first is not None:
            raise first

    def _commit(self, committable: PreCommitted, *, recovered: bool) -> None:
        function = self._function
        elapsed, timeout = self._clock.now() - committable.begun, function.transaction_timeout
        if timeout is not None and function.warning_ratio is not None and elapsed > function.warning_ratio * timeout:
            log.warning("%r was begun %d ms ago and times out after %d ms; take checkpoints more often, "
                        "or raise the timeout", committable, elapsed, timeout)  # fmt: skip
        try:
            if recovered:
                function.recover_and_commit(committable.load())
            else:
                function.commit(committable.load())
        except USER_CODE_RAISES as error:
            if recovered and function.ignores_failures_after_timeout and timeout is not None and elapsed > timeout:
                log.exception("%r could not be committed and has timed out (%d of %d ms); its records are lost, as "
                              "ignore_failures_after_transaction_timeout() allows",
                              committable, elapsed, timeout)  # fmt: skip
                return
            step = "recover_and_commit" if recovered else "commit"
            message = f"{type(function).__qualname__}.{step} failed on {committable!r}: {type(error).__name__}: {error}"
            raise CommitError(message) from error


class TwoPhaseCommitSink(Sink, SupportsCommitter):
    """A function that writes in transactions, as a sink."""

    def __init__(self, function: TransactionalFunction, clock: Clock | None = None) -> None:
        self.function = function
        self._clock = clock or MachineClock()

    def create_writer(self, context: WriterInitContext) -> TransactionWriter:
        function = self.function
        function.scope = SinkScope(context.job_id, context.operator_id, context.owner)
        function.open(RuntimeContext(context._context))  # noqa: SLF001 - the same surroundings, as functions know them
        return TransactionWriter(function, context)

    def create_committer(self) -> TransactionCommitter:
        return TransactionCommitter(self.function, self._clock)

    def abort_stale(self, scope: SinkScope, kept: list[PreCommitted]) -> None:
        self.function.scope = scope
        self.function.abort_stale(scope, [committable.load() for committable in kept])
