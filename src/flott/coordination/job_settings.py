"""The settings of a job's loop."""

from __future__ import annotations

from dataclasses import dataclass, field

from flott.coordination.cancellation import CancellationSettings


@dataclass(frozen=True, slots=True)
class JobSettings:
    """How the loop runs."""

    buffer_timeout: int = 100
    """Latency target in milliseconds: how often to look when the input is slow."""
    epoch_target: float = 1.0
    """Seconds that an epoch should take when there is a backlog."""
    epoch_attempts: int = 3
    latency_interval: int = 0
    """How often latency is measured, in milliseconds; 0 for never."""
    broadcast_first: bool = True
    """Whether bounded broadcast inputs are read before the inputs beside them."""
    cancellation: CancellationSettings = field(default_factory=CancellationSettings)
