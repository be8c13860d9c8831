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
    """Steers the amount per epoch so that a backlogged epoch takes about the target time.

    >>> sizer = EpochSizer(target=1.0)
    >>> for seconds in (0.1, 0.2, 0.4):
    ...     sizer.observe(seconds, backlog=True)
    >>> sizer.scale
    8.0
    >>> sizer.observe(2.0, backlog=True)
    ... sizer.scale
    4.0
    """

    target: float
    """Seconds that a backlogged epoch should take."""
    scale: float = 1.0

    def observe(self, seconds: float, *, backlog: bool) -> None:
        """Learn from an epoch: how long it took, and whether there was more to read than it took."""
        if seconds > self.target:
            factor = max(self.target / seconds, 1 / LARGEST_STEP)
        elif backlog and seconds < self.target * GROW_BELOW:
            factor = LARGEST_STEP
        elif backlog:
            factor = min(self.target / seconds, LARGEST_STEP)
        else:
            return
        self.scale = min(max(self.scale * factor, SMALLEST_SCALE), LARGEST_SCALE)
