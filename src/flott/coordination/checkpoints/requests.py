"""Who asked for a checkpoint, and which request may start now."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flott.common import CompletableFuture

if TYPE_CHECKING:
    from flott.coordination.checkpoints.settings import CheckpointSettings

MOST_WAITING = 1000


@dataclass(frozen=True, slots=True)
class SavepointRequest:
    """Somebody wants a savepoint."""

    directory: str
    """Where it goes; the savepoint gets a folder of its own there."""
    stop: bool = False
    """The job ends with it."""
    drain: bool = False
    """Before, event time goes to its end: all windows and timers fire, and no later run should go on from it."""
    promise: CompletableFuture[str] = field(default_factory=CompletableFuture)


class RequestQueue:
    """Decides when the next checkpoint starts. Savepoints go before periodic checkpoints.

    All times are of one monotonic clock, in milliseconds. Requests may come from any thread; the rest is called by
    the job's own.

    >>> from flott.coordination.checkpoints.settings import CheckpointSettings
    >>> queue = RequestQueue(CheckpointSettings(interval=1000), now=0)
    >>> queue.periodic_due(999, pending=0, backlog=False), queue.periodic_due(1000, pending=0, backlog=False)
    (False, True)
    """

    def __init__(self, settings: CheckpointSettings, now: int) -> None:
        self._settings = settings
        self._last_trigger = now
        self._last_completion: int | None = None
        self._savepoints: list[SavepointRequest] = []
        self._lock = threading.Lock()

    def ask(self, request: SavepointRequest) -> bool:
        """Add a request for a savepoint; False when too many are waiting already."""
        with self._lock:
            if len(self._savepoints) >= MOST_WAITING:
                return False
            self._savepoints.append(request)
        return True

    def next_savepoint(self) -> SavepointRequest | None:
        """Take the savepoint whose turn it is; it waits for nothing, as whoever asked does."""
        with self._lock:
            return self._savepoints.pop(0) if self._savepoints else None

    def waiting(self) -> bool:
        """Return whether somebody waits for a savepoint."""
        return bool(self._savepoints)

    def periodic_due(self, now: int, pending: int, *, backlog: bool) -> bool:
        """Return whether a periodic checkpoint starts now: its interval is over, and nothing holds it up."""
        interval = self._interval(backlog=backlog)
        if interval is None or now < self._last_trigger + interval:
            return False
        return self.may_start(now, pending)

    def may_start(self, now: int, pending: int) -> bool:
        """Return whether neither too many others are under way nor the pause since the last one is too short."""
        settings = self._settings
        rested = self._last_completion is None or now >= self._last_completion + settings.min_pause
        return pending < settings.max_concurrent and rested

    def next_due(self, *, backlog: bool) -> int | None:
        """Return when a periodic checkpoint may start next."""
        interval = self._interval(backlog=backlog)
        if interval is None:
            return None
        pause_over = 0 if self._last_completion is None else self._last_completion + self._settings.min_pause
        return max(self._last_trigger + interval, pause_over)

    def _interval(self, *, backlog: bool) -> int | None:
        settings = self._settings
        if backlog and settings.interval_during_backlog is not None:
            return settings.interval_during_backlog or None
        return settings.interval

    def triggered(self, now: int) -> None:
        """A checkpoint has started: the interval counts from here."""
        self._last_trigger = now

    def completed(self, now: int) -> None:
        """A checkpoint was completed: the pause counts from here."""
        self._last_completion = now

    def refuse_all(self, error: Exception) -> None:
        """Answer everybody who still waits."""
        while (request := self.next_savepoint()) is not None:
            request.promise.complete_exceptionally(error)
