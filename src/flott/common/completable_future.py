"""The answer to something that takes its time."""

from __future__ import annotations

from concurrent.futures import CancelledError, Future, InvalidStateError
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CompletableFuture"]

T = TypeVar("T")
R = TypeVar("R")


class CompletableFuture(Generic[T]):
    """A result that comes later: wait for it with `result()`, or ask with `done()`.

    Whoever does the work completes it, once, with a value or an exception; later attempts do nothing.

    >>> future = CompletableFuture()
    >>> future.done()
    False
    >>> future.complete(42)
    True
    >>> future.result(), future.complete(43), future.result()
    (42, False, 42)
    """

    __slots__ = ("_future",)

    def __init__(self, source: Future[T] | None = None) -> None:
        # Own future, never the source's: this one can be cancelled while the source is running.
        self._future: Future[T] = Future()
        if source is not None:
            source.add_done_callback(self._complete_from)

    @staticmethod
    def completed_future(value: T) -> CompletableFuture[T]:
        """Returns a future that already has its value."""
        future: CompletableFuture[T] = CompletableFuture()
        future.complete(value)
        return future

    @staticmethod
    def failed_future(exception: BaseException) -> CompletableFuture[T]:
        """Returns a future that has already failed."""
        future: CompletableFuture[T] = CompletableFuture()
        future.complete_exceptionally(exception)
        return future

    def complete(self, value: T) -> bool:
        """Sets the value, unless the future is done already; says whether it did."""
        try:
            self._future.set_result(value)
        except InvalidStateError:
            return False
        return True

    def complete_exceptionally(self, exception: BaseException) -> bool:
        """Lets the future fail, unless it is done already; says whether it did."""
        try:
            self._future.set_exception(exception)
        except InvalidStateError:
            return False
        return True

    def cancel(self) -> bool:
        """Cancels the future, unless it is done already; says whether it is cancelled now."""
        return self._future.cancel()

    def cancelled(self) -> bool:
        """Says whether the future was cancelled before it was done."""
        return self._future.cancelled()

    def done(self) -> bool:
        """Says whether there is a value, an exception or a cancellation."""
        return self._future.done()

    def result(self, timeout: float | None = None) -> T:
        """Waits, at most `timeout` seconds, and returns the value or raises the exception."""
        return self._future.result(timeout)

    def exception(self) -> BaseException | None:
        """Returns what went wrong, or None if nothing did so far. Does not wait."""
        if not self._future.done():
            return None
        if self._future.cancelled():
            return CancelledError()
        return self._future.exception()

    def add_done_callback(self, callback: Callable[[CompletableFuture[T]], object]) -> None:
        """Calls back once the future is done, at once if it is done already."""
        self._future.add_done_callback(lambda _: callback(self))

    def then_apply(self, function: Callable[[T], R]) -> CompletableFuture[R]:
        """Returns a future for what a function makes of this one's value.

        >>> CompletableFuture.completed_future(20).then_apply(lambda value: value + 1).result()
        21
        """
        applied: CompletableFuture[R] = CompletableFuture()

        def apply(source: CompletableFuture[T]) -> None:
            try:
                applied.complete(function(source.result()))
            except CancelledError:
                applied.cancel()
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits
                applied.complete_exceptionally(error)

        self.add_done_callback(apply)
        return applied

    def _complete_from(self, source: Future[T]) -> None:
        if source.cancelled():
            self.cancel()
            return
        error = source.exception()
        if error is None:
            self.complete(source.result())
        else:
            self.complete_exceptionally(error)

    def __repr__(self) -> str:
        if not self.done():
            state = "not completed"
        elif self.cancelled():
            state = "cancelled"
        elif self.exception() is not None:
            state = f"failed: {self.exception()!r}"
        else:
            state = "completed"
        return f"CompletableFuture[{state}]"
