"""The output side of a subtask: records routed to channels, watermarks to all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.errors import USER_CODE_RAISES, FlottError
from flott.runtime.blocks import BlockRow, ChannelWriter
from flott.runtime.operators.wrong_key import wrong_key
from flott.runtime.partitioners import Lane

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.runtime.operator import Operator
    from flott.runtime.plan import EdgeSpec, EpochPlan, VertexSpec


class EdgeOutput:
    """One edge out of one subtask, in one epoch."""

    def __init__(
        self, plan: EpochPlan, edge: EdgeSpec, subtask: int, epoch: int, rows: list[BlockRow], producer: Operator
    ) -> None:
        source, target = plan.vertices[edge.source], plan.vertices[edge.target]
        self._edge = edge
        self._producer = producer
        self._route = edge.partitioner.router(
            Lane(subtask, source.parallelism, target.parallelism, target.max_parallelism, epoch)
        )
        self._writers: dict[int, ChannelWriter] = {}
        for number in edge.partitioner.targets(subtask, source.parallelism, target.parallelism):
            self._writers[number] = self._writer(plan, target, source, number, edge.first_channel + subtask, rows)

    def _writer(
        self, plan: EpochPlan, target: VertexSpec, source: VertexSpec, number: int, channel: int, rows: list[BlockRow]
    ) -> ChannelWriter:
        final = target.first_partition + number
        following = next_partition(plan, source.level, target.level, final)

        def emit(sequence: int, data: bytes) -> None:
            rows.append(BlockRow(following, channel, final, sequence, data))

        return ChannelWriter(emit, self._unpicklable)

    def add(self, batch: Batch) -> None:
        """Send records on their way."""
        writers = self._writers
        try:
            for target, part in self._route(batch):
                writers[target].add(part)
        except FlottError:
            raise
        except USER_CODE_RAISES as error:  # the user's key selector or partitioner
            raise self._culprit(error, batch) from None

    def _culprit(self, error: BaseException, batch: Batch) -> FlottError:
        """Find the record whose key can't be taken, or can't be a key."""
        select = getattr(self._edge.partitioner, "key_selector", None)
        if select is None:
            return self._producer.failure(error, batch.values[0])
        for value in batch.values:
            try:
                wrong = wrong_key(self._producer.context.title, select, select(value), value)
            except USER_CODE_RAISES as failed:  # the same error as before, now with its record
                return self._producer.failure(failed, value)
            if wrong is not None:
                return wrong
        return self._producer.failure(error, batch.values[0])

    def watermark(self, timestamp: int) -> None:
        """Send a watermark to every channel."""
        for writer in self._writers.values():
            writer.watermark(timestamp)

    def status(self, active: bool) -> None:
        """Send a change of status to every channel."""
        for writer in self._writers.values():
            writer.status(active)

    def close(self, epoch: int, token: str, *, ended: bool, failed: bool) -> None:
        """Close every channel's epoch with its barrier."""
        for writer in self._writers.values():
            writer.close(epoch, token, ended=ended, failed=failed)

    def _unpicklable(self, error: BaseException) -> FlottError:
        context = self._producer.context
        message = (
            f"{context.title}: a record that it emits can't be sent to the next operator: {error}. "
            f"Records between operators must be picklable; emit plain values, Rows, or objects of importable classes."
        )
        return FlottError(message)


def next_partition(plan: EpochPlan, level: int, target_level: int, final: int) -> int:
    """Return the partition of the next level that a block for ``final`` of ``target_level`` goes through."""
    return final if level + 1 == target_level else final % plan.levels[level + 1].partitions
