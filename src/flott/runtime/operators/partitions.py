"""Looking at all that a subtask gets, once the input has ended.

What a subtask got until then is keyed state, so that it is in checkpoints, grows without being written again and moves
when the job is rescaled. The key stands for the subtask: its key group is the subtask's own, so records stay there.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from flott.runtime.batch import MAX_WATERMARK, Batch
from flott.runtime.keys import groups_of_subtask, key_group_of
from flott.runtime.operator import Operator
from flott.runtime.operators.keyed_process import KeyedProcess
from flott.runtime.time_domain import TimeDomain

if TYPE_CHECKING:
    from flott.runtime.context import OperatorContext


def key_of_subtask(context: OperatorContext) -> int:
    """Return the first number that, as a key, belongs to a subtask."""
    groups = groups_of_subtask(context.subtask, context.parallelism, context.max_parallelism)
    return next(number for number in count() if key_group_of(number, context.max_parallelism) in groups)


class MarkPartition(Operator):
    """Turns each record into a pair of the subtask's key and the record; at the end, a lone key says so much.

    So the end of a subtask that got nothing is seen, too.
    """

    def open(self) -> None:
        self.key = key_of_subtask(self.context)

    def process(self, batch: Batch) -> None:
        key = self.key
        values: list[Any] = [(key, value) for value in batch.values]
        self.output.emit(Batch(values, batch.stamps))

    def on_watermark(self, timestamp: int) -> int | None:
        if timestamp == MAX_WATERMARK:
            self.output.emit(Batch([(self.key,)]))
        return timestamp


class EndOfPartition(KeyedProcess):
    """A process function whose results at the end of the input have no timestamp."""

    def _on_event_time(self, time: int, key: Any) -> None:
        self.ctx.domain = TimeDomain.EVENT_TIME
        self._on_timer(time, key, None)
