"""What a job starts from that is not new, as the loop needs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.coordination.checkpoints.coordinator import CompletedCheckpoint
    from flott.coordination.checkpoints.metadata import JobState


@dataclass(frozen=True, slots=True)
class StartingPoint:
    """What a job starts from that is not new."""

    state: JobState
    checkpoint_id: int
    kind: str
    path: str
    claimed: Callable[[], None] | None = None
    """Removes the savepoint, which the job was told to own, once the job needs it no more."""


def beginning_of(latest: CompletedCheckpoint | None, start: StartingPoint | None) -> str:
    """Say where a job that failed starts again."""
    if latest is not None:
        return f"checkpoint {latest.metadata.checkpoint_id}"
    return "the beginning" if start is None else f"{start.kind} {start.checkpoint_id}"
