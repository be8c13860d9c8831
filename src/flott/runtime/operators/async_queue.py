"""The queues of asynchronous calls: what may be handed on, and in which order."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from flott.runtime.batch import Batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.operator import Output


class Call:
    """One record under way."""

    __slots__ = ("deadline", "done", "place", "record", "results", "stamp", "task")

    def __init__(self, record: Any, stamp: int | None) -> None:
        self.record = record
        self.stamp = stamp
        self.done = False
        self.results: list[Any] = []
        self.deadline = 0.0
        self.task: Any = None
        self.place: Any = None
        """Where the queue keeps it."""


class Ready:
    """What may be handed on: records, and events such as watermarks between them."""

    __slots__ = ("_batch", "_parts")

    def __init__(self) -> None:
        self._batch: tuple[list[Any], list[int | None]] = ([], [])
        self._parts: list[Any] = []

    def add(self, call: Call) -> None:
        """Add the results of a call."""
        values, stamps = self._batch
        values.extend(call.results)
        stamps.extend([call.stamp] * len(call.results))

    def add_event(self, event: Callable[[Output], None]) -> None:
        """Add an event."""
        self._close_batch()
        self._parts.append(event)

    def _close_batch(self) -> None:
        values, stamps = self._batch
        if values:
            self._parts.append(Batch(values, stamps if any(stamp is not None for stamp in stamps) else None))
            self._batch = ([], [])

    def hand_on(self, output: Output) -> None:
        """Hand all on, in order."""
        self._close_batch()
        parts, self._parts = self._parts, []
        for part in parts:
            if isinstance(part, Batch):
                output.emit(part)
            else:
                part(output)


class OrderedQueue:
    """Results come out in the order of their records, whichever call ends first."""

    def __init__(self, ready: Ready) -> None:
        self._ready = ready
        self._queue: deque[Any] = deque()
        self.held = 0
        """How many records are under way or wait for those before them."""

    def put(self, call: Call) -> None:
        """Take a record's place in the queue."""
        self._queue.append(call)
        self.held += 1

    def put_event(self, event: Callable[[Output], None]) -> None:
        """Take an event's place in the queue."""
        self._queue.append(event)
        self._release()

    def complete(self, call: Call) -> None:
        """A call has its results."""
        call.done = True
        if self._queue[0] is call:
            self._release()

    def _release(self) -> None:
        queue, ready = self._queue, self._ready
        while queue:
            head = queue[0]
            if not isinstance(head, Call):
                ready.add_event(head)
            elif head.done:
                ready.add(head)
                self.held -= 1
            else:
                return
            queue.popleft()


class Segment:
    """The records between two events: free order inside, none overtakes the event behind them."""

    __slots__ = ("done", "event", "pending")

    def __init__(self) -> None:
        self.pending = 0
        self.done: list[Call] = []
        """Completed, while segments before this one are not."""
        self.event: Callable[[Output], None] | None = None
        """What ends the segment; None while it is the last."""


class UnorderedQueue:
    """Results come out as calls end, but no record overtakes an event, and no event a record."""

    def __init__(self, ready: Ready) -> None:
        self._ready = ready
        self._segments: deque[Segment] = deque([Segment()])
        self.held = 0
        """How many records are under way or wait for the segments before theirs."""

    def put(self, call: Call) -> None:
        """Take a record into the last segment."""
        segment = call.place = self._segments[-1]
        segment.pending += 1
        self.held += 1

    def put_event(self, event: Callable[[Output], None]) -> None:
        """End the last segment with an event, and begin another."""
        self._segments[-1].event = event
        self._segments.append(Segment())
        self._release()

    def complete(self, call: Call) -> None:
        """A call has its results."""
        segment: Segment = call.place
        segment.pending -= 1
        if segment is not self._segments[0]:
            segment.done.append(call)
            return
        self._ready.add(call)
        self.held -= 1
        self._release()

    def _release(self) -> None:
        segments, ready = self._segments, self._ready
        while not segments[0].pending and segments[0].event is not None:
            ready.add_event(segments[0].event)
            segments.popleft()
            for call in segments[0].done:
                ready.add(call)
            self.held -= len(segments[0].done)
            segments[0].done = []
