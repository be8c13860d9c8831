"""Orders learn the name of their customer from a web service, a hundred requests at a time.

    flott run examples/async_enrichment.py

A lookup takes a few milliseconds, nearly all of them waiting. With `AsyncDataStream` a subtask waits for many answers
at once, in one thread. The service fails now and then, as services do: a strategy says how often to ask again.

The example starts the service itself, on a free port of this machine. The client is a few lines of asyncio, so that
nothing has to be installed; yours will be httpx or aiohttp, opened in `open` and closed in `close`.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread

from drawing import table
from sample_data import orders

from flott.common import Duration
from flott.datastream import AsyncDataStream, AsyncFunction, StreamExecutionEnvironment
from flott.datastream.async_retry_strategies import FixedDelayRetryStrategy

TIERS = ["basic", "silver", "gold"]


class CustomerService(BaseHTTPRequestHandler):
    """Answers `GET /customers/<number>`; every fiftieth time it is too busy."""

    requests = count(1)

    def do_GET(self):
        customer = int(self.path.rpartition("/")[2])
        busy = next(self.requests) % 50 == 0
        self.send_response(503 if busy else 200)
        self.end_headers()
        if not busy:
            answer = {"name": f"customer {customer}", "tier": TIERS[customer % 3]}
            self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        """Say nothing about requests."""


class Server(ThreadingHTTPServer):
    """Lets more clients knock at the same time than the five that are usual."""

    request_queue_size = 500


@contextmanager
def customer_service():
    """Run the service in a thread, and say on which port."""
    with Server(("127.0.0.1", 0), CustomerService) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


class AskForCustomer(AsyncFunction):
    """Puts the customer's name and tier beside each order."""

    def __init__(self, port):
        self.port = port

    async def async_invoke(self, value):
        answer = await self.get(f"/customers/{value.customer}")
        return [(value, answer["name"], answer["tier"])]

    async def get(self, path):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        await writer.wait_closed()
        if b" 200 " not in head.splitlines()[0]:
            raise ConnectionError(f"the service answered {head.splitlines()[0].decode()}")
        return json.loads(body)


def enriched(env, made, port):
    again = FixedDelayRetryStrategy(5, 10, None, lambda error: isinstance(error, ConnectionError))
    return AsyncDataStream.unordered_wait_with_retry(
        env.from_collection(made).rebalance(), AskForCustomer(port), Duration.of_seconds(30), again, capacity=100
    )


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    numbers, cents = Counter(), Counter()
    with customer_service() as port, enriched(env, orders(1_000), port).execute_and_collect("enrichment") as results:
        for order, _, tier in results:
            numbers[tier] += 1
            cents[tier] += order.cents
    rows = [(tier, numbers[tier], cents[tier] / 100, cents[tier] / 100 / numbers[tier]) for tier in TIERS]
    print(table(["tier", "orders", "revenue", "per order"], rows))
    print(f"\n{sum(numbers.values()):,} orders know their customer")


if __name__ == "__main__":
    main()
