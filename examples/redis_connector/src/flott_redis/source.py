"""Entries of Redis streams. They stay in the stream when they are read, so an epoch can be read again."""

from __future__ import annotations

from dataclasses import dataclass, field

import redis

from flott.datastream.connectors.base import Batch, Source, SourcePlan, SplitRead

BEGINNING = "0-0"
PER_EPOCH = 10_000
"""Entries of one stream that an epoch reads at scale 1."""


class RedisStreamSource(Source):
    """The entries of some streams, as dicts of text; with ``bounded``, those that are there when the job starts."""

    def __init__(self, url: str, *streams: str, bounded: bool = False):
        self.url = url
        self.streams = streams
        self.bounded = bounded

    def is_bounded(self):
        return self.bounded

    def create_enumerator(self, parallelism):
        return RedisStreamEnumerator(self, parallelism)

    def read(self, read):
        if read.start == read.end:
            return
        with redis.Redis.from_url(self.url, decode_responses=True) as client:
            entries = client.xrange(read.split, min=f"({read.start}", max=read.end)
        # An id begins with the time of its entry.
        yield Batch([fields for _, fields in entries], [int(key.partition("-")[0]) for key, _ in entries])


@dataclass(frozen=True)
class Positions:
    """The last id that was planned of each stream, and the last one there is if it ends."""

    planned: dict[str, str] = field(default_factory=dict)
    last: dict[str, str] | None = None


class RedisStreamEnumerator:
    """Looks in the driver how far each stream goes."""

    def __init__(self, source: RedisStreamSource, parallelism: int):
        self.source = source
        self.parallelism = parallelism
        self.client = redis.Redis.from_url(source.url, decode_responses=True)
        self.planned = dict.fromkeys(source.streams, BEGINNING)
        self.last = None

    def plan(self, scale, now):
        if self.source.bounded and self.last is None:
            self.last = {stream: self._last(stream) for stream in self.planned}
        reads = [[] for _ in range(self.parallelism)]
        backlog = False
        for number, (stream, start) in enumerate(sorted(self.planned.items())):
            ids, more = self._next(stream, start, max(1, int(PER_EPOCH * scale)))
            backlog |= more
            self.planned[stream] = ids or start
            ended = self.last is not None and not more
            reads[number % self.parallelism].append(SplitRead(stream, start, ids or start, ended=ended))
        empty = all(read.start == read.end for subtask in reads for read in subtask)
        return SourcePlan(tuple(map(tuple, reads)), empty, backlog, ended=self.last is not None and not backlog)

    def _next(self, stream, start, count):
        """Return the id that an epoch reads up to, and whether there is more behind it."""
        end = "+" if self.last is None else self.last[stream]
        found = [key for key, _ in self.client.xrange(stream, min=f"({start}", max=end, count=count + 1)]
        return (found[:count][-1] if found else None), len(found) > count

    def _last(self, stream):
        newest = self.client.xrevrange(stream, count=1)
        return newest[0][0] if newest else BEGINNING

    def snapshot(self):
        return Positions(dict(self.planned), None if self.last is None else dict(self.last))

    def restore(self, state):
        self.planned = dict(state.planned)
        self.last = None if state.last is None else dict(state.last)

    def close(self):
        self.client.close()
