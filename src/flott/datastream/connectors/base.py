"""What every source and sink is, and what you need to write your own.

A source of your own has two halves. The ``Enumerator`` lives in the driver and plans each epoch; ``read`` runs in
tasks and gives out exactly what was planned:

>>> class Countdown(Source):
...     def __init__(self, start):
...         self.start = start
...
...     def is_bounded(self):
...         return True
...
...     def create_enumerator(self, parallelism):
...         return CountdownEnumerator(self.start, parallelism)
...
...     def read(self, read):
...         yield Batch(list(range(read.start, read.end, -1)))
>>> class CountdownEnumerator:
...     def __init__(self, start, parallelism):
...         self.position, self.parallelism = start, parallelism
...
...     def plan(self, scale, now):
...         end = max(0, self.position - int(1000 * scale))
...         read = SplitRead("all", self.position, end, ended=end == 0)
...         reads = ((read,), *[()] * (self.parallelism - 1))
...         self.position = end
...         return SourcePlan(reads, empty=read.start == end, backlog=end > 0, ended=end == 0)
...
...     def snapshot(self):
...         return self.position
...
...     def restore(self, state):
...         self.position = state
...
...     def close(self):
...         pass
>>> countdown = Countdown(3)
>>> plan = countdown.create_enumerator(parallelism=1).plan(scale=1.0, now=0)
>>> [batch.values for batch in countdown.read(plan.reads[0][0])], plan.ended
([[3, 2, 1]], True)
"""

from __future__ import annotations

from flott.connectors.base import (
    Committer,
    CommittingSinkWriter,
    DeliveryGuarantee,
    Sink,
    SinkScope,
    SinkWriter,
    Source,
    StatefulSinkWriter,
    SupportsCommitter,
    SupportsWriterState,
)
from flott.datastream.connectors.preprocessing import StreamTransformer, SupportsPreprocessing
from flott.runtime.batch import Batch
from flott.runtime.operators.commit_requests import CommitRequest
from flott.runtime.operators.sinks import WriteContext, WriterInitContext
from flott.runtime.source import Enumerator, SourcePlan, SplitRead

__all__ = [
    "Batch",
    "CommitRequest",
    "Committer",
    "CommittingSinkWriter",
    "DeliveryGuarantee",
    "Enumerator",
    "Sink",
    "SinkScope",
    "SinkWriter",
    "Source",
    "SourcePlan",
    "SplitRead",
    "StatefulSinkWriter",
    "StreamTransformer",
    "SupportsCommitter",
    "SupportsPreprocessing",
    "SupportsWriterState",
    "WriteContext",
    "WriterInitContext",
]
