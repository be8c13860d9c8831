"""How much an epoch reads: more while a backlog makes that cheap, little when the input is slow."""

from __future__ import annotations

from dataclasses import dataclass

LARGEST_STEP = 16.0
"""So many times what the last one read: far from the target, an epoch mostly takes what it costs in any case.

With 16 instead of 4, Nexmark's queries over 1.1 million events took 92 s in all instead of 112.
"""
SMALLEST_SCALE = 1 / 64
LARGEST_SCALE = 256.0

STATE_WEIGHT = 6.0
LONGEST = 4.0
"""So many times the target's work is the most that an epoch may hold."""

FIRST_SCALE = 1 / 16
"""How much of the usual an epoch reads after a restart: the first one finds everything cold."""
FEW = 10
"""An epoch of fewer records says nothing about how long a record takes."""

MOST_CHANGES = 80 * 2**20
"""A subtask should change no more than so many bytes of state in an epoch: it holds several times that in memory."""


@dataclass(slots=True)
class EpochSizer:
    """Steers the amount per epoch so that a backlogged epoch holds about the target's worth of work.

    What counts is the work in the tasks, not the whole time of the epoch: where the fixed cost is high, small
    epochs would only pay it more often. The same goes for writing back state, which is paid once per key and epoch
    however often the key occurs: the larger its part of the work, the further epochs grow beyond the target.

    >>> sizer = EpochSizer(target=1.0)
    >>> for work in (0.1, 0.5):
    ...     sizer.observe(work, backlog=True)
    >>> sizer.scale
    20.0
    >>> sizer.observe(2.0, backlog=True)
    >>> sizer.scale
    10.0
    >>> sizer.observe(2.0, state=1.0, backlog=True)
    >>> sizer.scale
    20.0
    >>> sizer.observe(0.5, backlog=True, changed=2 * MOST_CHANGES)
    >>> sizer.scale
    10.0

    An epoch of a few records teaches nothing, so that the next one is small.

    >>> sizer = EpochSizer(target=1.0)
    >>> sizer.observe(7.0, backlog=False, records=1)
    >>> sizer.scale
    0.015625
    >>> sizer.observe(0.1, backlog=True, records=800)
    >>> sizer.scale
    0.15625
    """

    target: float
    """Seconds of work that a backlogged epoch should hold."""
    scale: float = 1.0
    _knows: bool = False
    """An epoch has shown how long a record takes."""

    def begin_small(self) -> None:
        """After a restart: show results soon, and learn anew what an epoch can hold.

        >>> sizer = EpochSizer(target=1.0)
        >>> sizer.begin_small()
        >>> sizer.scale
        0.0625
        """
        self.scale = min(self.scale, FIRST_SCALE)
        self._knows = False

    def observe(self, work: float, *, backlog: bool, state: float = 0.0, changed: int = 0, records: int = FEW) -> None:
        """Learn from an epoch.

        Args:
            work: How long its tasks worked.
            backlog: Whether more was waiting.
            state: How much of the work was for state.
            changed: The most bytes of state that one subtask changed.
            records: How many records it read.
        """
        if records < FEW and not backlog and not self._knows:
            self.scale = SMALLEST_SCALE
            return
        self._knows = True
        if work <= 0:
            return
        goal = self.target * min(LONGEST, 1 + STATE_WEIGHT * state / work)
        wanted = min(goal / work, MOST_CHANGES / max(changed, 1))
        factor = min(max(wanted, 1 / LARGEST_STEP), LARGEST_STEP)
        if backlog or factor < 1:
            self.scale = min(max(self.scale * factor, SMALLEST_SCALE), LARGEST_SCALE)
