"""All scenarios on all engines, in one run: rates, ratios, processor time and memory, as a table, as JSON and drawn.

    make bench                                             # everything; some hours
    python benchmarks/bench.py --only keyed join           # scenarios with one of these in their name
    python benchmarks/bench.py --growth keys exchanges     # what a record costs as something grows

Flott, PyFlink in thread mode, Flink SQL on the JVM, and Spark's own Structured Streaming do the same work on two
subtasks. Each runs a program twice, short and long; the rate is the difference in records over the difference in time,
so that starting up drops out. A round is one of everything, so that whoever stops after the first has all of it; the
median of the rounds counts. Nexmark and latency have benchmarks of their own (nexmark.py, loaded_latency.py).
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from keyed_count import machine
from peers import run_program
from scenarios import GROWTH, SCENARIOS, Contender, Scenario

RESULTS = Path(__file__).parent / "results"
SMALLEST = 0.05
"""Two runs that differ by less seconds say nothing of a rate."""
DISTURBED = 0.02
"""If others had a greater part of the processors, a figure says so."""


@dataclass(frozen=True)
class Measurement:
    """What one contender did in one round."""

    records_per_second: float
    cpu_seconds_per_million: float
    peak_mb: float
    stolen: float
    """The part of the processors that others had, in the worse of its runs."""

    def remark(self) -> str:
        """Say so, if it was much."""
        return f" (others had {self.stolen:.0%} of the processors)" if self.stolen > DISTURBED else ""


def measure(contender: Contender, options: argparse.Namespace) -> Measurement | None:
    """Run a contender short and long; None if it fails or takes too long, which is told."""
    short, long = (int(size * options.scale) for size in contender.sizes)
    program, engine, arguments = contender.program, contender.engine, contender.arguments
    try:
        runs = [
            run_program(program, engine, *arguments, "--records", str(records), timeout=options.timeout)
            for records in (short, long)
        ]
    except Exception as error:  # noqa: BLE001 - one engine that fails must not end a run of hours
        print(f"{contender.title} failed: {str(error)[-500:]}", file=sys.stderr, flush=True)
        return None
    records = runs[1].result["records"] - runs[0].result["records"]
    seconds = runs[1].net_seconds - runs[0].net_seconds
    if seconds < SMALLEST:
        print(f"{contender.title}: the long run took no longer than the short one", file=sys.stderr, flush=True)
        return None
    cpu = max(runs[1].cpu_seconds - runs[0].cpu_seconds, 0.0)
    return Measurement(records / seconds, cpu / records * 1e6, runs[1].peak_mb, max(run.stolen for run in runs))


class Comparison:
    """Scenarios on several engines: what was measured so far."""

    def __init__(self, scenarios: list[Scenario], options: argparse.Namespace) -> None:
        self.scenarios = scenarios
        self.options = options
        self.found: dict[tuple[str, str], list[Measurement]] = {}

    def one_round(self) -> Iterator[None]:
        """Measure everything once; gives way to the caller after each scenario."""
        for scenario in self.scenarios:
            for contender in scenario.contenders:
                if self.options.engines and contender.engine not in self.options.engines:
                    continue
                measured = measure(contender, self.options)
                if measured is not None:
                    self.found.setdefault((scenario.name, contender.title), []).append(measured)
                    rate = f"{measured.records_per_second:>14,.0f} records/s{measured.remark()}"
                    print(f"{scenario.name}: {contender.title:26}{rate}", file=sys.stderr, flush=True)
            yield

    def figures(self) -> list[dict]:
        """Return the medians."""
        targets = {scenario.name: scenario.targets for scenario in self.scenarios}
        return [
            {
                "scenario": scenario,
                "engine": title,
                "records_per_second": statistics.median(one.records_per_second for one in measured),
                "all": [round(one.records_per_second) for one in measured],
                "cpu_seconds_per_million": statistics.median(one.cpu_seconds_per_million for one in measured),
                "peak_mb": max(one.peak_mb for one in measured),
                "target": targets[scenario].get(title),
                "stolen": [round(one.stolen, 3) for one in measured],
            }
            for (scenario, title), measured in self.found.items()
        ]


class Growth:
    """What a record costs as something grows: what was measured so far."""

    def __init__(self, kinds: list[str], options: argparse.Namespace) -> None:
        self.kinds = kinds
        self.options = options
        self.found: dict[tuple[str, str], list[Measurement]] = {}

    def one_round(self) -> Iterator[None]:
        """Measure every size once; gives way to the caller after each kind."""
        for kind in self.kinds:
            for size, contender in GROWTH[kind]:
                measured = measure(contender, self.options)
                if measured is not None:
                    self.found.setdefault((kind, size), []).append(measured)
                    cost = f"{1e6 / measured.records_per_second:.2f} µs a record"
                    busy = f"{measured.cpu_seconds_per_million:.2f} of processors{measured.remark()}"
                    print(
                        f"{size} {kind}: {cost}, {busy}",
                        file=sys.stderr,
                        flush=True,
                    )
            yield

    def rows(self) -> list[dict]:
        """Return the medians."""
        return [
            {
                "kind": kind,
                "size": size,
                "microseconds": statistics.median(1e6 / one.records_per_second for one in measured),
                "all": [round(1e6 / one.records_per_second, 2) for one in measured],
                "cpu_microseconds": statistics.median(one.cpu_seconds_per_million for one in measured),
                "all_cpu": [round(one.cpu_seconds_per_million, 2) for one in measured],
                "stolen": [round(one.stolen, 3) for one in measured],
            }
            for (kind, size), measured in self.found.items()
        ]


def markdown(figures: list[dict], growth: list[dict]) -> str:
    lines = [f"{machine()}; {time.strftime('%F')}; medians", ""]
    if figures:
        titles = (
            "scenario",
            "engine",
            "records/s",
            "all rounds",
            "Flott is faster by",
            "target",
            "CPU s/million",
            "Flott takes of that",
            "peak",
        )
        lines += [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for figure in figures:
        ours = next((f for f in figures if f["scenario"] == figure["scenario"] and f["engine"] == "flott"), None)
        ratio = target = share = ""
        if ours and figure["engine"] != "flott":
            ratio = f"{ours['records_per_second'] / figure['records_per_second']:.1f} x"
            target = f"{figure['target']} x" if figure["target"] else ""
            if figure["cpu_seconds_per_million"]:
                share = f"{ours['cpu_seconds_per_million'] / figure['cpu_seconds_per_million']:.2f}"
        every = ", ".join(f"{rate:,}" for rate in figure["all"])
        lines.append(
            f"| {figure['scenario']} | {figure['engine']} | {figure['records_per_second']:,.0f} | {every} | {ratio} | "
            f"{target} | {figure['cpu_seconds_per_million']:.2f} | {share} | {figure['peak_mb']:,.0f} MB |"
        )
    if growth:
        lines += ["", "| growing | size | µs a record | all | of the first | µs of processors | all | of the first |"]
        lines += ["|---" * 8 + "|"]
    for row in growth:
        first = next(one for one in growth if one["kind"] == row["kind"])
        cells = [row["kind"], row["size"]]
        for cost, every in (("microseconds", "all"), ("cpu_microseconds", "all_cpu")):
            ratio = f"{row[cost] / first[cost]:.2f} x" if first[cost] else "-"  # noise may leave nothing of the first
            cells += [f"{row[cost]:.2f}", ", ".join(map(str, row[every])), ratio]
        lines.append(f"| {' | '.join(cells)} |")
    most = max((part for row in (*figures, *growth) for part in row["stolen"]), default=0.0)
    if most > DISTURBED:
        lines += ["", f"Other guests of the host had up to {most:.0%} of the processors meanwhile."]
    return "\n".join(lines) + "\n"


def draw(figures: list[dict], path: Path) -> None:
    """Draw a bar per engine and scenario, on a logarithmic scale: the engines are far apart."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    engines = list(dict.fromkeys(figure["engine"] for figure in figures))
    scenarios = list(dict.fromkeys(figure["scenario"] for figure in figures))
    drawing, axis = plt.subplots(figsize=(10, 0.7 * len(scenarios) + 1.5))
    height = 0.8 / len(engines)
    for number, engine in enumerate(engines):
        mine = [figure for figure in figures if figure["engine"] == engine]
        places = [scenarios.index(figure["scenario"]) + (number - len(engines) / 2) * height for figure in mine]
        axis.barh(places, [figure["records_per_second"] for figure in mine], height=height, label=engine)
    axis.set_yticks(range(len(scenarios)), scenarios, fontsize=8)
    axis.invert_yaxis()
    axis.set_xscale("log")
    axis.set_xlabel("records per second")
    axis.grid(axis="x", alpha=0.3)
    axis.legend(fontsize=8)
    drawing.tight_layout()
    drawing.savefig(path)
    plt.close(drawing)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[""], help="only scenarios with one of these in their name")
    parser.add_argument("--engines", nargs="*", choices=["flott", "pyflink", "spark"])
    parser.add_argument("--growth", nargs="*", choices=list(GROWTH), help="these instead of the scenarios")
    parser.add_argument("--scale", type=float, default=1.0, help="so many times the records, such as 0.2")
    parser.add_argument("--timeout", type=float, default=900, help="seconds that a program may take")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the report goes")
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    chosen = [] if options.growth else [one for one in SCENARIOS if any(part in one.name for part in options.only)]
    comparison = Comparison(chosen, options)
    growth = Growth(options.growth or ([] if options.only != [""] else list(GROWTH)), options)
    for _ in range(options.rounds):
        for _ in chain(comparison.one_round(), growth.one_round()):
            write(options.results, comparison.figures(), growth.rows())  # what was measured stays, whatever comes
    print(markdown(comparison.figures(), growth.rows()))


def write(folder: Path, figures: list[dict], growth: list[dict]) -> None:
    content = {"machine": machine(), "when": time.strftime("%F %T"), "figures": figures, "growth": growth}
    (folder / "bench.json").write_text(json.dumps(content, indent=1) + "\n")
    (folder / "bench.md").write_text(markdown(figures, growth))
    if figures:
        draw(figures, folder / "bench.svg")


if __name__ == "__main__":
    main()
