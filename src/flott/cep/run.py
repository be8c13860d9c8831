"""What is under way for one key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.cep.shared_buffer import SharedBuffer

if TYPE_CHECKING:
    from flott.cep.match_queue import PartialMatch

__all__ = ["Run"]


class Run:
    """The partial matches of one key, with the events they hold."""

    __slots__ = ("buffer", "completed", "next_event", "partials", "timer")

    def __init__(
        self,
        partials: list[PartialMatch],
        completed: list[PartialMatch] | None = None,
        next_event: int = 0,
        entries: dict[int, list[Any]] | None = None,
        timer: int | None = None,
    ) -> None:
        self.partials = partials
        """A queue; the state from which new matches start is always in it."""
        self.completed = completed or []
        """Complete, but an earlier start may still become a match: only with a skip strategy."""
        self.next_event = next_event
        self.buffer = SharedBuffer({} if entries is None else entries)
        self.timer = timer
        """When the next of them times out, as far as a timer was registered."""
