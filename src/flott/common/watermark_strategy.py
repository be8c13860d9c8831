"""WatermarkStrategy: where the timestamps of records come from, and how event time advances."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from flott.common.fields import Field, field
from flott.common.time import Duration, TimeInterval, to_milliseconds
from flott.common.watermark_generators import (
    BoundedOutOfOrderness,
    GeneratorSpec,
    MonotonousTimestamps,
    NoWatermarks,
    SuppliedGenerator,
    WatermarkGenerator,
    WatermarkOutput,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "AssignerWithPeriodicWatermarks", "AssignerWithPeriodicWatermarksWrapper", "FieldTimestampAssigner",
    "RecordTimestampAssigner", "TimestampAssigner", "WatermarkAlignment", "WatermarkGenerator",
    "WatermarkOutput", "WatermarkStrategy", "timestamp_field",
]  # fmt: skip

_DEFAULT_UPDATE_INTERVAL = Duration.of_millis(1000)


class TimestampAssigner(ABC):
    """Takes the timestamp of a record, in milliseconds since 1970-01-01 UTC, from the record.

    >>> class OrderTime(TimestampAssigner):
    ...     def extract_timestamp(self, value, record_timestamp):
    ...         return value["ordered_at"]
    >>> OrderTime().extract_timestamp({"ordered_at": 1000}, -(2**63))
    1000
    """

    @abstractmethod
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        """Returns the timestamp of a record.

        Args:
            value: The record.
            record_timestamp: The timestamp it has, say from the source; -(2**63) if it has none.
        """


class RecordTimestampAssigner(TimestampAssigner):
    """Keeps the timestamp that a record has already; what a strategy does if told nothing else."""

    __slots__ = ()

    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        """Returns the timestamp the record has."""
        return record_timestamp


@dataclass(frozen=True, slots=True)
class FieldTimestampAssigner(TimestampAssigner):
    """Takes the timestamp from a field; of records in columns, from the column at once.

    >>> FieldTimestampAssigner(Field("time")).extract_timestamp({"time": 7}, 0)
    7
    """

    field: Field

    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        """Returns what the field holds."""
        timestamp: int = self.field(value)
        return timestamp


def timestamp_field(name: str | int) -> FieldTimestampAssigner:
    """Names the field that holds the timestamp, in milliseconds: for ``with_timestamp_assigner``.

    >>> strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(timestamp_field("time"))
    >>> strategy.create_timestamp_assigner().extract_timestamp({"time": 7}, 0)
    7
    """
    return FieldTimestampAssigner(field(name))


@dataclass(frozen=True, slots=True)
class _FunctionTimestampAssigner(TimestampAssigner):
    function: Callable[[Any, int], int]

    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return self.function(value, record_timestamp)


@dataclass(frozen=True, slots=True)
class WatermarkAlignment:
    """Sources of one group wait for each other when they drift apart. Times are in milliseconds."""

    group: str
    max_allowed_drift: int
    update_interval: int

    def __post_init__(self) -> None:
        if self.max_allowed_drift < 0:
            raise ValueError(f"the watermark drift is 0 ms or more, not {self.max_allowed_drift}")
        if self.update_interval <= 0:
            raise ValueError(f"the update interval is 1 ms or more, not {self.update_interval}")


@dataclass(frozen=True, slots=True)
class WatermarkStrategy:
    """Says where timestamps come from and how watermarks follow them.

    A plain value: every `with_` method returns a new strategy.

    >>> strategy = (
    ...     WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(5))
    ...     .with_timestamp_assigner(lambda order, _: order["time"])
    ...     .with_idleness(Duration.of_minutes(1))
    ... )
    >>> strategy.generator, strategy.idle_timeout
    (BoundedOutOfOrderness(delay=5000), 60000)
    >>> strategy.create_timestamp_assigner().extract_timestamp({"time": 7}, 0)
    7
    """

    generator: GeneratorSpec
    timestamp_assigner: TimestampAssigner | None = None
    idle_timeout: int | None = None
    """In milliseconds; None if a silent input is waited for."""
    alignment: WatermarkAlignment | None = None

    @property
    def makes_watermarks(self) -> bool:
        """Whether event time moves with it: not with ``no_watermarks()``."""
        return not isinstance(self.generator, NoWatermarks)

    @staticmethod
    def for_monotonous_timestamps() -> WatermarkStrategy:
        """For records that come in the order of their timestamps, in each split of the source."""
        return WatermarkStrategy(MonotonousTimestamps())

    @staticmethod
    def for_bounded_out_of_orderness(max_out_of_orderness: TimeInterval) -> WatermarkStrategy:
        """For records that come out of order, but by no more than the given time."""
        return WatermarkStrategy(BoundedOutOfOrderness(to_milliseconds(max_out_of_orderness)))

    @staticmethod
    def no_watermarks() -> WatermarkStrategy:
        """For programs that do not use event time."""
        return WatermarkStrategy(NoWatermarks())

    @staticmethod
    def for_generator(supplier: Callable[[], WatermarkGenerator]) -> WatermarkStrategy:
        """For a WatermarkGenerator of your own: give its class, or a function that makes one.

        It is called once for each split of a source, or for each subtask.
        """
        if not callable(supplier):
            raise TypeError(
                f"for_generator takes something that makes generators, not {supplier!r}; "
                "give the class itself or a function: for_generator(lambda: MyGenerator(5))"
            )
        return WatermarkStrategy(SuppliedGenerator(supplier))

    def with_timestamp_assigner(
        self, timestamp_assigner: TimestampAssigner | Callable[[Any, int], int] | Field
    ) -> WatermarkStrategy:
        """Returns this strategy, taking timestamps with a TimestampAssigner, a function, or from a field.

        A function gets the record and the timestamp it has, and returns the new timestamp.
        """
        if isinstance(timestamp_assigner, Field):
            timestamp_assigner = FieldTimestampAssigner(timestamp_assigner)
        if not isinstance(timestamp_assigner, TimestampAssigner):
            if not callable(timestamp_assigner):
                raise TypeError(
                    f"{timestamp_assigner!r} can't assign timestamps: give a TimestampAssigner, "
                    "or a function such as lambda order, _: order['time']"
                )
            timestamp_assigner = _FunctionTimestampAssigner(timestamp_assigner)
        return replace(self, timestamp_assigner=timestamp_assigner)

    def with_idleness(self, idle_timeout: TimeInterval) -> WatermarkStrategy:
        """Returns this strategy, no longer waiting for an input that was silent for so long."""
        millis = to_milliseconds(idle_timeout)
        if millis <= 0:
            raise ValueError(f"the idle timeout is 1 ms or more, not {millis}")
        return replace(self, idle_timeout=millis)

    def with_watermark_alignment(
        self,
        watermark_group: str,
        max_allowed_watermark_drift: TimeInterval,
        update_interval: TimeInterval | None = None,
    ) -> WatermarkStrategy:
        """Returns this strategy, with sources that wait for each other.

        Args:
            watermark_group: Sources with the same group wait for each other.
            max_allowed_watermark_drift: A source further ahead of the slowest than this pauses.
            update_interval: How often they compare; every second by default.
        """
        interval = _DEFAULT_UPDATE_INTERVAL if update_interval is None else update_interval
        drift = to_milliseconds(max_allowed_watermark_drift)
        aligned = WatermarkAlignment(watermark_group, drift, to_milliseconds(interval))
        return replace(self, alignment=aligned)

    def create_watermark_generator(self) -> WatermarkGenerator:
        """Makes a new generator, for one split or one subtask."""
        return self.generator.create()

    def create_timestamp_assigner(self) -> TimestampAssigner:
        """Returns the assigner; without one, records keep the timestamps they have."""
        return self.timestamp_assigner or RecordTimestampAssigner()


class AssignerWithPeriodicWatermarks(Protocol):
    """The former way: one object that assigns timestamps and knows the current watermark."""

    def extract_timestamp(self, value: Any, record_timestamp: int, /) -> int:
        """Return the timestamp of a record."""

    def get_current_watermark(self) -> int | None:
        """Return the current watermark in milliseconds, or None if there is none yet."""


class AssignerWithPeriodicWatermarksWrapper:
    """Lets an assigner of the former way be used where a WatermarkStrategy is wanted.

    >>> class Newest:
    ...     newest = None
    ...
    ...     def extract_timestamp(self, value, record_timestamp):
    ...         self.newest = value
    ...         return value
    ...
    ...     def get_current_watermark(self):
    ...         return self.newest
    >>> strategy = AssignerWithPeriodicWatermarksWrapper(Newest()).to_watermark_strategy()
    >>> strategy.create_timestamp_assigner().extract_timestamp(5, 0)
    5
    """

    __slots__ = ("assigner",)

    def __init__(self, assigner: AssignerWithPeriodicWatermarks) -> None:
        self.assigner = assigner

    def to_watermark_strategy(self) -> WatermarkStrategy:
        """Returns the strategy that asks this assigner for both timestamps and watermarks."""
        return WatermarkStrategy.for_generator(partial(_AssignerGenerator, self.assigner)).with_timestamp_assigner(
            self.assigner.extract_timestamp
        )


class _AssignerGenerator(WatermarkGenerator):
    """Has an assigner of its own: generators are per split and outlive the worker they started in."""

    __slots__ = ("assigner",)

    def __init__(self, assigner: AssignerWithPeriodicWatermarks) -> None:
        self.assigner = deepcopy(assigner)

    def on_event(self, event: Any, event_timestamp: int, output: WatermarkOutput) -> None:
        self.assigner.extract_timestamp(event, event_timestamp)

    def on_periodic_emit(self, output: WatermarkOutput) -> None:
        watermark = self.assigner.get_current_watermark()
        if watermark is not None:
            output.emit_watermark(watermark)
