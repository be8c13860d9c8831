"""What a trigger is: it says when a window is looked at, and when its records go. For user-written ones too."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from flott.errors import FlottError

if TYPE_CHECKING:
    from flott.runtime.metric_group import MetricGroup

T = TypeVar("T")
W = TypeVar("W")


class TriggerResult(Enum):
    """What happens to a window after its trigger was asked.

    >>> TriggerResult.FIRE_AND_PURGE.is_fire(), TriggerResult.FIRE.is_purge()
    (True, False)
    """

    CONTINUE = (False, False)
    """Nothing."""
    FIRE_AND_PURGE = (True, True)
    """The window's function is called, then its records go."""
    FIRE = (True, False)
    """The window's function is called; the records stay, for a later firing."""
    PURGE = (False, True)
    """The records go."""

    def __init__(self, fire: bool, purge: bool) -> None:
        # Asked for every record, and an enum's ``value`` is slow.
        self._fire = fire
        self._purge = purge

    def is_fire(self) -> bool:
        """Says whether the window's function is called."""
        return self._fire

    def is_purge(self) -> bool:
        """Says whether the window's records go."""
        return self._purge


class Trigger(ABC, Generic[T, W]):
    """Says when a window is looked at.

    It is asked at every record, and at every timer that it registered. One object serves all keys and windows, so
    what it must remember about one of them belongs in ``ctx.get_partitioned_state(...)``.

    >>> class AtEveryBigOne(Trigger):
    ...     def on_element(self, element, timestamp, window, ctx):
    ...         return TriggerResult.FIRE if element > 100 else TriggerResult.CONTINUE
    ...
    ...     def on_processing_time(self, time, window, ctx):
    ...         return TriggerResult.CONTINUE
    ...
    ...     def on_event_time(self, time, window, ctx):
    ...         return TriggerResult.CONTINUE
    ...
    ...     def clear(self, window, ctx):
    ...         pass
    """

    class TriggerContext(ABC):
        """What a trigger can see and do."""

        @abstractmethod
        def get_current_processing_time(self) -> int:
            """Returns the time of day in milliseconds since 1970."""

        @abstractmethod
        def get_metric_group(self) -> MetricGroup:
            """Returns the group in which the trigger may register metrics."""

        @abstractmethod
        def get_current_watermark(self) -> int:
            """Returns the event time that was reached."""

        @abstractmethod
        def register_processing_time_timer(self, time: int) -> None:
            """Asks for a call of ``on_processing_time`` when the time of day reaches ``time``."""

        @abstractmethod
        def register_event_time_timer(self, time: int) -> None:
            """Asks for a call of ``on_event_time`` when the watermark reaches ``time``."""

        @abstractmethod
        def delete_processing_time_timer(self, time: int) -> None:
            """Takes a processing-time timer back."""

        @abstractmethod
        def delete_event_time_timer(self, time: int) -> None:
            """Takes an event-time timer back."""

        @abstractmethod
        def get_partitioned_state(self, state_descriptor: Any) -> Any:
            """Returns state of the key in this window."""

    class OnMergeContext(TriggerContext):
        """What a trigger can see and do when windows grow together."""

        @abstractmethod
        def merge_partitioned_state(self, state_descriptor: Any) -> None:
            """Merges a state of the former windows into that of the new one: list, reducing or aggregating."""

    @abstractmethod
    def on_element(self, element: T, timestamp: int, window: W, ctx: TriggerContext) -> TriggerResult:
        """Is asked after a record was added to the window."""

    @abstractmethod
    def on_processing_time(self, time: int, window: W, ctx: TriggerContext) -> TriggerResult:
        """Is asked when a processing-time timer of the window is due."""

    @abstractmethod
    def on_event_time(self, time: int, window: W, ctx: TriggerContext) -> TriggerResult:
        """Is asked when an event-time timer of the window is due."""

    def can_merge(self) -> bool:
        """Says whether the trigger works with windows that grow together; then ``on_merge`` must too."""
        return False

    def on_merge(self, window: W, ctx: OnMergeContext) -> None:
        """Is told that former windows became this one."""
        raise FlottError(
            f"{type(self).__name__} can't be used with session windows: it has no on_merge. "
            f"Return True from can_merge() and write on_merge(window, ctx), or use another trigger."
        )

    @abstractmethod
    def clear(self, window: W, ctx: TriggerContext) -> None:
        """Removes what the trigger remembers about a window that is gone, and its timers."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"
