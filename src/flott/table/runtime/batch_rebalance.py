"""Spreads whole batches, so that columns stay columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.runtime.partitioners import Partitioner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.batch import Batch
    from flott.runtime.partitioners import Lane, Route


@dataclass(frozen=True, slots=True)
class BatchRebalance(Partitioner):
    """Batches go round all subtasks in turn."""

    name = "REBALANCE"

    def router(self, lane: Lane) -> Route:
        """Return a function that names the subtask of each batch."""
        count = lane.downstream
        position = (lane.subtask + lane.epoch) % count

        def route(batch: Batch) -> Iterator[tuple[int, Batch]]:
            nonlocal position
            target, position = position, (position + 1) % count
            yield target, batch

        return route
