"""Window transcripts: a window operation, what comes in, and what must come out, as plain data.

``tests/transcripts/README.md`` describes the format. This module reads it; who runs the cases is another matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.common.time import Duration
from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.output_tag import OutputTag
from flott.runtime.windowing import assigners, continuous_triggers, evictors, triggers
from flott.runtime.windowing.count_assigners import CountSlidingWindowAssigner, CountTumblingWindowAssigner
from flott.runtime.windowing.session_assigners import EventTimeSessionWindows, ProcessingTimeSessionWindows
from flott.runtime.windowing.spec import WindowSpec
from flott.runtime.windowing.windows import TimeWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.windowing.assigner import WindowAssigner
    from flott.runtime.windowing.evictors import Evictor
    from flott.runtime.windowing.trigger import Trigger

LATE = OutputTag("late")
FIELDS = {
    "name", "window", "trigger", "evictor", "allowed_lateness", "side_output", "aggregate", "channels", "steps",
}  # fmt: skip
CHECKS = ("emits", "late", "dropped", "timers", "state")
"""Steps that say what must have happened."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """One case."""

    name: str
    window: Any
    steps: list[tuple[str, Any]]
    aggregate: str = "list"
    trigger: Any = None
    evictor: dict[str, Any] | None = None
    allowed_lateness: int = 0
    side_output: bool = True
    channels: int = 1

    @staticmethod
    def read(case: dict[str, Any]) -> Transcript:
        """Read a case; a field or step that is not known is an error."""
        unknown = set(case) - FIELDS
        if unknown:
            raise ValueError(f"case '{case.get('name')}' has unknown fields {sorted(unknown)}")
        fields = dict(case)
        fields["steps"] = [_step(step) for step in case["steps"]]
        fields["allowed_lateness"] = millis(case.get("allowed_lateness", 0))
        return Transcript(**fields)

    def spec(self, *, with_keys: bool = True) -> WindowSpec:
        """Return the window operation over records ``(key, value)``.

        With keys, results are ``(key, result, window)``; without, nothing but the result, for aggregates only.
        """
        assigner = window_assigner(self.window)
        trigger = assigner.get_default_trigger(None) if self.trigger is None else window_trigger(self.trigger)
        functions: dict[str, Any] = {"function": WithKey(self.aggregate) if with_keys else None}
        if self.aggregate == "reduce":
            functions["reduce"] = SumRecords()
        elif self.aggregate != "list":
            functions["aggregate"] = AGGREGATES[self.aggregate]()
        return WindowSpec(
            assigner,
            trigger,
            **functions,
            evictor=None if self.evictor is None else window_evictor(self.evictor),
            allowed_lateness=self.allowed_lateness,
            late_tag=LATE if self.side_output else None,
        )


def _step(step: dict[str, Any]) -> tuple[str, Any]:
    ((kind, value),) = step.items()
    if kind not in {"element", "watermark", "processing_time", "idle", "active", *CHECKS}:
        raise ValueError(f"unknown step {step!r}")
    return kind, value


def millis(time: Any) -> int:
    """Read a time: milliseconds, a text such as ``10s``, or ``max``.

    >>> millis("10s"), millis(-3), millis("max") == MAX_WATERMARK
    (10000, -3, True)
    """
    if time == "max":
        return MAX_WATERMARK
    if isinstance(time, str):
        negative = time.startswith("-")
        length = Duration.parse(time.removeprefix("-")).to_millis()
        return -length if negative else length
    return int(time)


def window_assigner(window: Any) -> WindowAssigner[Any, Any]:
    """Read ``window``."""
    if window == "global":
        return assigners.GlobalWindows.create()
    if "count" in window:
        size, slide = window["count"], window.get("slide")
        return CountTumblingWindowAssigner.of(size) if slide is None else CountSlidingWindowAssigner.of(size, slide)
    by_event_time = window.get("time", "event") == "event"
    if "session" in window:
        session = EventTimeSessionWindows if by_event_time else ProcessingTimeSessionWindows
        gap = window["session"]
        return session.with_dynamic_gap(value_of) if gap == "by value" else session.with_gap(millis(gap))
    offset = millis(window.get("offset", 0))
    if "tumbling" in window:
        tumbling = assigners.TumblingEventTimeWindows if by_event_time else assigners.TumblingProcessingTimeWindows
        return tumbling.of(millis(window["tumbling"]), offset)
    if "sliding" in window:
        sliding = assigners.SlidingEventTimeWindows if by_event_time else assigners.SlidingProcessingTimeWindows
        return sliding.of(millis(window["sliding"]), millis(window["slide"]), offset)
    growing = assigners.CumulativeEventTimeWindows if by_event_time else assigners.CumulativeProcessingTimeWindows
    return growing.of(millis(window["cumulative"]), millis(window["step"]), offset)


def window_trigger(trigger: Any) -> Trigger[Any, Any]:
    """Read ``trigger``."""
    if isinstance(trigger, str):
        return SIMPLE_TRIGGERS[trigger]()
    if "timeout" in trigger:
        nested = window_trigger(trigger["timeout"])
        reset, clear = trigger.get("reset", False), trigger.get("clear", True)
        return triggers.ProcessingTimeoutTrigger.of(nested, millis(trigger["after"]), reset, clear)
    ((kind, value),) = trigger.items()
    return TRIGGERS[kind](value)


SIMPLE_TRIGGERS: dict[str, Callable[[], Trigger[Any, Any]]] = {
    "event time": triggers.EventTimeTrigger,
    "processing time": triggers.ProcessingTimeTrigger,
    "never": triggers.NeverTrigger,
}
TRIGGERS: dict[str, Callable[[Any], Trigger[Any, Any]]] = {
    "count": triggers.CountTrigger.of,
    "delta": lambda threshold: triggers.DeltaTrigger.of(threshold, distance),
    "purging": lambda nested: triggers.PurgingTrigger.of(window_trigger(nested)),
    "continuous event time": lambda interval: continuous_triggers.ContinuousEventTimeTrigger.of(millis(interval)),
    "continuous processing time": lambda interval: continuous_triggers.ContinuousProcessingTimeTrigger.of(
        millis(interval)
    ),
}


def window_evictor(evictor: dict[str, Any]) -> Evictor[Any, Any]:
    """Read ``evictor``."""
    after = evictor.get("after", False)
    if "count" in evictor:
        return evictors.CountEvictor.of(evictor["count"], after)
    if "time" in evictor:
        return evictors.TimeEvictor.of(millis(evictor["time"]), after)
    return evictors.DeltaEvictor.of(evictor["delta"], distance, after)


def key_of(record: tuple[str, Any]) -> str:
    """Return the key of a record."""
    return record[0]


def value_of(record: tuple[str, Any]) -> Any:
    """Return the value of a record."""
    return record[1]


def distance(one: tuple[str, Any], other: tuple[str, Any]) -> Any:
    """Return how far the values of two records are apart."""
    return abs(one[1] - other[1])


# The functions of the cases


class _Function:
    def open(self, runtime_context: Any) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class WithKey(_Function):
    """A ProcessWindowFunction: hands on what the window holds, with key and window."""

    def __init__(self, holds: str) -> None:
        self.holds = holds

    def process(self, key: Any, context: Any, elements: list[Any]) -> Iterator[Any]:
        """Yield key, result, and start and end of the window."""
        window = context.window()
        bounds = (window.start, window.end) if isinstance(window, TimeWindow) else None
        result: Any = [value_of(record) for record in elements] if self.holds == "list" else elements[0]
        yield key, value_of(result) if self.holds == "reduce" else result, bounds

    def clear(self, context: Any) -> None:
        """Do nothing."""


class SumRecords(_Function):
    """A ReduceFunction: the sum of the values."""

    def reduce(self, one: Any, other: Any) -> Any:
        """Return one record of two."""
        return one[0], one[1] + other[1]


class _Aggregate(_Function):
    def create_accumulator(self) -> Any:
        """Return an empty accumulator."""
        return 0

    def get_result(self, accumulator: Any) -> Any:
        """Return the accumulator."""
        return accumulator


class Sum(_Aggregate):
    """The sum of the values."""

    def add(self, record: Any, accumulator: Any) -> Any:
        """Add a record's value."""
        return accumulator + record[1]

    def merge(self, one: Any, other: Any) -> Any:
        """Add both."""
        return one + other


