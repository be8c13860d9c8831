"""A window operation as the program describes it, and the operator that runs it best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.errors import GraphError
from flott.runtime.windowing.assigner import MergingWindowAssigner
from flott.runtime.windowing.assigners import SlidingEventTimeWindows, TumblingEventTimeWindows
from flott.runtime.windowing.session_assigners import EventTimeSessionWindows
from flott.runtime.windowing.triggers import EventTimeTrigger

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.output_tag import OutputTag
    from flott.runtime.windowing.assigner import WindowAssigner
    from flott.runtime.windowing.evictors import Evictor
    from flott.runtime.windowing.operator import WindowOperator
    from flott.runtime.windowing.trigger import Trigger


@dataclass(frozen=True, slots=True)
class WindowSpec:
    """A window operation: which windows, when they fire, what they hold, and what comes out."""

    assigner: WindowAssigner[Any, Any]
    trigger: Trigger[Any, Any]
    reduce: Any = None
    """A ReduceFunction (an object with ``reduce``), if records are reduced as they come."""
    aggregate: Any = None
    """An AggregateFunction, if records are aggregated as they come."""
    function: Any = None
    """A WindowFunction or ProcessWindowFunction, called when a window fires; None to hand on what the window holds."""
    over_all: bool = False
    """Whether the windows are those of all records; then the functions get no key."""
    evictor: Evictor[Any, Any] | None = None
    allowed_lateness: int = 0
    late_tag: OutputTag | None = None

    def __post_init__(self) -> None:
        if self.reduce is not None and self.aggregate is not None:
            raise GraphError("a window either reduces or aggregates its records, not both")
        if self.allowed_lateness < 0:
            raise GraphError(f"the allowed lateness of a window is 0 ms or more, not {self.allowed_lateness}")
        if isinstance(self.assigner, MergingWindowAssigner) and not self.trigger.can_merge():
            raise GraphError(
                f"{self.trigger!r} can't be used with {self.assigner!r}, whose windows are merged: it says "
                f"can_merge() is False. Use a trigger that can merge, such as EventTimeTrigger or CountTrigger, or "
                f"write on_merge for yours and return True from can_merge()."
            )

    @property
    def name(self) -> str:
        """The name of the operator, as PyFlink gives it: that of the assigner."""
        return type(self.assigner).__name__

    @property
    def description(self) -> str:
        """What the operator does, as the plan of a job shows it."""
        functions = [one for one in (self.reduce, self.aggregate, self.function) if one is not None]
        names = ", ".join(type(function).__name__ for function in functions)
        kind = "AllWindow" if self.over_all else "Window"
        return f"{kind}({self.assigner!r}, {type(self.trigger).__name__}, {names})"

    def is_plain(self) -> bool:
        """Say whether there is a shorter way: windows that are known beforehand, or sessions of one accumulator."""
        kind = type(self.assigner)
        if type(self.trigger) is not EventTimeTrigger or self.evictor is not None:
            return False
        if kind is EventTimeSessionWindows:
            return self.reduce is not None or self.aggregate is not None
        return (
            kind in {TumblingEventTimeWindows, SlidingEventTimeWindows}
            and getattr(self.assigner, "stagger_offset", 0) == 0
        )

    def operator(self, key_selector: Callable[[Any], Any]) -> WindowOperator:
        """Make the operator."""
        from flott.runtime.windowing.evicting_operator import EvictingWindowOperator
        from flott.runtime.windowing.operator import WindowOperator
        from flott.runtime.windowing.plain_operator import PlainWindowOperator
        from flott.runtime.windowing.session_operator import SessionWindowOperator

        if self.evictor is not None:
            return EvictingWindowOperator(self, key_selector)
        if not self.is_plain():
            return WindowOperator(self, key_selector)
        sessions = type(self.assigner) is EventTimeSessionWindows
        return (SessionWindowOperator if sessions else PlainWindowOperator)(self, key_selector)
