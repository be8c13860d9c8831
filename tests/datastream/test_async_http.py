"""Lookups in a real HTTP server that answers nobody before enough ask: asked all at once, not one after the other."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from tests.waiting import PATIENCE

from flott.datastream import AsyncFunction
from flott.runtime.operators.async_wait import AsyncSettings, AsyncWait
from flott.testing.harness import OneInputOperatorHarness

AT_ONCE = 50
CAPACITY = 2 * AT_ONCE

SERVER = f"""
import asyncio

waiting = []

async def answer(reader, writer):
    while await reader.readline():
        while (await reader.readline()).strip():
            pass
        go_on = asyncio.get_running_loop().create_future()
        waiting.append(go_on)
        if len(waiting) == {AT_ONCE}:
            for other in waiting:
                other.set_result(None)
            waiting.clear()
        await go_on
        writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
    writer.close()

async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=500)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


@pytest.fixture
def port():
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as process:
        yield int(process.stdout.readline())
        process.terminate()


class Lookup(AsyncFunction):
    """A small HTTP client with connections that are used again."""

    def __init__(self, port):
        self.port = port

    def open(self, runtime_context):
        self.idle = []

    async def close(self):
        for _, writer in self.idle:
            writer.close()
            await writer.wait_closed()

    async def async_invoke(self, value):
        reader, writer = self.idle.pop() if self.idle else await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(b"GET /%d HTTP/1.1\r\nHost: test\r\n\r\n" % value)
        while (await reader.readline()).strip():
            pass
        body = await reader.readexactly(2)
        self.idle.append((reader, writer))
        return [(value, body)]


@pytest.mark.job
@pytest.mark.parametrize("ordered", [True, False])
def test_fifty_lookups_are_under_way_at_once(port, ordered):
    numbers = list(range(80 * AT_ONCE))
    # A lookup that nobody answers times out and fails the test.
    settings = AsyncSettings(ordered, PATIENCE * 1_000, CAPACITY)
    with OneInputOperatorHarness(AsyncWait(Lookup(port), settings)) as harness:
        for start in range(0, len(numbers), 500):
            harness.process_batch(numbers[start : start + 500])
            harness.process_watermark(start)
        harness.end_epoch()
        values = [value for value, body in harness.extract_output_values() if body == b"ok"]
    assert (values if ordered else sorted(values)) == numbers