class Count(Sum):
    """The number of records."""

    def add(self, record: Any, accumulator: Any) -> Any:
        """Count a record."""
        return accumulator + 1


class Max(_Aggregate):
    """The largest value."""

    def create_accumulator(self) -> Any:
        """Return less than any value."""
        return float("-inf")

    def add(self, record: Any, accumulator: Any) -> Any:
        """Keep the larger one."""
        return max(accumulator, record[1])

    def merge(self, one: Any, other: Any) -> Any:
        """Keep the larger one."""
        return max(one, other)


class Mean(_Aggregate):
    """The mean of the values. Its accumulator is changed in place, as users' ones often are."""

    def create_accumulator(self) -> Any:
        """Return sum and count."""
        return [0, 0]

    def add(self, record: Any, accumulator: Any) -> Any:
        """Add a record's value."""
        accumulator[0] += record[1]
        accumulator[1] += 1
        return accumulator

    def get_result(self, accumulator: Any) -> Any:
        """Divide."""
        return accumulator[0] / accumulator[1]

    def merge(self, one: Any, other: Any) -> Any:
        """Add both."""
        return [one[0] + other[0], one[1] + other[1]]


AGGREGATES: dict[str, type[_Aggregate]] = {"sum": Sum, "count": Count, "max": Max, "mean": Mean}
