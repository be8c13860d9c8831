"""What a job starts from that is not new, as the loop needs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

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
