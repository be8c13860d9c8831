"""Functions over a stream and a broadcast one, whose state every subtask holds in full."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from flott.datastream.functions.base import Function
from flott.runtime.operators.broadcast_process import BroadcastContext
from flott.runtime.operators.keyed_broadcast_process import KeyedBroadcastContext, KeyedReadOnlyContext

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.datastream.output_tag import OutputTag
    from flott.datastream.state import BroadcastState, MapStateDescriptor, ReadOnlyBroadcastState, StateDescriptor
    from flott.datastream.time_domain import TimeDomain
    from flott.datastream.timerservice import TimerService

__all__ = ["BaseBroadcastProcessFunction", "BroadcastProcessFunction", "KeyedBroadcastProcessFunction"]


class BaseBroadcastProcessFunction(Function):
    """What both kinds of broadcast function have in common: the contexts."""

    class BaseContext(ABC):
        """What any call knows besides the record."""

        @abstractmethod
        def timestamp(self) -> int | None:
            """Returns the timestamp of the record, or None if it has none."""

        @abstractmethod
        def current_processing_time(self) -> int:
            """Returns the time of day in milliseconds since 1970."""

        @abstractmethod
        def current_watermark(self) -> int:
            """Returns the event time that was reached."""

        @abstractmethod
        def output(self, tag: OutputTag, value: Any) -> None:
            """Sends a value to a side output, with the timestamp of the record."""

    class Context(BaseContext):
        """The broadcast side, which may write broadcast state."""

        @abstractmethod
        def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> BroadcastState[Any, Any]:
            """Returns the broadcast state that a descriptor describes."""

    class ReadOnlyContext(BaseContext):
        """The other side, which may only read broadcast state."""

        @abstractmethod
        def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> ReadOnlyBroadcastState[Any, Any]:
            """Returns the broadcast state that a descriptor describes."""


class BroadcastProcessFunction(BaseBroadcastProcessFunction):
    """Works on a stream that is not keyed, next to a broadcast one."""

    class Context(BaseBroadcastProcessFunction.Context, ABC):
        """What a call for a broadcast record knows."""

    class ReadOnlyContext(BaseBroadcastProcessFunction.ReadOnlyContext, ABC):
        """What a call for a record of the other stream knows."""

    @abstractmethod
    def process_element(self, value: Any, ctx: ReadOnlyContext) -> Iterable[Any] | None:
        """Works on a record of the stream that is not broadcast."""

    @abstractmethod
    def process_broadcast_element(self, value: Any, ctx: Context) -> Iterable[Any] | None:
        """Works on a broadcast record, in every subtask; all must do the same to broadcast state."""


class KeyedBroadcastProcessFunction(BaseBroadcastProcessFunction):
    """Works on a keyed stream, with state and timers of each key, next to a broadcast one."""

    class Context(BaseBroadcastProcessFunction.Context, ABC):
        """What a call for a broadcast record knows."""

        @abstractmethod
        def apply_to_keyed_state(self, state_descriptor: StateDescriptor, function: Callable[[Any, Any], None]) -> None:
            """Calls ``function(key, state)`` for every key of this subtask that has something in a state.

            A broadcast record has no key, so this is its way to the state of keys; the function may change it:

            >>> reset = lambda key, state: state.clear()
            >>> ctx.apply_to_keyed_state(descriptor, reset)  # doctest: +SKIP
            """

    class ReadOnlyContext(BaseBroadcastProcessFunction.ReadOnlyContext, ABC):
        """What a call for a record of the keyed stream knows."""

        @abstractmethod
        def timer_service(self) -> TimerService:
            """Returns the service that knows the time and keeps timers."""

        @abstractmethod
        def get_current_key(self) -> Any:
            """Returns the key of the record."""

    class OnTimerContext(BaseBroadcastProcessFunction.ReadOnlyContext, ABC):
        """What a call to ``on_timer`` knows besides the time."""

        @abstractmethod
        def time_domain(self) -> TimeDomain:
            """Says whether the timer was one of event time or of processing time."""

        @abstractmethod
        def timer_service(self) -> TimerService:
            """Returns the service that knows the time and keeps timers."""

        @abstractmethod
        def get_current_key(self) -> Any:
            """Returns the key the timer was registered for."""

    @abstractmethod
    def process_element(self, value: Any, ctx: ReadOnlyContext) -> Iterable[Any] | None:
        """Works on a record of the keyed stream."""

    @abstractmethod
    def process_broadcast_element(self, value: Any, ctx: Context) -> Iterable[Any] | None:
        """Works on a broadcast record, in every subtask; all must do the same to broadcast state."""

    def on_timer(self, timestamp: int, ctx: OnTimerContext) -> Iterable[Any] | None:
        """Is called when a timer is due that was registered for the key."""


# The engine's contexts do not know the API, so the API claims them. Both sides without a key have one class.
BroadcastProcessFunction.Context.register(BroadcastContext)
BroadcastProcessFunction.ReadOnlyContext.register(BroadcastContext)
KeyedBroadcastProcessFunction.Context.register(KeyedBroadcastContext)
KeyedBroadcastProcessFunction.ReadOnlyContext.register(KeyedReadOnlyContext)
KeyedBroadcastProcessFunction.OnTimerContext.register(KeyedReadOnlyContext)
