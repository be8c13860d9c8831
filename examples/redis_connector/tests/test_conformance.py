"""Source and sink go through Flott's conformance kit, on a real Redis server."""

from __future__ import annotations

import json
import shutil
import subprocess
from uuid import uuid4

import pytest

from flott.testing.connectors import SINK_CHECKS, SOURCE_CHECKS, SinkCase, SourceCase

redis = pytest.importorskip("redis", reason="pip install redis")
pytestmark = [
    pytest.mark.job,
    pytest.mark.skipif(shutil.which("redis-server") is None, reason="no redis-server; apt-get install redis-server"),
]

ENTRIES = [{"number": str(number)} for number in range(30)]


@pytest.fixture(scope="session")
def url(tmp_path_factory):
    """A server of the tests' own, on a socket in a directory of its own."""
    path = tmp_path_factory.mktemp("redis") / "socket"
    command = ["redis-server", "--port", "0", "--unixsocket", str(path), "--save", "", "--daemonize", "no"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            for line in server.stdout:
                if "eady to accept connections" in line:
                    break
            yield f"unix://{path}"
        finally:
            server.terminate()


@pytest.fixture
def client(url):
    with redis.Redis.from_url(url, decode_responses=True) as connected:
        yield connected


@pytest.mark.parametrize("bounded", [True, False])
@pytest.mark.parametrize("check", SOURCE_CHECKS, ids=lambda check: check.__name__)
def test_source(url, client, bounded, check, monkeypatch):
    from flott_redis import RedisStreamSource

    # At the scale of the kit's small epochs, three entries.
    monkeypatch.setattr("flott_redis.source.PER_EPOCH", 30_000)
    streams = [f"in-{uuid4().hex}" for _ in range(3)]
    for number, entry in enumerate(ENTRIES):
        client.xadd(streams[number % 2], entry)

    def more():
        client.xadd(streams[2], {"number": "late"})
        return [{"number": "late"}]

    source = RedisStreamSource(url, *streams, bounded=bounded)
    check(SourceCase(lambda: source, expected=ENTRIES, more=None if bounded else more))


@pytest.mark.parametrize("check", SINK_CHECKS, ids=lambda check: check.__name__)
def test_sink(url, client, check):
    from flott_redis import RedisStreamSink

    stream = f"out-{uuid4().hex}"
    check(
        SinkCase(
            lambda: RedisStreamSink(url, stream),
            read=lambda: [json.loads(fields["value"]) for _, fields in client.xrange(stream)],
            record=lambda number: {"number": number},
            leftovers=lambda: list(client.scan_iter("flott:staged:*")),
        )
    )
