"""Event-time windows: Flott against PyFlink for Python functions, and against Flink SQL for built-in aggregates.

    python benchmarks/windows.py [--rounds 3] [--quick]

Tumbling (10 s, aggregate), sliding (10 s by 2 s; reduce, or count and sum) and session windows (count and sum), 1 k and
200 k keys, 2 subtasks. "Functions" are Python functions, on PyFlink in thread mode; "built-in" is
``aggregate([Count(), Sum("amount")])`` against the same query in Flink SQL, which runs on the JVM alone. Each engine
runs a program twice, short and long; the rate is the difference in records over the difference in time, so that
starting up drops out. Rounds are interleaved and the median counts.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

from keyed_count import machine
from peers import run_program

WINDOWS = ("tumbling", "sliding", "session")
ENGINES = {
    "function": {
        "flott": ("flott", (1_000_000, 5_000_000)),
        "pyflink thread": ("pyflink", (100_000, 400_000)),
    },
    "built-in": {
        "flott": ("flott", (10_000_000, 50_000_000)),
        "flink sql": ("pyflink", (5_000_000, 20_000_000)),
    },
}
RATES = {"function": 100_000, "built-in": 1_000_000}
"""Records per second of event time."""
TARGETS = {"function": 30, "built-in": 2}


def rate_of(way: str, name: str, window: str, keys: int, *, quick: bool) -> float:
    engine, (short, long) = ENGINES[way][name]
    if quick:
        short, long = short // 2, long // 2
    fixed = ["--way", way, "--window", window, "--keys", str(keys), "--rate", str(RATES[way])]
    runs = [run_program("windows.py", engine, *fixed, "--records", str(records)) for records in (short, long)]
    return (long - short) / (runs[1].net_seconds - runs[0].net_seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one round with less input, for a first look")
    parser.add_argument("--keys", type=int, nargs="*", default=[1_000, 200_000])
    parser.add_argument("--windows", nargs="*", default=list(WINDOWS), choices=WINDOWS)
    parser.add_argument("--ways", nargs="*", default=list(ENGINES), choices=list(ENGINES))
    parser.add_argument("--engines", nargs="*", help="only these, such as flott")
    parser.add_argument("--json", help="write the figures to this file as well")
    options = parser.parse_args()
    figures = [
        figure
        for way in options.ways
        for window in options.windows
        for keys in options.keys
        for figure in compare(way, window, keys, options)
    ]
    report(figures)
    if options.json:
        content = {"machine": machine(), "when": time.strftime("%F %T"), "figures": figures}
        Path(options.json).write_text(json.dumps(content, indent=1))


def compare(way: str, window: str, keys: int, options: argparse.Namespace) -> list[dict]:
    engines = [name for name in ENGINES[way] if not options.engines or name in options.engines]
    measured: dict[str, list[float]] = {name: [] for name in engines}
    for number in range(1 if options.quick else options.rounds):
        for name in engines:
            rate = rate_of(way, name, window, keys, quick=options.quick)
            measured[name].append(rate)
            print(
                f"{way:8} {window:8} {keys:>7} keys, round {number + 1}: {name:14} {rate:>12,.0f} records/s",
                file=sys.stderr,
                flush=True,
            )
    return [
        {
            "way": way,
            "window": window,
            "keys": keys,
            "engine": name,
            "records_per_second": statistics.median(rates),
            "all": [round(rate) for rate in rates],
        }
        for name, rates in measured.items()
    ]


def report(figures: list[dict]) -> None:
    print(f"\n{machine()}; medians\n")
    print("| way | window | keys | engine | records/s | all rounds | Flott is faster by | target |")
    print("|---|---|---|---|---|---|---|---|")
    for figure in figures:
        same = [f for f in figures if all(f[part] == figure[part] for part in ("way", "window", "keys"))]
        flott = next((f["records_per_second"] for f in same if f["engine"] == "flott"), float("nan"))
        other = figure["engine"] != "flott"
        print(
            f"| {figure['way']} | {figure['window']} | {figure['keys']:,} | {figure['engine']} | "
            f"{figure['records_per_second']:,.0f} | {', '.join(f'{rate:,}' for rate in figure['all'])} | "
            + (f"{flott / figure['records_per_second']:.1f} x | {TARGETS[figure['way']]} x |" if other else "| |")
        )


if __name__ == "__main__":
    main()
