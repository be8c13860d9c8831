"""Brings the records of a stream back to the program that started the job."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from threading import Condition, get_ident
from typing import TYPE_CHECKING, Any

from flott.datastream._await_result import await_result
from flott.errors import JobCanceledError

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from flott.common.job_client import JobClient

__all__ = ["CloseableIterator", "ResultBuffer"]

ENOUGH = 100_000
"""So many records may wait to be taken; then the job waits for whoever reads them."""


class ResultBuffer:
    """Records between the job, which puts them in, and the program, which takes them out."""

    def __init__(self) -> None:
        self._records: deque[Any] = deque()
        self._changed = Condition()
        self._over = False
        self._reader = get_ident()

    def receive(self, subtask: int, parallelism: int, values: list[Any]) -> None:
        """Take over what a task sent; waits while too much is waiting already."""
        with self._changed:
            # A job that runs in the reader's own thread must not wait for it.
            if get_ident() != self._reader:
                self._changed.wait_for(lambda: self._over or len(self._records) < ENOUGH)
            self._records.extend(values)
            self._changed.notify_all()

    def end(self) -> None:
        """Nothing more will come, or nobody wants it any more."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def take(self) -> Any:
        """Return the next record; raises IndexError when there is none and none will come."""
        with self._changed:
            self._changed.wait_for(lambda: self._over or self._records)
            record = self._records.popleft()
            self._changed.notify_all()
            return record


class CloseableIterator:
    """Iterates over the records of a running job; leaving it closes it, and that cancels the job.

    Used with ``with``, so that the job never outlives the reader:

        with stream.execute_and_collect() as results:
            for record in results:
                ...
    """

    def __init__(self, buffer: ResultBuffer, client: JobClient) -> None:
        self._buffer = buffer
        self._client = client
        self._closed = False
        self._result = client.get_job_execution_result()
        self._result.add_done_callback(lambda _: buffer.end())

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        return self.next()

    def next(self) -> Any:
        """Returns the next record, waiting for it if need be; a failure of the job is raised here."""
        if not self._closed:
            try:
                return self._buffer.take()
            except IndexError:
                await_result(self._client)
        raise StopIteration

    def get_job_client(self) -> JobClient:
        """Returns the handle on the job."""
        return self._client

    def close(self) -> None:
        """Ends the iteration, and the job if it is still running."""
        if self._closed:
            return
        self._closed = True
        self._buffer.end()
        if not self._result.done():
            self._client.cancel().result()
            with suppress(JobCanceledError):
                await_result(self._client)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        self.close()
