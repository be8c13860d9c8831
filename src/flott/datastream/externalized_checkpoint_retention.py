"""What becomes of the checkpoints when a job is cancelled."""

from __future__ import annotations

from enum import Enum

__all__ = ["ExternalizedCheckpointRetention"]


class ExternalizedCheckpointRetention(Enum):
    """Whether the last checkpoints stay when a job is cancelled."""

    DELETE_ON_CANCELLATION = 0
    """They go with the job, unless it failed."""
    RETAIN_ON_CANCELLATION = 1
    """They stay, and are yours to remove."""
    NO_EXTERNALIZED_CHECKPOINTS = 2
    """They go with the job."""
