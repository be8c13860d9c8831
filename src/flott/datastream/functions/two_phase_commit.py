"""A sink function that writes in transactions, and shows what it wrote once it counts."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from flott.connectors.two_phase_commit_sink import TransactionContext
from flott.datastream.functions.base import Function
from flott.datastream.functions.endpoints import SinkFunction
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.connectors.base import SinkScope

__all__ = ["TwoPhaseCommitSinkFunction"]

# The connector's class does not know the API, so the API claims it.
SinkFunction.Context.register(TransactionContext)


class TwoPhaseCommitSinkFunction(Function):
    r"""Writes every record exactly once, in transactions of your own: files, messages, rows.

    Each subtask writes what an epoch brings in one transaction, begun with the first record. At the end of the epoch
    it is pre-committed: all is written and safe, and nothing shows yet. When the next checkpoint is complete (without
    checkpoints, when the epoch is), the driver commits it. A transaction is a handle of yours that can be pickled,
    such as a name or a path.

    - In tasks, on an object that was opened: ``begin_transaction``, ``invoke``, ``finish_processing``,
      ``pre_commit``, and ``abort`` when the task fails before that.
    - In the driver, on an object that was not: ``commit``, ``recover_and_commit``, ``recover_and_abort`` and
      ``list_transactions``. What these need comes from the handle and from the constructor.

    >>> import os, tempfile
    >>> class Files(TwoPhaseCommitSinkFunction):
    ...     def __init__(self, directory):
    ...         self.directory = directory
    ...
    ...     def begin_transaction(self):
    ...         descriptor, path = tempfile.mkstemp(prefix=".", dir=self.directory)
    ...         self.file = os.fdopen(descriptor, "w")
    ...         return path
    ...
    ...     def invoke(self, transaction, value, context):
    ...         self.file.write(f"{value}\n")
    ...
    ...     def pre_commit(self, transaction):
    ...         self.file.close()
    ...
    ...     def commit(self, transaction):
    ...         if os.path.exists(transaction):
    ...             os.rename(transaction, transaction.replace("/.", "/part-"))
    ...
    ...     def abort(self, transaction):
    ...         self.file.close()
    ...         os.remove(transaction)
    >>> from flott.datastream import StreamExecutionEnvironment
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> sink = env.from_collection(["a", "b"]).add_sink(Files("out"))
    """

    scope: SinkScope
    """Which sink of which job this is: for the names of transactions. Set before ``open``."""
    transaction_timeout: int | None = None
    warning_ratio: float | None = None
    ignores_failures_after_timeout = False

    # In tasks

    @abstractmethod
    def begin_transaction(self) -> Any:
        """Starts a transaction, and returns a handle for it that can be pickled."""

    @abstractmethod
    def invoke(self, transaction: Any, value: Any, context: SinkFunction.Context) -> None:
        """Writes a record within the transaction."""

    @abstractmethod
    def pre_commit(self, transaction: Any) -> None:
        """Writes out everything, so that ``commit`` can't fail for good; nothing is written to it afterwards."""

    def finish_processing(self, transaction: Any) -> None:
        """Writes what is held back: the input has ended, and ``pre_commit`` follows."""

    @abstractmethod
    def abort(self, transaction: Any) -> None:
        """Undoes a transaction that was not pre-committed; it may be gone already."""

    # In the driver

    @abstractmethod
    def commit(self, transaction: Any) -> None:
        """Shows what was pre-committed. When it fails, the job restarts, and tries ``recover_and_commit``."""

    def recover_and_commit(self, transaction: Any) -> None:
        """Commits after a restart: it may have been committed before, and then nothing must change."""
        self.commit(transaction)

    def recover_and_abort(self, transaction: Any) -> None:
        """Undoes a transaction that an attempt left behind which was killed, or failed after ``pre_commit``."""
        self.abort(transaction)

    def list_transactions(self, scope: SinkScope) -> Iterable[Any]:
        """Returns the transactions of this sink that exist and are not committed, if that can be found out.

        Those that nobody will commit are aborted when the job starts, restarts and ends. Without this method, what a
        killed attempt has left stays.
        """
        return ()

    def abort_stale(self, scope: SinkScope, kept: list[Any]) -> None:
        """Aborts what ``list_transactions`` finds and is not kept for a commit to come.

        Override it where finding and aborting is one step.
        """
        for transaction in self.list_transactions(scope):
            if transaction not in kept:
                self.recover_and_abort(transaction)

    # Time

    def set_transaction_timeout(self, transaction_timeout: int) -> TwoPhaseCommitSinkFunction:
        """Says after how many milliseconds the external system gives up a transaction by itself."""
        if transaction_timeout <= 0:
            raise GraphError(f"set_transaction_timeout({transaction_timeout}): a timeout is at least one millisecond")
        self.transaction_timeout = transaction_timeout
        return self

    def enable_transaction_timeout_warnings(self, warning_ratio: float) -> TwoPhaseCommitSinkFunction:
        """Warns when a transaction is committed after this share of its timeout, 0 to 1: checkpoint more often."""
        if not 0 <= warning_ratio <= 1:
            raise GraphError(f"enable_transaction_timeout_warnings({warning_ratio}): a ratio is between 0 and 1")
        self.warning_ratio = warning_ratio
        return self

    def ignore_failures_after_transaction_timeout(self) -> TwoPhaseCommitSinkFunction:
        """After a restart, drops a transaction that can't be committed any more because it timed out.

        Its records are lost; without this, the job fails instead.
        """
        self.ignores_failures_after_timeout = True
        return self
