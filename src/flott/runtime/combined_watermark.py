"""Event time of several parts, taken together: the inputs of an operator, the splits of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from flott.runtime.batch import MIN_TIMESTAMP

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

CombinedState: TypeAlias = tuple[dict["Hashable", tuple[int, bool]], int, bool]


class CombinedWatermark:
    """The minimum over the parts that are not idle; it never goes back.

    Unlike the valve's channels, a part that was idle counts again at once when it comes back.

    >>> both = CombinedWatermark(("left", "right"))
    >>> both.update("left", 10), both.update("right", 4), both.update_status("right", active=False)
    (None, 4, (10, None))
    """

    __slots__ = ("_parts", "idle", "watermark")

    def __init__(self, parts: Iterable[Hashable] = ()) -> None:
        self._parts = dict.fromkeys(parts, (MIN_TIMESTAMP, True))
        self.watermark = MIN_TIMESTAMP
        """The combined watermark."""
        self.idle = False
        """Whether all parts are idle."""

    def __contains__(self, part: object) -> bool:
        return part in self._parts

    def add(self, part: Hashable) -> None:
        """Let a new part count, from the beginning of time."""
        self._parts[part] = (MIN_TIMESTAMP, True)

    def remove(self, part: Hashable) -> None:
        """Let a part count no more; time moves at the next look."""
        del self._parts[part]

    def update(self, part: Hashable, timestamp: int) -> int | None:
        """Take a part's watermark, which also makes it active; return the new minimum, if higher."""
        if not self.note(part, timestamp):
            return None
        return self.combine()

    def note(self, part: Hashable, timestamp: int) -> bool:
        """Take a part's watermark without a look at the others; say whether it is higher than before."""
        before = self._parts[part][0]
        self._parts[part] = (max(before, timestamp), True)
        return timestamp > before

    def note_status(self, part: Hashable, active: bool) -> None:
        """Take a part's status without a look at the others."""
        self._parts[part] = (self._parts[part][0], active)

    def update_status(self, part: Hashable, active: bool) -> tuple[int | None, bool | None]:
        """Take a part's status; return the watermark and then the status to emit, if any."""
        was_idle = self.idle
        self.note_status(part, active)
        advanced = self.combine()
        return advanced, (active if was_idle != self.idle else None)

    def combine(self) -> int | None:
        """Look at all parts; return the new minimum, if it is higher than the last."""
        if not self._parts:
            return None
        counted = [mark for mark, active in self._parts.values() if active]
        self.idle = not counted
        if not counted or (lowest := min(counted)) <= self.watermark:
            return None
        self.watermark = lowest
        return lowest

    def snapshot(self) -> CombinedState:
        """Return what is known, for the next epoch."""
        return dict(self._parts), self.watermark, self.idle

    def restore(self, state: CombinedState) -> None:
        """Go on where ``snapshot`` left off."""
        parts, self.watermark, self.idle = state
        self._parts = dict(parts)
