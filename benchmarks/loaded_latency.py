"""How old records are when they arrive, at a part of the highest rate: Flott against PyFlink as it comes, in one run.

    python benchmarks/loaded_latency.py [--shares 0.1 0.5 0.9] [--seconds 45]

Both engines count records by key, 2 subtasks, 1 k keys. First each shows its highest rate (the keyed count of
keyed_count.py, once); then it gets a tenth, half and nine tenths of its own. PyFlink runs with its default
configuration: functions in a process of their own, bundles of 1,000 records or one second.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from keyed_count import machine, rate_of
from peers import run_program

ENGINES = {"flott": "flott", "pyflink process": "pyflink"}
LABELS = ("p50", "p95", "p99")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shares", type=float, nargs="*", default=[0.1, 0.5, 0.9])
    parser.add_argument("--seconds", type=int, default=45)
    parser.add_argument("--engines", nargs="*", default=list(ENGINES), choices=list(ENGINES))
    parser.add_argument("--json", help="write the figures to this file as well")
    options = parser.parse_args()
    highest = {name: rate_of(name, 1_000, quick=True)["records_per_second"] for name in options.engines}
    figures = []
    for share in options.shares:
        for name in options.engines:
            rate = int(highest[name] * share)
            run = run_program(
                "latency.py", ENGINES[name], "--rate", str(rate), "--seconds", str(options.seconds)
            )  # fmt: skip
            figures.append({"engine": name, "share": share, "rate": rate, **run.result})
            print(figures[-1], file=sys.stderr, flush=True)
    report(figures, highest)
    if options.json:
        content = {"machine": machine(), "highest": highest, "figures": figures}
        Path(options.json).write_text(json.dumps(content, indent=1))


def report(figures: list[dict], highest: dict[str, float]) -> None:
    print(f"\n{machine()}; highest rates: " + ", ".join(f"{name} {rate:,.0f}/s" for name, rate in highest.items()))
    print("\n| load | engine | records/s | " + " | ".join(LABELS) + " |")
    print("|---|---|---|" + "---|" * len(LABELS))
    for figure in figures:
        ages = " | ".join(f"{figure[label]:,.0f} ms" for label in LABELS)
        print(f"| {figure['share']:.0%} | {figure['engine']} | {figure['rate']:,} | {ages} |")


if __name__ == "__main__":
    main()
