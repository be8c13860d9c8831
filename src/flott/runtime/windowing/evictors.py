"""Evictors: they take records out of a window before, or after, its function sees them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from flott.common.time import TimeInterval, to_milliseconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.metric_group import MetricGroup

T = TypeVar("T")
W = TypeVar("W")


class TimestampedValue(NamedTuple):
    """A record in a window, and its timestamp, None if it has none."""

    value: Any
    timestamp: int | None

    def get_value(self) -> Any:
        """Returns the record."""
        return self.value

    def get_timestamp(self) -> int | None:
        """Returns the timestamp."""
        return self.timestamp

    def has_timestamp(self) -> bool:
        """Says whether the record has a timestamp."""
        return self.timestamp is not None


class Evictor(ABC, Generic[T, W]):
    """Takes records out of a window that fires.

    ``elements`` is the list of the window's records, oldest first; what is deleted from the list is gone for good.

    >>> class OnlyPositive(Evictor):
    ...     def evict_before(self, elements, size, window, evictor_context):
    ...         elements[:] = [element for element in elements if element.value > 0]
    ...
    ...     def evict_after(self, elements, size, window, evictor_context):
    ...         pass
    """

    class EvictorContext(ABC):
        """What an evictor knows besides the records."""

        @abstractmethod
        def get_current_processing_time(self) -> int:
            """Returns the time of day in milliseconds since 1970."""

        @abstractmethod
        def get_metric_group(self) -> MetricGroup:
            """Returns the group in which the evictor may register metrics."""

        @abstractmethod
        def get_current_watermark(self) -> int:
            """Returns the event time that was reached."""

    @abstractmethod
    def evict_before(
        self, elements: list[TimestampedValue], size: int, window: W, evictor_context: EvictorContext
    ) -> None:
        """Is called before the window's function, which sees only what is left."""

    @abstractmethod
    def evict_after(
        self, elements: list[TimestampedValue], size: int, window: W, evictor_context: EvictorContext
    ) -> None:
        """Is called after the window's function."""


class _BuiltInEvictor(Evictor[Any, Any]):
    def __init__(self, do_evict_after: bool) -> None:
        self._after = do_evict_after

    def evict_before(
        self, elements: list[TimestampedValue], size: int, window: Any, evictor_context: Evictor.EvictorContext
    ) -> None:
        """Evicts, unless it is to be done afterwards."""
        if not self._after:
            self._evict(elements)

    def evict_after(
        self, elements: list[TimestampedValue], size: int, window: Any, evictor_context: Evictor.EvictorContext
    ) -> None:
        """Evicts, if it is to be done afterwards."""
        if self._after:
            self._evict(elements)

    @abstractmethod
    def _evict(self, elements: list[TimestampedValue]) -> None:
        """Takes records out."""


class CountEvictor(_BuiltInEvictor):
    """Keeps the newest so many records.

    >>> CountEvictor.of(100)
    CountEvictor(100)
    """

    def __init__(self, max_count: int, do_evict_after: bool = False) -> None:
        super().__init__(do_evict_after)
        self._max_count = max_count

    @staticmethod
    def of(max_count: int, do_evict_after: bool = False) -> CountEvictor:
        """Makes an evictor that keeps ``max_count`` records."""
        return CountEvictor(max_count, do_evict_after)

    def _evict(self, elements: list[TimestampedValue]) -> None:
        del elements[: max(0, len(elements) - self._max_count)]

    def __repr__(self) -> str:
        return f"CountEvictor({self._max_count})"


class TimeEvictor(_BuiltInEvictor):
    """Keeps the records whose timestamp is less than so much before the largest in the window.

    >>> TimeEvictor.of(5000)
    TimeEvictor(5000)
    """

    def __init__(self, window_size: int, do_evict_after: bool = False) -> None:
        super().__init__(do_evict_after)
        self._window_size = window_size

    @staticmethod
    def of(window_size: TimeInterval, do_evict_after: bool = False) -> TimeEvictor:
        """Makes an evictor that keeps the records of the last ``window_size``."""
        return TimeEvictor(to_milliseconds(window_size), do_evict_after)

    def _evict(self, elements: list[TimestampedValue]) -> None:
        if not elements or elements[0].timestamp is None:
            return
        times = [_time(element) for element in elements]
        cut = max(times) - self._window_size
        elements[:] = [element for element, time in zip(elements, times, strict=True) if time > cut]

    def __repr__(self) -> str:
        return f"TimeEvictor({self._window_size})"


class DeltaEvictor(_BuiltInEvictor):
    """Keeps the records that are closer than a threshold to the newest one.

    >>> DeltaEvictor.of(10, lambda record, newest: abs(newest - record))
    DeltaEvictor(10)
    """

    def __init__(
        self, threshold: float, delta_function: Callable[[Any, Any], float], do_evict_after: bool = False
    ) -> None:
        super().__init__(do_evict_after)
        self._threshold = threshold
        self._delta: Callable[[Any, Any], float] = getattr(delta_function, "get_delta", delta_function)

    @staticmethod
    def of(threshold: float, delta_function: Callable[[Any, Any], float], do_evict_after: bool = False) -> DeltaEvictor:
        """Makes an evictor of a threshold and a function of a record and the newest one."""
        return DeltaEvictor(threshold, delta_function, do_evict_after)

    def _evict(self, elements: list[TimestampedValue]) -> None:
        if elements:
            newest, delta, threshold = elements[-1].value, self._delta, self._threshold
            elements[:] = [element for element in elements if delta(element.value, newest) < threshold]

    def __repr__(self) -> str:
        return f"DeltaEvictor({self._threshold})"


def _time(element: TimestampedValue) -> int:
    return -(2**63) if element.timestamp is None else element.timestamp
