"""How much of its state a subtask keeps as live objects between epochs."""

from __future__ import annotations

from dataclasses import dataclass

OBJECT = 200
"""What a live value takes beside its content: the objects it is made of, and its place in a dictionary."""


@dataclass(frozen=True, slots=True)
class CacheLimits:
    """So many values, and about so much memory, whichever is reached first.

    >>> CacheLimits(entries=1_000, memory=2**20).exceeded(500, entry_size=100)
    False
    >>> CacheLimits(entries=1_000, memory=2**20).exceeded(500, entry_size=5_000)
    True
    """

    entries: int = 200_000
    memory: int = 32 * 2**20

    def exceeded(self, entries: int, entry_size: float) -> bool:
        """Say whether so many values, of so many bytes each as they are stored, are too much."""
        return entries > self.entries or entries * (entry_size + OBJECT) > self.memory
