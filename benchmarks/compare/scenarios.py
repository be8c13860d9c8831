"""What is compared: programs of the public API, each with its number of records and the source folders it covers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

from benchmarks.compare import nexmark, shapes, streams

ENGINE = ("src/flott/runtime", "src/flott/coordination", "src/flott/graph")
NEXMARK = ("q4", "q5", "q7", "q9", "q16", "q18", "q20")


@dataclass(frozen=True)
class Scenario:
    """A job of so many records, in this process: some tenths of a second; and on Spark: some seconds."""

    name: str
    run: Callable[[Any, int], Any]
    """Runs the job in the environment that is handed in, to its end."""
    records: int
    on_spark: int
    covers: tuple[str, ...]
    """A change below one of these folders touches it."""


def stream(name, build, records, on_spark, *covers):
    def run(env, count):
        build(env, count)
        env.execute(name)

    return Scenario(name, run, records, on_spark, (*ENGINE, "src/flott/datastream", *covers))


def query(name: str) -> Scenario:
    covers = (*ENGINE, "src/flott/table", "src/flott/connectors")
    return Scenario(name, partial(nexmark.sql, name), 100_000, 1_000_000, covers)


SCENARIOS = (
    stream("keyed-count", streams.keyed_count, 150_000, 4_000_000),
    stream("windows", streams.windows, 120_000, 2_000_000),
    stream("window-columns", streams.window_columns, 2_000_000, 20_000_000),
    stream("join", streams.join, 60_000, 2_000_000),
    stream("cep", streams.cep, 40_000, 2_000_000, "src/flott/cep"),
    stream("cep-columns", streams.cep_columns, 80_000, 4_000_000, "src/flott/cep"),
    stream("dicts", shapes.dicts, 100_000, 2_000_000, "src/flott/common"),
    stream("rows", shapes.rows, 30_000, 2_000_000, "src/flott/common"),
    stream("tuples-with-lists", shapes.tuples_with_lists, 150_000, 2_000_000, "src/flott/common"),
    stream("dataclasses", shapes.dataclasses, 60_000, 2_000_000, "src/flott/common"),
    stream("list-state", shapes.list_state, 100_000, 4_000_000),
    stream("map-state", shapes.map_state, 50_000, 4_000_000),
    *(query(name) for name in NEXMARK),
    *(stream(f"{name}-functions", partial(nexmark.functions, name), 40_000, 300_000) for name in NEXMARK),
)


def named(patterns: Iterable[str]) -> list[Scenario]:
    """Return the scenarios that are named, or match a pattern such as ``q*``."""
    chosen = []
    for pattern in patterns:
        found = [one for one in SCENARIOS if fnmatchcase(one.name, pattern)]
        if not found:
            raise SystemExit(f"no scenario {pattern!r}; expected {', '.join(one.name for one in SCENARIOS)}")
        chosen += [one for one in found if one not in chosen]
    return chosen


def touched(paths: Iterable[str]) -> list[Scenario]:
    """Return the scenarios that a change of these files touches."""
    changed = list(paths)
    return [one for one in SCENARIOS if any(path.startswith(one.covers) for path in changed)]
