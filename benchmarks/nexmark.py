"""Nexmark, the same programs over the same files, in one run: against Flink SQL on the JVM, or against PyFlink.

    python benchmarks/nexmark.py --sql [--queries q0,q1] [--quick] [--format json]
    python benchmarks/nexmark.py --streams

``--sql`` takes the queries of tests/table/nexmark, ``--streams`` those of programs/nexmark_streams.py: the same in
Python functions, against PyFlink in thread mode. Each engine runs a query twice, over few and over many events, 2
subtasks, into a sink that discards; the rate is the difference in events over the difference in time, so that starting
up drops out. In SQL q3 and q8, which read no bids, run over ten times as many events; PyFlink gets a hundredth of them.
What an engine can't run is left out of the mean and named.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import yaml
from keyed_count import machine
from nexmark_events import create_tables, write_events
from peers import run_program

QUERIES = Path(__file__).parent.parent / "tests" / "table" / "nexmark" / "queries.yaml"
SIZES, QUICK = (100_000, 1_100_000), (40_000, 240_000)


@dataclass(frozen=True)
class Way:
    """How the queries are written, and against whom they run."""

    program: str
    peer: str
    part: int
    """The peer gets one of so many events."""


SQL, STREAMS = Way("nexmark.py", "flink sql", 1), Way("nexmark_streams.py", "pyflink thread", 100)
TOO_SHORT = 0.1
"""Seconds: a smaller difference between two runs says nothing."""
COUNT_CHAR = ("count_char(extra, 'c')", "CHAR_LENGTH(extra) - CHAR_LENGTH(REPLACE(extra, 'c', ''))")
"""A user's function, which would bring Python into Flink: both engines compute the same with functions of SQL."""


TIME = re.compile(r"\bdateTime\b")
BIDS = re.compile(r"\bbid\b")
WITHOUT_BIDS = 10
"""A query without bids reads every twelfth event: it gets so many times as many, lest it is over too soon to tell."""


def queries(chosen: str | None) -> dict[str, str]:
    written = yaml.safe_load(QUERIES.read_text())
    # To Flink the name is a word of SQL.
    known = {name: TIME.sub("`dateTime`", one["flott"].replace(*COUNT_CHAR)) for name, one in written.items()}
    names = chosen.split(",") if chosen else list(known)
    for name in names:
        if name not in known:
            raise SystemExit(f"there is no query {name}; there are {', '.join(known)}")
    return {name: known[name] for name in names}


def write_statements(folder: Path, options: argparse.Namespace, part: int = 1) -> Path:
    """Write the files of events, or a part of them, and what an engine is to run."""
    chosen = queries(options.queries)
    sizes = [size // part for size in options.events or (QUICK if options.quick else SIZES)]
    tables: dict[str, list[str]] = {}
    over: dict[str, list[str]] = {}
    for with_bids in (True, False):
        names = [name for name, query in chosen.items() if (options.streams or bool(BIDS.search(query))) == with_bids]
        for size in (size if with_bids else WITHOUT_BIDS * size for size in sizes if names):
            # The same number of events may be wanted with and without bids.
            which = folder / f"{size}{'' if with_bids else '-without-bids'}"
            write_events(which, size, options.format, with_bids=with_bids)
            tables[which.name] = []
            create_tables(tables[which.name].append, which, options.format)
            for name in names:
                over.setdefault(name, []).append(which.name)
    folder.mkdir(exist_ok=True)
    path = folder / "statements.json"
    path.write_text(json.dumps({"tables": tables, "queries": chosen, "over": over}))
    return path


def rates(times: dict) -> float | None:
    """Return events per second, start-up left out; None for a query that can't be run, or is over too soon to tell."""
    if "error" in times:
        return None
    (few, short), (many, long) = ((int(size.partition("-")[0]), took) for size, took in times.items())
    return (many - few) / (long - short) if long - short > TOO_SHORT else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--sql", action="store_true", help="in SQL")
    way.add_argument("--streams", action="store_true", help="as DataStream programs in Python")
    parser.add_argument("--queries", help="only these, such as q0,q5")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="fewer events, for a first look")
    parser.add_argument("--events", type=int, nargs=2, metavar=("FEW", "MANY"), help="of which the rate is made")
    parser.add_argument("--format", choices=["csv", "json"], default="csv")
    parser.add_argument("--only-flott", action="store_true", help="without the peer")
    parser.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", help="a setting of Flott's")
    parser.add_argument("--json", help="write the figures to this file as well")
    options = parser.parse_args()
    way = SQL if options.sql else STREAMS
    engines = {"flott": "flott"} if options.only_flott else {"flott": "flott", way.peer: "pyflink"}
    found: dict[str, dict[str, list]] = {engine: {} for engine in engines}
    errors: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        statements = {"flott": write_statements(Path(folder) / "all", options)}
        statements[way.peer] = statements["flott"]
        if way.part > 1 and not options.only_flott:
            statements[way.peer] = write_statements(Path(folder) / "part", options, way.part)
        for number in range(options.rounds):
            for engine, environment in engines.items():
                extra = [part for one in options.option for part in ("--option", one)] if engine == "flott" else []
                asked = ["--statements", str(statements[engine]), *extra]
                run = run_program(way.program, environment, *asked, timeout=3600)
                for name, times in run.result["queries"].items():
                    found[engine].setdefault(name, []).append(rates(times))
                    if "error" in times:
                        errors[f"{name} on {engine}"] = times["error"]
                others = f", others had {run.stolen:.0%} of the processors"
                print(f"round {number + 1}: {engine} took {run.seconds:.0f} s{others}", file=sys.stderr, flush=True)
    figures = [
        {
            "query": name,
            "engine": engine,
            "events_per_second": None if None in some else statistics.median(some),
            "all": [one and round(one) for one in some],
        }
        for engine, by_name in found.items()
        for name, some in by_name.items()
    ]
    report(figures, errors, way)
    if options.json:
        content = {"machine": machine(), "when": time.strftime("%F %T"), "figures": figures}
        Path(options.json).write_text(json.dumps(content, indent=1))


def report(figures: list[dict], errors: dict[str, str], way: Way) -> None:
    print(f"\n{machine()}; events/s\n")
    print(f"| query | Flott | {way.peer} | Flott / {way.peer} |")
    print("|---|---|---|---|")
    rate = {(figure["query"], figure["engine"]): figure["events_per_second"] for figure in figures}
    ratios = {}
    for name in dict.fromkeys(figure["query"] for figure in figures):
        ours, theirs = rate.get((name, "flott")), rate.get((name, way.peer))
        if ours and theirs:
            ratios[name] = ours / theirs
        shown = [f"{one:,.0f}" if one else "-" for one in (ours, theirs)]
        print(f"| {name} | {' | '.join(shown)} | {f'{ratios[name]:.2f}' if name in ratios else '-'} |")
    if ratios:
        mean = statistics.geometric_mean(ratios.values())
        worst = min(ratios, key=ratios.__getitem__)
        print(f"\ngeometric mean over {len(ratios)} queries {mean:.2f}; worst {worst}, {ratios[worst]:.2f}")
    for where, error in errors.items():
        print(f"{where}: {error}")


if __name__ == "__main__":
    main()
