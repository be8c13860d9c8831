"""How a stream learns how far event time has come: generators, and the built-in ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from flott.common.constants import MIN_LONG_VALUE

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "AscendingTimestampsWatermarks", "BoundedOutOfOrderness", "BoundedOutOfOrdernessWatermarks",
    "GeneratorSpec", "MonotonousTimestamps", "NoWatermarks", "NoWatermarksGenerator",
    "SuppliedGenerator", "WatermarkGenerator", "WatermarkOutput",
]  # fmt: skip


class WatermarkOutput(Protocol):
    """Where a generator puts its watermarks."""

    def emit_watermark(self, timestamp: int, /) -> None:
        """Say that no record at or before this timestamp (in milliseconds) will follow.

        A watermark that is not above the last one is dropped. Emitting one makes the stream active.
        """

    def mark_idle(self) -> None:
        """Say that nothing is coming for now: nobody need wait for this stream."""

    def mark_active(self) -> None:
        """Say that records are coming again."""


class WatermarkGenerator(ABC):
    """Watches the records of a stream and says how far event time has come.

    Emit in `on_periodic_emit` for a watermark every so often (`pipeline.auto-watermark-interval`),
    or in `on_event` for one at certain records. Its attributes are kept in checkpoints, so it must
    be picklable.

    >>> class AtMarkers(WatermarkGenerator):
    ...     def on_event(self, event, event_timestamp, output):
    ...         if event == "end of hour":
    ...             output.emit_watermark(event_timestamp)
    ...
    ...     def on_periodic_emit(self, output):
    ...         pass
    """

    __slots__ = ()

    @abstractmethod
    def on_event(self, event: Any, event_timestamp: int, output: WatermarkOutput) -> None:
        """Called for every record, after it was handed on."""

    @abstractmethod
    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        """Called at every auto-watermark interval, and once when the input ends."""


class BoundedOutOfOrdernessWatermarks(WatermarkGenerator):
    """Follows the largest timestamp at a fixed distance.

    A record that comes at most so many milliseconds after a later one is not late.
    """

    __slots__ = ("delay", "max_timestamp")

    def __init__(self, delay: int) -> None:
        self.delay = delay
        # So that the first watermark before any record is the smallest there is.
        self.max_timestamp = MIN_LONG_VALUE + delay + 1

    def on_event(self, event: Any, event_timestamp: int, output: WatermarkOutput) -> None:
        """Keeps the largest timestamp."""
        self.max_timestamp = max(self.max_timestamp, event_timestamp)

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        """Emits the largest timestamp minus the delay, minus one: an equal one may still come."""
        output.emit_watermark(self.max_timestamp - self.delay - 1)


class AscendingTimestampsWatermarks(BoundedOutOfOrdernessWatermarks):
    """Follows the largest timestamp closely, for records that come in order."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(0)


class NoWatermarksGenerator(WatermarkGenerator):
    """Never emits anything, for programs that work in processing time."""

    __slots__ = ()

    def on_event(self, event: Any, event_timestamp: int, output: WatermarkOutput) -> None:
        """Does nothing."""

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        """Does nothing."""


# A strategy holds one of these values; `create` makes a fresh generator for each split or subtask.


@dataclass(frozen=True, slots=True)
class MonotonousTimestamps:
    """Records come in the order of their timestamps."""

    def create(self) -> WatermarkGenerator:
        """Makes a generator."""
        return AscendingTimestampsWatermarks()


@dataclass(frozen=True, slots=True)
class BoundedOutOfOrderness:
    """Records come at most so many milliseconds out of order."""

    delay: int

    def __post_init__(self) -> None:
        if self.delay < 0:
            raise ValueError(f"records can't be {self.delay} ms out of order: give 0 or more")

    def create(self) -> WatermarkGenerator:
        """Makes a generator."""
        return BoundedOutOfOrdernessWatermarks(self.delay)


@dataclass(frozen=True, slots=True)
class NoWatermarks:
    """There is no event time."""

    def create(self) -> WatermarkGenerator:
        """Makes a generator."""
        return NoWatermarksGenerator()


@dataclass(frozen=True, slots=True)
class SuppliedGenerator:
    """A user's own generator, made by calling a class or a function."""

    supplier: Callable[[], WatermarkGenerator]

    def create(self) -> WatermarkGenerator:
        """Makes a generator."""
        generator = self.supplier()
        if not isinstance(generator, WatermarkGenerator):
            raise TypeError(
                f"the supplier given to WatermarkStrategy.for_generator returned {generator!r}; "
                "it must return a new WatermarkGenerator each time it is called"
            )
        return generator


GeneratorSpec = MonotonousTimestamps | BoundedOutOfOrderness | NoWatermarks | SuppliedGenerator
"""How a strategy says which generator it wants, as a plain value."""
