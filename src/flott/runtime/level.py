"""One Spark partition of one level: finds its subtask, runs it, and passes on what is meant for others."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from flott.runtime.blocks import REPORT_CHANNEL, BlockRow
from flott.runtime.edge_output import next_partition
from flott.runtime.reports import TaskReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import EpochOrder
    from flott.runtime.task import Subtask


def run_partition(
    plan: EpochPlan,
    level: int,
    partition: int,
    epoch: EpochOrder,
    token: str,
    rows: Iterable[BlockRow],
    subtask_of: Callable[[int, int], Subtask],
) -> Iterator[BlockRow]:
    """Run the subtask behind a partition of a level; yields the rows for the next exchange, reports among them."""
    vertex, index = plan.vertex_at(level, partition)
    last = level + 1 == len(plan.levels)
    level_of_channel = {
        edge.first_channel + upstream: plan.vertices[edge.target].level
        for edge in plan.edges
        for upstream in range(plan.vertices[edge.source].parallelism)
    }
    passing: list[BlockRow] = []

    def mine() -> Iterator[BlockRow]:
        for row in rows:
            if row.channel == REPORT_CHANNEL:
                passing.append(row._replace(target=0 if last else partition % plan.levels[level + 1].partitions))
            elif level_of_channel[row.channel] > level:
                target = next_partition(plan, level, level_of_channel[row.channel], row.final)
                passing.append(row._replace(target=target))
            else:
                yield row

    for produced in subtask_of(vertex.index, index).run(epoch, token, mine()):
        if isinstance(produced, TaskReport):
            target = 0 if last else partition % plan.levels[level + 1].partitions
            yield BlockRow(target, REPORT_CHANNEL, 0, 0, pickle.dumps(produced, protocol=5))
        else:
            yield produced
        if passing:
            yield from passing
            passing.clear()
    yield from passing
