"""Redis streams as source and sink."""

from __future__ import annotations

from flott_redis.sink import RedisStreamSink
from flott_redis.source import RedisStreamSource

__all__ = ["RedisStreamSink", "RedisStreamSource"]
