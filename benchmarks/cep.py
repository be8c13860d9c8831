"""A fraud pattern over 100 k cards: Flott's CEP against MATCH_RECOGNIZE in Flink SQL, in one run.

    python benchmarks/cep.py [--rounds 3] [--quick]

Small, small and large payment in a row on one card within a minute, then past the last event. "flott" has conditions
that are Python functions of Python objects, "flott, columns" expressions on events in columns. Each engine runs the
program twice, short and long; the rate is the difference in records over the difference in time, so that starting up
drops out. Rounds are interleaved and the median counts. The long run of Flott covers more than ten windows of a minute;
what its Python processes hold is compared between the first and the last third of it.
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

ENGINES = {
    "flott": ("flott", ["--way", "function"], (1_000_000, 7_000_000)),
    "flott, columns": ("flott", ["--way", "columns"], (2_000_000, 14_000_000)),
    "flink sql": ("pyflink", [], (1_000_000, 7_000_000)),
}
TARGET = 150_000
"""Events a second, on two cores."""


def rate_of(name: str, keys: int, *, quick: bool) -> dict:
    engine, arguments, (short, long) = ENGINES[name]
    if quick:
        short, long = short // 2, long // 2
    runs = [run_program("cep.py", engine, *arguments, "--keys", str(keys), "--records", str(n)) for n in (short, long)]
    return {
        "records_per_second": (long - short) / (runs[1].net_seconds - runs[0].net_seconds),
        "memory_mb": runs[1].result["memory_mb"],
    }


def growth(curve: list[int]) -> str:
    """Say what was held in the first and in the last third, once all cards were seen."""
    busy = curve[len(curve) // 4 :]
    third = len(busy) // 3
    if not third:
        return "-"
    return f"{statistics.median(busy[:third]):,.0f} → {statistics.median(busy[-third:]):,.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="less input, for a first look")
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--engines", nargs="*", default=list(ENGINES), choices=list(ENGINES))
    parser.add_argument("--json", help="write the figures to this file as well")
    options = parser.parse_args()
    measured: dict[str, list[dict]] = {name: [] for name in options.engines}
    for number in range(options.rounds):
        for name in options.engines:
            measured[name].append(rate_of(name, options.keys, quick=options.quick))
            rate = measured[name][-1]["records_per_second"]
            print(f"round {number + 1}: {name:14} {rate:>12,.0f} events/s", file=sys.stderr, flush=True)
    rates = {name: [round(run["records_per_second"]) for run in runs] for name, runs in measured.items()}
    medians = {name: statistics.median(some) for name, some in rates.items()}
    print(f"\n{machine()}; medians; the target is {TARGET:,} events/s\n")
    print("| engine | events/s | all rounds | of Flink SQL | Python memory, first and last third |")
    print("|---|---|---|---|---|")
    for name, median in medians.items():
        ratio = f"{median / medians['flink sql']:.2f} x" if "flink sql" in medians else "-"
        every = ", ".join(f"{rate:,}" for rate in rates[name])
        print(f"| {name} | {median:,.0f} | {every} | {ratio} | {growth(measured[name][-1]['memory_mb'])} |")
    if options.json:
        content = {"machine": machine(), "when": time.strftime("%F %T"), "figures": measured}
        Path(options.json).write_text(json.dumps(content, indent=1))


if __name__ == "__main__":
    main()
