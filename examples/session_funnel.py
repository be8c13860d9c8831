"""How far visitors of a shop come: from its first page to the order, per session.

    flott run examples/session_funnel.py

A session is what one visitor does without a break of half an hour. Nobody knows beforehand when it ends: the window
grows with each visit, and fires when the watermark has come half an hour past the last one. The funnel then counts
how many sessions reached each page.
"""

from __future__ import annotations

from collections import Counter

from drawing import bars, table
from sample_data import MINUTE, STEPS, visits

from flott.common import Duration, Time, WatermarkStrategy
from flott.datastream import ProcessWindowFunction, StreamExecutionEnvironment
from flott.datastream.window import EventTimeSessionWindows


class Session(ProcessWindowFunction):
    """Makes one result of a session: who, how many pages, how long, and the furthest page."""

    def process(self, key, context, elements):
        seen = list(elements)
        took = max(visit.at for visit in seen) - min(visit.at for visit in seen)
        furthest = max(STEPS.index(visit.page) for visit in seen)
        yield key, context.window().start, len(seen), took, STEPS[furthest]


def sessions(env, made):
    in_time = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(10))
    return (
        env.from_collection(made)
        .assign_timestamps_and_watermarks(in_time.with_timestamp_assigner(lambda visit, _: visit.at))
        .key_by(lambda visit: visit.visitor)
        .window(EventTimeSessionWindows.with_gap(Time.minutes(30)))
        .process(Session())
    )


def funnel(found) -> dict[str, int]:
    """Count the sessions that came at least as far as each page."""
    ended = Counter(furthest for *_, furthest in found)
    return {step: sum(ended[later] for later in STEPS[place:]) for place, step in enumerate(STEPS)}


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    with sessions(env, visits()).execute_and_collect("session funnel") as results:
        found = sorted(results)
    print(bars(funnel(found)), end="\n\n")
    longest = sorted(found, key=lambda session: -session[3])[:3]
    rows = [(visitor, pages, took / MINUTE, furthest) for visitor, _, pages, took, furthest in longest]
    print(table(["longest sessions", "pages", "minutes", "furthest page"], rows))
    print(f"\n{len(found)} sessions of {len({visitor for visitor, *_ in found})} visitors")


if __name__ == "__main__":
    main()
