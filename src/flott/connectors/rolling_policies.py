"""When a file sink ends a part file and starts the next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from flott.errors import GraphError


@dataclass(slots=True)
class PartFileInfo:
    """The part file being written, as a rolling policy sees it."""

    bucket_id: str
    creation_time: int
    last_update_time: int
    size: int = 0


class RollingPolicy(ABC):
    """Says when a part file is full. Every part file also ends with its epoch, whatever the policy says."""

    @abstractmethod
    def should_roll_on_event(self, part: PartFileInfo, element: Any) -> bool:
        """Say whether to start a new file for this record."""

    @abstractmethod
    def should_roll_on_processing_time(self, part: PartFileInfo, current_time: int) -> bool:
        """Say whether to end the file now; asked at the sink's bucket check interval."""

    @staticmethod
    def default_rolling_policy(
        part_size: int = 128 << 20, rollover_interval: int = 60_000, inactivity_interval: int = 60_000
    ) -> DefaultRollingPolicy:
        """Return the policy by size in bytes, and by age and time without a record in milliseconds."""
        return DefaultRollingPolicy(part_size, rollover_interval, inactivity_interval)

    @staticmethod
    def on_checkpoint_rolling_policy() -> OnCheckpointRollingPolicy:
        """Return the policy that never ends a file before its epoch."""
        return OnCheckpointRollingPolicy()


@dataclass(frozen=True)
class DefaultRollingPolicy(RollingPolicy):
    """Ends a file that is larger than a size, older than an age, or had no record for some time.

    >>> RollingPolicy.default_rolling_policy(part_size=1 << 20)
    DefaultRollingPolicy(part_size=1048576, rollover_interval=60000, inactivity_interval=60000)
    """

    part_size: int
    rollover_interval: int
    inactivity_interval: int

    def __post_init__(self) -> None:
        for name in ("part_size", "rollover_interval", "inactivity_interval"):
            if getattr(self, name) <= 0:
                raise GraphError(f"rolling policy: {name} is {getattr(self, name)}; it must be more than 0")

    def should_roll_on_event(self, part: PartFileInfo, element: Any) -> bool:
        return part.size > self.part_size

    def should_roll_on_processing_time(self, part: PartFileInfo, current_time: int) -> bool:
        return (
            current_time - part.creation_time >= self.rollover_interval
            or current_time - part.last_update_time >= self.inactivity_interval
        )


@dataclass(frozen=True)
class OnCheckpointRollingPolicy(RollingPolicy):
    """Ends a file with its epoch, never before."""

    def should_roll_on_event(self, part: PartFileInfo, element: Any) -> bool:
        return False

    def should_roll_on_processing_time(self, part: PartFileInfo, current_time: int) -> bool:
        return False
