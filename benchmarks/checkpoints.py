"""What checkpoints cost: the keyed count over 200 k keys with a checkpoint every second, and without.

    python benchmarks/checkpoints.py [--rounds 3]

Each runs twice, short and long; the rate is the difference in records over the difference in time. Rounds are
interleaved and the median counts. The target is a cost below 15 %.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile

from keyed_count import machine
from peers import run_program

SHORT, LONG = 2_000_000, 12_000_000
TARGET = 0.15


def rate(keys: int, *, checkpoints: bool) -> tuple[float, int]:
    """Return the rate, and how many checkpoints the long run took."""
    runs = []
    for records in (SHORT, LONG):
        with tempfile.TemporaryDirectory() as directory:
            extra = ["--checkpoints", directory] if checkpoints else []
            runs.append(run_program("keyed_count.py", "flott", "--keys", str(keys), "--records", str(records), *extra))
    seconds = runs[1].net_seconds - runs[0].net_seconds
    return (LONG - SHORT) / seconds, runs[1].result.get("checkpoints", 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keys", type=int, default=200_000)
    options = parser.parse_args()
    rates: dict[bool, list[float]] = {False: [], True: []}
    taken = 0
    for number in range(options.rounds):
        for checkpoints, measured in rates.items():
            result, count = rate(options.keys, checkpoints=checkpoints)
            measured.append(result)
            taken = max(taken, count)
            what = f"a checkpoint every second ({count} taken)" if checkpoints else "no checkpoints"
            print(f"round {number + 1}: {result:>10,.0f} records/s, {what}", file=sys.stderr, flush=True)
    without, with_them = (statistics.median(rates[which]) for which in (False, True))
    print(f"{machine()}; {options.keys:,} keys; medians of {options.rounds}")
    print(f"without {without:,.0f} records/s, with a checkpoint every second {with_them:,.0f} ({taken} in a run)")
    print(f"they cost {1 - with_them / without:.1%}; the target is below {TARGET:.0%}")


if __name__ == "__main__":
    main()
