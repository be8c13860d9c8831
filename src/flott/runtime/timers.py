"""The timer service of an operator: callbacks at moments of event time and of processing time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from flott.runtime.batch import MIN_TIMESTAMP
from flott.runtime.moment_queue import MomentQueue
from flott.runtime.state.kinds import TIMERS, TIMERS_BY_MOMENT
from flott.runtime.timer_queue import NEVER, KeyOwner, TimerQueue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.clock import Clock
    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.timer_queue import OwnerCodec, Owners

TimersState: TypeAlias = "tuple[int, Any, Any]"


class TimerStorage(Protocol):
    """Where timers of one domain wait: one by one (TimerQueue), or together by their moment (MomentQueue)."""

    withdrawn: Owners
    """Of the timers that ``due`` returned last, those that were deleted since."""

    def add(self, owner: Any, time: int) -> None:
        """Register a timer; a second one for the same owner and moment is the same timer."""

    def remove(self, owner: Any, time: int) -> None:
        """Delete a timer, if it is registered."""

    def due(self, until: int) -> Iterator[tuple[int, list[Any]]]:
        """Take out what is due at ``until``, moment by moment; sees what is registered meanwhile."""

    def earliest(self) -> int:
        """Return the moment of the first timer, or NEVER."""

    def all(self) -> list[tuple[int, Any]]:
        """Return every timer, by reading all of them."""

    def snapshot(self) -> Any:
        """Return what the next epoch needs besides the store."""

    def restore(self, carried: Any, /) -> None:
        """Start an epoch with what ``snapshot`` returned; without it, look into the store."""


class TimerService:
    """Two queues of timers, and what time it is for them.

    A timer belongs to an owner. In process functions that is the key; in windows it is the pair of key and window,
    for which a codec is given. ``on_event_time`` and ``on_processing_time`` get the time and the owner; the key is
    set before.

    With ``by_moment``, event-time timers of the same moment are stored together, as suits windows that end together.
    Timers that were saved in the other storage are taken over, if it is given as True or False.
    """

    def __init__(
        self,
        backend: KeyedBackend,
        name: str,
        clock: Clock,
        on_event_time: Callable[[int, Any], None],
        on_processing_time: Callable[[int, Any], None],
        codec: OwnerCodec | None = None,
        *,
        by_moment: bool | None = None,
    ) -> None:
        codec = codec or KeyOwner()
        self._scope = backend.scope
        self._clock = clock
        self._key_of = None if isinstance(codec, KeyOwner) else codec.key_of
        self._on_event_time = on_event_time
        self._on_processing_time = on_processing_time
        self.events: TimerStorage = _queue(backend, f"_timer_state/event_{name}", codec)
        """The event-time timers, for whoever registers them by owner."""
        self._former: TimerStorage | None = None
        """The other storage, from which timers are taken over."""
        if by_moment is not None:
            self._former = _by_moment(backend, f"_timer_state/event_{name.removesuffix('-timers')}-moments", codec)
        if by_moment:
            self.events, self._former = self._former, self.events  # type: ignore[assignment]
        self.processing: TimerStorage = _queue(backend, f"_timer_state/processing_{name}", codec)
        """The processing-time timers, for whoever registers them by owner."""
        self._watermark = MIN_TIMESTAMP

    # What user functions see: the timers of the current key

    def current_watermark(self) -> int:
        """Return the event time that was reached."""
        return self._watermark

    def current_processing_time(self) -> int:
        """Return the time of day in milliseconds since 1970."""
        return self._clock.now()

    def register_event_time_timer(self, timestamp: int) -> None:
        """Ask to be called back when the watermark reaches ``timestamp``."""
        self.events.add(self._scope.key, timestamp)

    def register_processing_time_timer(self, timestamp: int) -> None:
        """Ask to be called back when the time of day reaches ``timestamp``."""
        self.processing.add(self._scope.key, timestamp)

    def delete_event_time_timer(self, timestamp: int) -> None:
        """Delete an event-time timer, if it is registered."""
        self.events.remove(self._scope.key, timestamp)

    def delete_processing_time_timer(self, timestamp: int) -> None:
        """Delete a processing-time timer, if it is registered."""
        self.processing.remove(self._scope.key, timestamp)

    # What the operator calls

    def advance_watermark(self, timestamp: int) -> None:
        """Event time reached ``timestamp``: fire what is due, also what the callbacks register meanwhile."""
        self._watermark = timestamp
        self._fire(self.events, timestamp, self._on_event_time)

    def advance_watermark_by_moment(self, timestamp: int) -> Iterator[tuple[int, list[Any]]]:
        """Event time reached ``timestamp``: yield what is due, all owners of a moment at once, instead of calls."""
        self._watermark = timestamp
        return self.events.due(timestamp)

    def advance_processing_time(self, now: int) -> None:
        """The time of day reached ``now``: fire what is due."""
        self._fire(self.processing, now, self._on_processing_time)

    def next_processing_time(self) -> int | None:
        """Return when the next processing-time timer may be due; None if there is none."""
        earliest = self.processing.earliest()
        return None if earliest == NEVER else earliest

    def _fire(self, queue: TimerStorage, until: int, callback: Callable[[int, Any], None]) -> None:
        scope = self._scope
        key_of = self._key_of
        time = None
        for time, owners in queue.due(until):
            for owner in owners:
                if queue.withdrawn and owner in queue.withdrawn:
                    continue
                scope.key = owner if key_of is None else key_of(owner)
                callback(time, owner)
        if time is not None:
            scope.unset()

    # Between epochs

    def snapshot(self) -> TimersState:
        """Return what the next epoch needs besides the store: the watermark, and from when on timers are stored."""
        return self._watermark, self.events.snapshot(), self.processing.snapshot()

    def restore(self, carried: TimersState | None) -> None:
        """Start an epoch with what ``snapshot`` returned; without it event time starts anew, the timers do not."""
        self._watermark, events, processing = carried or (MIN_TIMESTAMP, None, None)
        self.events.restore(events)
        self.processing.restore(processing)
        if carried is None and self._former is not None:
            # The program has changed: what was restored may wait in the other storage.
            self._former.restore(None)
            for time, owners in self._former.due(NEVER - 1):
                for owner in owners:
                    self.events.add(owner, time)


def _by_moment(backend: KeyedBackend, name: str, codec: OwnerCodec) -> MomentQueue:
    queue: MomentQueue = backend.part(name, TIMERS_BY_MOMENT, lambda: MomentQueue(backend, name, codec))
    return queue


def _queue(backend: KeyedBackend, name: str, codec: OwnerCodec) -> TimerQueue:
    queue: TimerQueue = backend.part(name, TIMERS, lambda: TimerQueue(backend, name, codec))
    return queue
