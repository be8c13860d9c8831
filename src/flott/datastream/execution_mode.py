"""Whether a job runs as a stream or as a batch."""

from __future__ import annotations

from enum import Enum

__all__ = ["RuntimeExecutionMode"]


class RuntimeExecutionMode(Enum):
    """How a job works through its input."""

    STREAMING = 0
    """Results are updated as records come in."""
    BATCH = 1
    """Only final results; all sources must be bounded."""
    AUTOMATIC = 2
    """BATCH if all sources are bounded, else STREAMING."""
