"""What a keyed count takes without an engine: a dict and a function call, on one core.

Run by benchmarks/bench.py; prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import time

parser = argparse.ArgumentParser()
parser.add_argument("--engine", required=True)
parser.add_argument("--keys", type=int, required=True)
parser.add_argument("--records", type=int, required=True)
options = parser.parse_args()

KEYS = options.keys
counts: dict[int, int] = {}


def pair_of(n: int) -> tuple[int, int]:
    return n * 7919 % KEYS, n


def process(value: tuple[int, int]) -> tuple[int, int]:
    count = counts.get(value[0], 0) + 1
    counts[value[0]] = count
    return value[0], count


def main() -> None:
    started = time.time()
    for n in range(options.records):
        process(pair_of(n))
    seconds = time.time() - started
    print(json.dumps({"seconds": seconds, "net_seconds": seconds, "records": options.records}))


main()
