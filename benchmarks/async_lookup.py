"""Lookups at a web service that takes 20 ms to answer: asynchronous I/O against a call that waits, in one run.

    python benchmarks/async_lookup.py [--rounds 3] [--capacity 100]

The service is a process of its own on this machine and speaks HTTP/1.1 over connections that stay open. A job with one
subtask asks it once for each record: in a map that waits for each answer, and with AsyncDataStream, ordered and
unordered. The rate is that of a longer run less a shorter one. Target: 50 times the rate of waiting; ordered results
are in order, and every record is answered once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import statistics
import sys
import tempfile
from pathlib import Path

from keyed_count import machine
from peers import run_program

LATENCY = 0.02
WAYS = {"waiting": (50, 200), "ordered": (5_000, 40_000), "unordered": (5_000, 40_000)}


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer ``GET /<number>`` with twice the number, after a while; over and over."""
    try:
        while True:
            request = await reader.readuntil(b"\r\n\r\n")
            number = int(request.split(b" ", 2)[1][1:])
            await asyncio.sleep(LATENCY)
            body = b"%d" % (2 * number)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def serve(port) -> None:
    """Run the service, and say on which port."""

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=500)
        port.value = server.sockets[0].getsockname()[1]
        await server.serve_forever()

    asyncio.run(run())


def rate_of(way: str, port: int, capacity: int) -> float:
    """Return the records per second of one way, start-up left out."""
    took = []
    for records in WAYS[way]:
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--way", way, "--records", str(records), "--port", str(port), "--capacity", str(capacity)]
            run = run_program("async_lookup.py", "flott", *arguments, "--output", folder)
            took.append(run.net_seconds)
            check(way, records, Path(folder))
    few, many = WAYS[way]
    return (many - few) / (took[1] - took[0])


def check(way: str, records: int, folder: Path) -> None:
    """See that every record was answered, once, and in order where that was asked for."""
    found = [tuple(map(int, line.split(","))) for path in sorted(folder.rglob("part-*")) for line in path.open()]
    answers = found if way != "unordered" else sorted(found)
    if answers != [(number, 2 * number) for number in range(records)]:
        raise SystemExit(f"{way}: {len(found)} answers of {records}, or not in order")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--capacity", type=int, default=100)
    parser.add_argument("--json", help="write the figures to this file as well")
    options = parser.parse_args()
    port = multiprocessing.Value("i", 0)
    service = multiprocessing.Process(target=serve, args=(port,), daemon=True)
    service.start()
    while not port.value:
        service.join(0.05)
    rates: dict[str, list[float]] = {way: [] for way in WAYS}
    for number in range(options.rounds):
        for way, some in rates.items():
            some.append(rate_of(way, port.value, options.capacity))
            print(f"round {number + 1}: {way:10} {some[-1]:>8,.0f} records/s", file=sys.stderr, flush=True)
    service.terminate()
    medians = {way: statistics.median(some) for way, some in rates.items()}
    print(
        f"\n{machine()}; {options.capacity} lookups at a time, of {LATENCY * 1000:.0f} ms each; one subtask; medians\n"
    )
    print("| way | records/s | all rounds | times the rate of waiting |\n|---|---|---|---|")
    for way, some in rates.items():
        shown = ", ".join(f"{rate:,.0f}" for rate in some)
        print(f"| {way} | {medians[way]:,.0f} | {shown} | {medians[way] / medians['waiting']:.0f} |")
    if options.json:
        Path(options.json).write_text(json.dumps({"machine": machine(), "rates": rates}, indent=1))


if __name__ == "__main__":
    main()
