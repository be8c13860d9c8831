"""Window functions: what happens when a window fires."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

from flott.datastream.functions.base import Function, KeyedStateStore
from flott.runtime.windowing.functions import WindowContext
from flott.runtime.windowing.panes import PaneStateStore

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "AllWindowFunction",
    "PassThroughAllWindowFunction",
    "PassThroughWindowFunction",
    "ProcessAllWindowFunction",
    "ProcessWindowFunction",
    "WindowFunction",
]

IN = TypeVar("IN")
OUT = TypeVar("OUT")
KEY = TypeVar("KEY")
W = TypeVar("W")
W2 = TypeVar("W2")


class WindowFunction(Function, Generic[IN, OUT, KEY, W]):
    """Makes results of the records of one key in one window.

    >>> class Count(WindowFunction):
    ...     def apply(self, key, window, inputs):
    ...         yield key, sum(1 for _ in inputs)
    """

    @abstractmethod
    def apply(self, key: KEY, window: W, inputs: Iterable[IN]) -> Iterable[OUT]:
        """Returns or yields the results of a window that fires."""


class AllWindowFunction(Function, Generic[IN, OUT, W]):
    """Makes results of all records of one window, of a stream that is not keyed."""

    @abstractmethod
    def apply(self, window: W, inputs: Iterable[IN]) -> Iterable[OUT]:
        """Returns or yields the results of a window that fires."""


class ProcessWindowFunction(Function, Generic[IN, OUT, KEY, W]):
    """Makes results of the records of one key in one window, and may look at time and state.

    >>> class Spread(ProcessWindowFunction):
    ...     def process(self, key, context, elements):
    ...         yield key, context.window().start, max(elements) - min(elements)
    """

    class Context(ABC, Generic[W2]):
        """What a call knows besides the records."""

        @abstractmethod
        def window(self) -> W2:
            """Returns the window."""

        @abstractmethod
        def current_processing_time(self) -> int:
            """Returns the time of day in milliseconds since 1970."""

        @abstractmethod
        def current_watermark(self) -> int:
            """Returns the event time that was reached."""

        @abstractmethod
        def window_state(self) -> KeyedStateStore:
            """Gives access to state of the key in this window; remove it again in ``clear``."""

        @abstractmethod
        def global_state(self) -> KeyedStateStore:
            """Gives access to state of the key in all windows."""

    @abstractmethod
    def process(self, key: KEY, context: Context[W], elements: Iterable[IN]) -> Iterable[OUT]:
        """Returns or yields the results of a window that fires."""

    def clear(self, context: Context[W]) -> None:
        """Removes state of a window that is gone for good."""


class ProcessAllWindowFunction(Function, Generic[IN, OUT, W]):
    """Makes results of all records of one window, and may look at state; for streams that are not keyed."""

    class Context(ABC, Generic[W2]):
        """What a call knows besides the records."""

        @abstractmethod
        def window(self) -> W2:
            """Returns the window."""

        @abstractmethod
        def window_state(self) -> KeyedStateStore:
            """Gives access to state of this window; remove it again in ``clear``."""

        @abstractmethod
        def global_state(self) -> KeyedStateStore:
            """Gives access to state of all windows."""

    @abstractmethod
    def process(self, context: Context[W], elements: Iterable[IN]) -> Iterable[OUT]:
        """Returns or yields the results of a window that fires."""

    def clear(self, context: Context[W]) -> None:
        """Removes state of a window that is gone for good."""


class PassThroughWindowFunction(WindowFunction[IN, IN, KEY, W]):
    """Hands on what the window holds: its records, or the one value they were reduced to."""

    def apply(self, key: KEY, window: W, inputs: Iterable[IN]) -> Iterable[IN]:
        """Returns the inputs."""
        return inputs


class PassThroughAllWindowFunction(AllWindowFunction[IN, IN, W]):
    """Hands on what the window holds: its records, or the one value they were reduced to."""

    def apply(self, window: W, inputs: Iterable[IN]) -> Iterable[IN]:
        """Returns the inputs."""
        return inputs


# The engine's classes do not know the API, so the API claims them.
KeyedStateStore.register(PaneStateStore)
ProcessWindowFunction.Context.register(WindowContext)
ProcessAllWindowFunction.Context.register(WindowContext)
