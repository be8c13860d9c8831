"""Runs the suites of a tier one after the other, and prints what each used of its budget.

`make test`, `make ci` and `make nightly` run this; tests/budget.ini has the tiers and the minutes. It stops at the
first suite that fails, unless `--keep-going` is given. With `--enforce`, suites that go beyond their budget by half
fail the run too, at its end.

    python tools/run_suites.py [--enforce] [--keep-going] TIER
"""

from __future__ import annotations

import argparse
import os
import sys
from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from machine_use import Use, measured

if TYPE_CHECKING:
    from collections.abc import Mapping

BUDGET = Path(__file__).resolve().parent.parent / "tests" / "budget.ini"
TOLERANCE = 1.5
"""A suite fails beyond its budget times this."""


@dataclass(frozen=True)
class Budget:
    """What the suites of the repository may cost, in minutes."""

    minutes: Mapping[str, float]
    tiers: Mapping[str, list[str]]
    limits: Mapping[str, float]
    """What all suites of a tier may cost together."""
    reserved: Mapping[str, float]
    """What suites to come may cost in CI."""
    loop_seconds: float
    """CPU time of the loop in machine_use.py on the machine that the minutes were measured on."""

    def total(self, tier: str) -> float:
        """Return what a tier may cost, with what is reserved in it."""
        reserved = sum(self.reserved.values()) if tier == "ci" else 0.0
        return sum(self.minutes[suite] for suite in self.tiers[tier]) + reserved


def read_budget(path: Path = BUDGET) -> Budget:
    """Read a budget file."""
    parser = ConfigParser()
    parser.read_string(path.read_text(encoding="utf-8"))

    def numbers(section: str) -> dict[str, float]:
        return {name: float(value) for name, value in parser[section].items()}

    tiers = {tier: suites.split() for tier, suites in parser["tiers"].items()}
    loop_seconds = numbers("reference")["loop-milliseconds"] / 1000
    return Budget(numbers("minutes"), tiers, numbers("limits"), numbers("reserved"), loop_seconds)


def run_tier(budget: Budget, tier: str, *, keep_going: bool = False) -> dict[str, Use]:
    """Run the suites of a tier, up to the first that fails or all of them; return what each took."""
    make = os.environ.get("MAKE", "make")
    uses: dict[str, Use] = {}
    for suite in budget.tiers[tier]:
        print(f"\n== {suite} (budget: {budget.minutes[suite]:g} min)", flush=True)
        uses[suite] = measured([make, "--no-print-directory", suite], budget.loop_seconds)
        if uses[suite].code and not keep_going:
            break
    return uses


def beyond(budget: Budget, uses: Mapping[str, Use]) -> list[str]:
    """Return the suites that used more than their budget and half of it."""
    return [suite for suite, use in uses.items() if use.quiet / 60 > TOLERANCE * budget.minutes[suite]]


def report(budget: Budget, tier: str, uses: Mapping[str, Use]) -> str:
    """Return a table of used against budget; used are minutes on a quiet machine of the reference speed."""
    lines = [f"{'suite':<18}{'used':>7}{'budget':>8}{'wall':>8}{'CPU':>7}{'others':>8}{'slowness':>10}   (minutes)"]
    for suite, use in uses.items():
        start = f"{suite:<18}{use.quiet / 60:>7.1f}{budget.minutes[suite]:>8g}{use.wall / 60:>8.1f}"
        lines.append(f"{start}{use.cpu / 60:>7.1f}{use.others / 60:>8.1f}{use.slowness:>10.2f}")
    if tier == "ci":
        lines += [f"{name:<18}{'-':>7}{minutes:>8g}   reserved" for name, minutes in budget.reserved.items()]
    used, wall = sum(use.quiet for use in uses.values()) / 60, sum(use.wall for use in uses.values()) / 60
    lines.append(f"{'total':<18}{used:>7.1f}{budget.total(tier):>8g}{wall:>8.1f}   limit {budget.limits[tier]:g}")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Run a tier and print the table; return 1 if a suite failed, or with --enforce went beyond its budget by half."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tier")
    parser.add_argument("--enforce", action="store_true", help="fail when a suite goes beyond its budget by half")
    parser.add_argument("--keep-going", action="store_true", help="run the other suites after one has failed")
    asked = parser.parse_args(arguments)
    budget = read_budget()
    if asked.tier not in budget.tiers:
        parser.error(f"expected one of {', '.join(budget.tiers)} as tier, but got {asked.tier!r}")
    uses = run_tier(budget, asked.tier, keep_going=asked.keep_going)
    print("\n" + report(budget, asked.tier, uses))
    failed = [suite for suite, use in uses.items() if use.code]
    late = beyond(budget, uses)
    for suite in failed:
        print(f"suite {suite} failed with exit code {uses[suite].code}")
    for suite in late:
        print(f"suite {suite} used more than {TOLERANCE:g} times its budget; what to do stands in {BUDGET.name}")
    return 1 if failed or (late and asked.enforce) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
