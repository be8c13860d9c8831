"""Keyed state, record by record, through a user's Python function: Flott against PyFlink, in one run.

    python benchmarks/keyed_count.py [--rounds 3] [--quick]

generator → map → key_by → KeyedProcessFunction with ValueState → discard, 2 subtasks, 1 k and 200 k keys. Each engine
runs the program twice, short and long; the rate is the difference in records over the difference in time, so that
starting up, which is not what is compared, drops out. Rounds are interleaved and the median counts.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from pathlib import Path

import psutil
from peers import run_program

ENGINES = {
    "flott": ("flott", [], (2_000_000, 12_000_000)),
    "pyflink thread": ("pyflink", ["--mode", "thread"], (50_000, 350_000)),
    "pyflink process": ("pyflink", ["--mode", "process"], (10_000, 60_000)),
}


def rate_of(name: str, keys: int, *, quick: bool) -> dict:
    engine, arguments, (short, long) = ENGINES[name]
    if quick:
        short, long = short // 2, long // 4
    runs = [
        run_program("keyed_count.py", engine, *arguments, "--keys", str(keys), "--records", str(records))
        for records in (short, long)
    ]
    seconds = runs[1].net_seconds - runs[0].net_seconds
    return {
        "records_per_second": (long - short) / seconds,
        "start_seconds": runs[0].seconds,
        "peak_python_mb": runs[1].peak_python_mb,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="less input, for a first look")
    parser.add_argument("--keys", type=int, nargs="*", default=[1_000, 200_000])
    parser.add_argument("--engines", nargs="*", default=list(ENGINES), choices=list(ENGINES))
    parser.add_argument("--json", help="write the figures to this file as well")
    options = parser.parse_args()
    figures = []
    for keys in options.keys:
        measured: dict[str, list[dict]] = {name: [] for name in options.engines}
        for number in range(options.rounds):
            for name in options.engines:
                measured[name].append(rate_of(name, keys, quick=options.quick))
                rate = measured[name][-1]["records_per_second"]
                print(
                    f"{keys:>7} keys, round {number + 1}: {name:16} {rate:>12,.0f} records/s",
                    file=sys.stderr,
                    flush=True,
                )
        for name, runs in measured.items():
            figures.append(
                {
                    "keys": keys,
                    "engine": name,
                    "records_per_second": statistics.median(run["records_per_second"] for run in runs),
                    "all": [round(run["records_per_second"]) for run in runs],
                    "peak_python_mb": max(run["peak_python_mb"] for run in runs),
                }
            )
    report(figures)
    if "flott" in options.engines:
        report_memory(options.keys, quick=options.quick)
    if options.json:
        content = {"machine": machine(), "when": time.strftime("%F %T"), "figures": figures}
        Path(options.json).write_text(json.dumps(content, indent=1))


def report_memory(sizes: list[int], *, quick: bool) -> None:
    """Run long enough for 50 epochs and more: what the workers hold must not grow."""
    for keys in sizes:
        records = 12_000_000 if quick else 45_000_000
        run = run_program("keyed_count.py", "flott", "--keys", str(keys), "--records", str(records))
        held = run.result["memory_mb"]
        early, late = statistics.median(held[5:15]), statistics.median(held[-10:])
        growth = f"{early:,.0f} MB in epochs 6 to 15, {late:,.0f} MB in the last 10"
        print(f"{keys:,} keys, {len(held)} epochs: the workers hold {growth}")


def machine() -> str:
    memory = psutil.virtual_memory().total / 2**30
    return f"{psutil.cpu_count()} cores, {memory:.0f} GB, Python {platform.python_version()}"


def report(figures: list[dict]) -> None:
    print(f"\n{machine()}; medians\n")
    print("| keys | engine | records/s | all rounds | Flott is faster by | Python memory, peak |")
    print("|---|---|---|---|---|---|")
    for figure in figures:
        flott = next((f for f in figures if f["keys"] == figure["keys"] and f["engine"] == "flott"), None)
        ratio = flott["records_per_second"] / figure["records_per_second"] if flott else float("nan")
        print(
            f"| {figure['keys']:,} | {figure['engine']} | {figure['records_per_second']:,.0f} | "
            f"{', '.join(f'{rate:,}' for rate in figure['all'])} | {ratio:.1f} x | {figure['peak_python_mb']:,.0f} MB |"
        )


if __name__ == "__main__":
    main()
