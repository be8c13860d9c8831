"""A Redis stream that records are added to, each exactly once."""

from __future__ import annotations

import json
from uuid import uuid4

import redis

from flott.datastream.connectors.base import Committer, CommittingSinkWriter, Sink, SupportsCommitter

SHOW = """
local staged = redis.call('LRANGE', KEYS[1], 0, -1)
for _, text in ipairs(staged) do
    redis.call('XADD', KEYS[2], '*', 'value', text)
end
redis.call('DEL', KEYS[1])
return #staged
"""
"""Redis runs a script as a whole: an epoch shows whole, and its key is gone then. So showing it again adds nothing."""


class RedisStreamSink(Sink, SupportsCommitter):
    """Adds records, as JSON, to a stream; they show when the next checkpoint is complete."""

    def __init__(self, url: str, stream: str):
        self.url = url
        self.stream = stream

    def create_writer(self, context):
        return RedisWriter(self.url, _prefix(context.get_job_id(), context.get_operator_id()))

    def create_committer(self):
        return RedisCommitter(self.url, self.stream)

    def abort_stale(self, scope, kept):
        with redis.Redis.from_url(self.url, decode_responses=True) as client:
            for key in client.scan_iter(f"{_prefix(scope.job_id, scope.operator_id)}*"):
                if key not in kept:
                    client.delete(key)


class RedisWriter(CommittingSinkWriter):
    """In a task: an epoch's records go to a key of their own, which is the committable."""

    def __init__(self, url: str, prefix: str):
        self.client = redis.Redis.from_url(url)
        self.prefix = prefix
        self.texts = []

    def write(self, element, context):
        self.texts.append(json.dumps(element))

    def prepare_commit(self):
        texts, self.texts = self.texts, []
        if not texts:
            return []
        # Unique: Spark may run an attempt twice.
        key = f"{self.prefix}{uuid4().hex}"
        self.client.rpush(key, *texts)
        return [key]

    def close(self):
        self.texts.clear()
        self.client.close()


class RedisCommitter(Committer):
    """In the driver: shows what was staged."""

    def __init__(self, url: str, stream: str):
        self.client = redis.Redis.from_url(url)
        self.stream = stream

    def commit(self, requests):
        show = self.client.register_script(SHOW)
        for request in requests:
            if not show(keys=[request.get_committable(), self.stream]):
                request.signal_already_committed()

    def close(self):
        self.client.close()


def _prefix(job_id: str, operator_id: str) -> str:
    return f"flott:staged:{job_id}:{operator_id}:"
