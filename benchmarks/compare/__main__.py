"""Has a revision become slower than an older one?

    make compare OLD=main [NEW=HEAD] [SCENARIOS=dicts,q*] [SPARK=1] [MINUTES=20]

The first stage runs all scenarios, or those that are named, on the in-process runner, with the compiled parts and
without: both revisions at the same time on one processor, in pairs of processes, until the 95 % interval of the median
ratio of their CPU time is within 3 % and on one side of 0.97, or the time is up. With SPARK=1 the second stage follows:
rates on embedded Spark of the scenarios that the change touches, or that are named, at most ten minutes each. It keeps
what it finds, and goes on from there when it is started again.

It fails if the whole interval of a scenario is below 0.97, or that of the geometric mean below 0.98. ``NEW=.`` is the
checkout with changes that are not committed.
"""

from __future__ import annotations

import argparse
import sys
import time

from benchmarks.compare.intervals import verdict
from benchmarks.compare.kept import load, results_of, save
from benchmarks.compare.report import failures, processor_ticks, steal, summary, table, too_busy
from benchmarks.compare.revisions import Revision, built
from benchmarks.compare.scenarios import SCENARIOS, named, touched
from benchmarks.compare.sides import IN_PROCESS, SPARK
from benchmarks.compare.stages import Subject, first_stage, second_stage


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="make compare", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old")
    parser.add_argument("new", nargs="?", default="HEAD")
    parser.add_argument("--scenarios", default="", help="names or patterns, with commas between them")
    parser.add_argument("--modes", default="compiled,pure", help="of the first stage")
    parser.add_argument("--minutes", type=float, default=20.0, help="for the first stage as a whole")
    parser.add_argument("--spark", action="store_true", help="the second stage too")
    parser.add_argument("--spark-minutes", type=float, default=10.0, help="for each scenario of the second stage")
    return parser.parse_args(arguments)


def tell(subject: Subject) -> None:
    """Report progress once a scenario is settled."""
    if subject.is_settled and subject.error is None:
        found = subject.interval
        print(
            f"  {subject.name}: {found.middle:.3f} ({found.low:.3f} .. {found.high:.3f}), {verdict(found).value}",
            file=sys.stderr,
            flush=True,
        )


def main(arguments: list[str] | None = None) -> None:
    options = parsed(arguments)
    old, new = Revision.of(options.old), Revision.of(options.new)
    chosen = named(options.scenarios.split(",")) if options.scenarios else list(SCENARIOS)
    sources = built(old), built(new)
    modes = options.modes.split(",")
    started, ticks = time.monotonic(), processor_ticks()
    subjects = [Subject(one, IN_PROCESS, pure=mode == "pure") for mode in modes for one in chosen]
    first_stage(subjects, *sources, started + 60 * options.minutes, tell)
    if options.spark:
        of_change = chosen if options.scenarios else touched(new.changed_since(old))
        on_spark = [Subject(one, SPARK) for one in of_change]
        results = results_of(old, new)
        load(results, on_spark)

        def keep(subject: Subject) -> None:
            save(results, subject)
            tell(subject)

        second_stage(on_spark, *sources, 60 * options.spark_minutes, keep)
        subjects += on_spark
    print(f"\n{old.name} against {new.name}, {(time.monotonic() - started) / 60:.1f} minutes, ", end="")
    print(f"CPU steal {steal(ticks, processor_ticks()):.0%}\n\n{table(subjects)}\n\n{summary(subjects)}")
    warning = too_busy(subjects)
    if found := failures(subjects):
        sys.exit("\n".join(["", "speed was lost:", *found, "", warning]).rstrip())
    if warning:
        print(f"\n{warning}")


if __name__ == "__main__":
    main()
