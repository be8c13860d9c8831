"""Asynchronous I/O: many calls to something outside at a time, on an event loop of the operator's own.

The loop runs only while the operator has the floor: when there is no room for more records, and at the end of an
epoch, when all calls are waited for. So nothing is under way between epochs and nothing has to be kept for a restart,
and results leave in the task's own thread.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from flott.errors import USER_CODE_RAISES, FlottError
from flott.runtime.context import RuntimeContext
from flott.runtime.operators.async_queue import Call, OrderedQueue, Ready, UnorderedQueue
from flott.runtime.operators.user_function import UserFunctionOperator
from flott.runtime.value_kinds import NotCopiedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.batch import Batch


class Retries(Protocol):
    """When a call is tried again: the part of an AsyncRetryStrategy that the operator needs."""

    def can_retry(self, current_attempts: int) -> bool:
        """Say whether there may be another try after so many."""

    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """Return how long to wait before the next try."""

    def get_retry_predicate(self) -> Any:
        """Return what decides whether a call needs another try."""


@dataclass(frozen=True, slots=True)
class AsyncSettings:
    """How calls are made."""

    ordered: bool
    timeout: int
    """How long a call may take, all tries together, in milliseconds; 0: for ever."""
    capacity: int
    """How many records are under way at most."""
    retries: Retries | None = None


class AsyncWait(UserFunctionOperator):
    """Calls ``async_invoke`` for each record, up to ``capacity`` at a time."""

    loop: asyncio.AbstractEventLoop
    queue: OrderedQueue | UnorderedQueue

    def __init__(self, function: Any, settings: AsyncSettings) -> None:
        super().__init__(function)
        self.settings = settings

    # Life

    def open(self) -> None:
        settings = self.settings
        self.loop = asyncio.new_event_loop()
        self._ready = Ready()
        self.queue = (OrderedQueue if settings.ordered else UnorderedQueue)(self._ready)
        self._incoming: Iterator[tuple[Any, int | None]] | None = None
        self._draining = False
        self._closing = False
        self._error: tuple[BaseException, Any] | None = None
        self._deadlines: deque[Call] = deque()
        """The calls in the order of their deadlines, which is that of their beginning."""
        self._watchdog: asyncio.TimerHandle | None = None
        self._stood = 0.0
        """For how long the loop stood still so far: no call can be blamed for that."""
        self._stopped_at: float | None = None
        predicate = None if settings.retries is None else settings.retries.get_retry_predicate()
        self._bad_result = None if predicate is None else predicate.result_predicate()
        self._bad_error = None if predicate is None else predicate.exception_predicate()
        self._begin = self._call if self._bad_result is None and self._bad_error is None else self._call_with_retries
        try:
            self.loop.run_until_complete(self._in_loop(self.function.open, RuntimeContext(self.context)))
        except USER_CODE_RAISES as error:
            self.loop.close()
            raise self.failure(error, "none: it failed in open()") from None

    async def _in_loop(self, call: Callable[..., Any], *arguments: Any) -> None:
        """Call something where clients that need a running loop can be made; it may be a coroutine function itself."""
        result = call(*arguments)
        if inspect.isawaitable(result):
            await result

    def close(self) -> None:
        loop = self.loop
        if loop.is_closed():
            return
        self._closing = True
        try:
            loop.run_until_complete(self._give_up())
            loop.run_until_complete(self._in_loop(self.function.close))
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()

    async def _give_up(self) -> None:
        """End what is under way, after a failure."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def snapshot(self) -> Any:
        self._drain()
        return super().snapshot()

    def finish(self) -> None:
        self._drain()

    # What comes in

    def process(self, batch: Batch) -> None:
        self._resume()
        self._incoming = iter(batch)
        if self._admit():
            self._run_once()
        else:
            self._run()

    def on_watermark(self, timestamp: int) -> int | None:
        self.queue.put_event(lambda output: output.emit_watermark(timestamp))
        self._ready.hand_on(self.output)
        return None  # It is in the queue, behind the records before it.

    def on_status(self, active: bool) -> bool | None:
        # Rare, so that what is under way can be waited for.
        self._drain()
        return active

    def process_time(self, now: int) -> None:
        if self.queue.held:
            self._run_once()

    def _drain(self) -> None:
        if self.queue.held:
            self._draining = True
            self._run()
            self._draining = False

    # The loop

    def _run(self) -> None:
        """Let the loop run until what comes in is under way or, at the end of an epoch, done."""
        self._resume()
        self._watch()
        self.loop.run_forever()
        self._pause()

    def _run_once(self) -> None:
        """Let the loop do what can be done at once: send requests, take answers."""
        self.loop.call_soon(self.loop.stop)
        self._run()

    def _resume(self) -> None:
        if self._stopped_at is not None:
            self._stood += self.loop.time() - self._stopped_at
            self._stopped_at = None

    def _pause(self) -> None:
        self._stopped_at = self.loop.time()
        if self._watchdog is not None:
            self._watchdog.cancel()
            self._watchdog = None
        if self._error is not None:
            error, record = self._error
            raise self.failure(error, record) from None
        self._ready.hand_on(self.output)

    def _admit(self) -> bool:
        """Begin calls while there is room; say whether all that came in is under way."""
        incoming, queue, capacity = self._incoming, self.queue, self.settings.capacity
        if incoming is None:
            return True
        start, begin, loop = self.loop.create_task, self._begin, self.loop
        lasts = self.settings.timeout / 1000
        while queue.held < capacity:
            following = next(incoming, None)
            if following is None:
                self._incoming = None
                return True
            call = Call(*following)
            queue.put(call)
            if lasts:
                call.deadline = loop.time() - self._stood + lasts
                self._deadlines.append(call)
            call.task = start(begin(call))
        return False

    # One call

    async def _call(self, call: Call) -> None:
        try:
            results = await self.function.async_invoke(call.record)
        except USER_CODE_RAISES as error:
            self._fail(error, call)
        else:
            self._complete(call, results)

    async def _call_with_retries(self, call: Call) -> None:
        retries = self.settings.retries
        assert retries is not None  # noqa: S101 - for the type checker: there are predicates
        bad_result, bad_error = self._bad_result, self._bad_error
        attempts = 1
        try:
            while True:
                try:
                    results = await self.function.async_invoke(call.record)
                    again = bad_result is not None and bad_result(results) and retries.can_retry(attempts)
                except USER_CODE_RAISES as error:
                    again = bad_error is not None and bad_error(error) and retries.can_retry(attempts)
                    if not again:
                        raise
                if not again:
                    break
                await asyncio.sleep(retries.get_backoff_time_millis(attempts) / 1000)
                attempts += 1
        except USER_CODE_RAISES as error:
            self._fail(error, call)
        else:
            self._complete(call, results)

    def _complete(self, call: Call, results: Any) -> None:
        if call.done:
            return
        if not isinstance(results, list):
            # A text is iterable too, and a generator would run later than it should.
            if results is None or isinstance(results, str | bytes) or not hasattr(results, "__iter__"):
                self._fail(self._no_list(results, call.record), call)
                return
            results = list(results)
        try:
            call.results = list(map(self.context.emission.one, results))
        except NotCopiedError as error:
            self._fail(error, call)
            return
        call.done = True
        self.queue.complete(call)
        if (self._admit() and not self._draining) or not self.queue.held:
            self.loop.stop()

    def _fail(self, error: BaseException, call: Call) -> None:
        if self._error is None:
            self._error = error, call.record
        # A call that is given up may fail on its way out; the others must still get that far.
        if not self._closing:
            self.loop.stop()

    def _no_list(self, results: Any, record: Any) -> FlottError:
        message = (
            f"{self.who()} returned {results!r:.100} ({type(results).__name__}) for record {record!r:.200}. "
            f"Return a list of results from async_invoke and timeout: [result], or [] for none."
        )
        return FlottError(message)

    # Timeouts

    def _watch(self) -> None:
        """Wake up for the first deadline of a call that is under way."""
        deadlines = self._deadlines
        while deadlines and deadlines[0].done:
            deadlines.popleft()
        if deadlines:
            self._watchdog = self.loop.call_at(deadlines[0].deadline + self._stood, self._time_is_up)

    def _time_is_up(self) -> None:
        deadlines, now = self._deadlines, self.loop.time() - self._stood
        while deadlines and (deadlines[0].done or deadlines[0].deadline <= now):
            call = deadlines.popleft()
            if not call.done:
                self._expire(call)
        self._watch()

    def _expire(self, call: Call) -> None:
        try:
            results = self.function.timeout(call.record)
        except USER_CODE_RAISES as error:
            self._fail(error, call)
            return
        call.task.cancel()
        self._complete(call, results)
