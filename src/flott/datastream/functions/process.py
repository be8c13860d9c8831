"""Process functions: full access to a record, its timestamp, state, timers and side outputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from flott.datastream.functions.base import Function
from flott.runtime.operators.process import ProcessContext
from flott.runtime.operators.timed import KeyedContext

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.datastream.output_tag import OutputTag
    from flott.datastream.time_domain import TimeDomain
    from flott.datastream.timerservice import TimerService

__all__ = ["CoProcessFunction", "KeyedCoProcessFunction", "KeyedProcessFunction", "ProcessFunction"]


class ProcessFunction(Function):
    """Works on the records of a stream that is not keyed.

    Results are yielded or returned as an iterable; ``yield tag, value`` goes to a side output, and so does
    ``ctx.output(tag, value)``.

    >>> class Stamped(ProcessFunction):
    ...     def process_element(self, value, ctx):
    ...         yield value, ctx.timestamp()
    """

    class Context(ABC):
        """What a call to ``process_element`` knows besides the record."""

        @abstractmethod
        def timer_service(self) -> TimerService:
            """Returns the service that knows the time; timers need a keyed stream."""

        @abstractmethod
        def timestamp(self) -> int | None:
            """Returns the timestamp of the record, or None if it has none."""

        @abstractmethod
        def output(self, tag: OutputTag, value: Any) -> None:
            """Sends a value to a side output, with the timestamp of the record."""

    @abstractmethod
    def process_element(self, value: Any, ctx: Context) -> Iterable[Any] | None:
        """Works on a record; returns or yields any number of results."""


class KeyedProcessFunction(Function):
    """Works on the records of a keyed stream, with state and timers of each key.

    >>> from flott.common.typeinfo import Types
    >>> from flott.datastream.state import ValueStateDescriptor
    >>> class Count(KeyedProcessFunction):
    ...     def open(self, runtime_context):
    ...         self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))
    ...
    ...     def process_element(self, value, ctx):
    ...         count = (self.count.value() or 0) + 1
    ...         self.count.update(count)
    ...         yield ctx.get_current_key(), count
    """

    class Context(ABC):
        """What a call to ``process_element`` knows besides the record."""

        @abstractmethod
        def get_current_key(self) -> Any:
            """Returns the key of the record."""

        @abstractmethod
        def timer_service(self) -> TimerService:
            """Returns the service that knows the time and keeps timers."""

        @abstractmethod
        def timestamp(self) -> int | None:
            """Returns the timestamp of the record, or None if it has none."""

        @abstractmethod
        def output(self, tag: OutputTag, value: Any) -> None:
            """Sends a value to a side output, with the timestamp of the record."""

    class OnTimerContext(Context):
        """What a call to ``on_timer`` knows besides the time."""

        @abstractmethod
        def time_domain(self) -> TimeDomain:
            """Says whether the timer was one of event time or of processing time."""

    @abstractmethod
    def process_element(self, value: Any, ctx: Context) -> Iterable[Any] | None:
        """Works on a record; returns or yields any number of results."""

    def on_timer(self, timestamp: int, ctx: OnTimerContext) -> Iterable[Any] | None:
        """Is called when a timer is due that was registered for the key."""


class CoProcessFunction(Function):
    """Works on the records of two connected streams."""

    class Context(ABC):
        """What a call knows besides the record."""

        @abstractmethod
        def timer_service(self) -> TimerService:
            """Returns the service that knows the time; timers need keyed streams."""

        @abstractmethod
        def timestamp(self) -> int | None:
            """Returns the timestamp of the record, or None if it has none."""

        @abstractmethod
        def output(self, tag: OutputTag, value: Any) -> None:
            """Sends a value to a side output, with the timestamp of the record."""

    @abstractmethod
    def process_element1(self, value: Any, ctx: Context) -> Iterable[Any] | None:
        """Works on a record of the first stream; returns or yields any number of results."""

    @abstractmethod
    def process_element2(self, value: Any, ctx: Context) -> Iterable[Any] | None:
        """Works on a record of the second stream; returns or yields any number of results."""


class KeyedCoProcessFunction(Function):
    """Works on the records of two connected keyed streams, which share the state of each key."""

    class Context(ABC):
        """What a call knows besides the record."""

        @abstractmethod
        def get_current_key(self) -> Any:
            """Returns the key of the record."""

        @abstractmethod
        def timer_service(self) -> TimerService:
            """Returns the service that knows the time and keeps timers."""

        @abstractmethod
        def timestamp(self) -> int | None:
            """Returns the timestamp of the record, or None if it has none."""

        @abstractmethod
        def output(self, tag: OutputTag, value: Any) -> None:
            """Sends a value to a side output, with the timestamp of the record."""

    class OnTimerContext(Context):
        """What a call to ``on_timer`` knows besides the time."""

        @abstractmethod
        def time_domain(self) -> TimeDomain:
            """Says whether the timer was one of event time or of processing time."""

    @abstractmethod
    def process_element1(self, value: Any, ctx: Context) -> Iterable[Any] | None:
        """Works on a record of the first stream; returns or yields any number of results."""

    @abstractmethod
    def process_element2(self, value: Any, ctx: Context) -> Iterable[Any] | None:
        """Works on a record of the second stream; returns or yields any number of results."""

    def on_timer(self, timestamp: int, ctx: OnTimerContext) -> Iterable[Any] | None:
        """Is called when a timer is due that was registered for the key."""


# The engine's contexts do not know the API, so the API claims them.
ProcessFunction.Context.register(ProcessContext)
KeyedProcessFunction.Context.register(KeyedContext)
KeyedProcessFunction.OnTimerContext.register(KeyedContext)
CoProcessFunction.Context.register(ProcessContext)
KeyedCoProcessFunction.Context.register(KeyedContext)
KeyedCoProcessFunction.OnTimerContext.register(KeyedContext)
