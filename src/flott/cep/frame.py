"""The event at hand, and what conditions may know while it is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.cep.shared_buffer import EVENT

if TYPE_CHECKING:
    from flott.cep.match_queue import PartialMatch
    from flott.cep.shared_buffer import SharedBuffer
    from flott.runtime.clock import Clock

__all__ = ["Frame"]


class Frame:
    """One event and one partial match. Made once and set anew for each: it is the context of iterative conditions."""

    __slots__ = ("_clock", "_names", "_stages", "buffer", "decisions", "event", "finals", "memory", "partial", "stamp")

    def __init__(self, clock: Clock, stages: tuple[str, ...]) -> None:
        self._clock = clock
        self._names = stages
        self._stages = {name: position for position, name in enumerate(stages)}
        self.event: Any = None
        self.stamp = 0
        self.memory: list[bool | None] = []
        """The answers of the user's simple conditions about this event, as far as they were asked."""
        self.decisions: dict[int, Any] = {}
        """What this event does in each state, where that does not depend on the partial match."""
        self.finals: dict[int, int | None] = {}
        """Whether a match is complete in each state, where that does not depend on the partial match."""
        self.buffer: SharedBuffer
        self.partial: PartialMatch

    # What iterative conditions call

    def get_events_for_pattern(self, name: str) -> list[Any]:
        """Return the events that the partial match holds for a stage."""
        stage = self._stages.get(name)
        if stage is None:
            known = ", ".join(self._stages)
            raise KeyError(f"get_events_for_pattern('{name}'): the pattern has no such stage; it has {known}")
        entries = self.buffer.entries
        return [entries[at][EVENT] for at, of in self.buffer.path(self.partial[2], self.partial[3]) if of == stage]

    def events_by_pattern(self) -> dict[str, list[Any]]:
        """Return all events that the partial match holds, by the name of their stage: one walk instead of several."""
        entries, names = self.buffer.entries, self._names
        found: dict[str, list[Any]] = {}
        for at, of in self.buffer.path(self.partial[2], self.partial[3]):
            found.setdefault(names[of], []).append(entries[at][EVENT])
        return found

    def timestamp(self) -> int:
        """Return the timestamp of the event."""
        return self.stamp

    def current_processing_time(self) -> int:
        """Return the time of day."""
        return self._clock.now()
