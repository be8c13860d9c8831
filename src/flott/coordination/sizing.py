"""How much an epoch reads: more while a backlog makes that cheap, little when the input is slow."""

from __future__ import annotations

from dataclasses import dataclass

GROW_BELOW = 0.5
"""An epoch shorter than this part of the target may grow."""

LARGEST_STEP = 2.0
SMALLEST_SCALE = 1 / 64
LARGEST_SCALE = 256.0


@dataclass(slots=True)
class EpochSizer:
    """Steers the amount per epoch so that a backlogged epoch holds about the target's worth of work.

    What counts is the work in the tasks, not the whole time of the epoch: where the fixed cost is high, small
    epochs would only pay it more often.

    >>> sizer = EpochSizer(target=1.0)
    >>> for work in (0.1, 0.2, 0.4):
    ...     sizer.observe(work, backlog=True)
    >>> sizer.scale
    8.0
    >>> sizer.observe(2.0, backlog=True)
    >>> sizer.scale
    4.0
    """

    target: float
    """Seconds of work that a backlogged epoch should hold."""
    scale: float = 1.0

    def observe(self, work: float, *, backlog: bool) -> None:
        """Learn from an epoch: how long its tasks worked, and whether there was more to read than it took."""
        if work > self.target:
            factor = max(self.target / work, 1 / LARGEST_STEP)
        elif backlog and work < self.target * GROW_BELOW:
            factor = LARGEST_STEP
        elif backlog:
            factor = min(self.target / work, LARGEST_STEP)
        else:
            return
        self.scale = min(max(self.scale * factor, SMALLEST_SCALE), LARGEST_SCALE)
