"""How exact the state is after a failure."""

from __future__ import annotations

from enum import Enum

__all__ = ["CheckpointingMode"]


class CheckpointingMode(Enum):
    """Whether every record counts exactly once in the state, or at least once."""

    EXACTLY_ONCE = 0
    AT_LEAST_ONCE = 1
