"""What every source has to stand: replay, crashes, other parallelisms, idleness, small epochs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from flott.testing.connectors.cases import alike, difference, expect
from flott.testing.connectors.source_run import LOOK_EVERY, SourceRun, read_split

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.testing.connectors.cases import SourceCase
    from flott.testing.connectors.source_run import Epoch

PARALLELISMS = (1, 2, 3)
MOST_CRASHES = 8


def gives_every_record_once(case: SourceCase) -> None:
    """All records come, once each, at any parallelism, in large epochs and in small ones."""
    wanted = list(case.expected)
    for parallelism in PARALLELISMS:
        for scale in (1.0, 1e-4):
            run = SourceRun(case, parallelism, scale)
            try:
                found = _records(run.run(len(wanted)))
            finally:
                run.close()
            message = f"at parallelism {parallelism}, scale {scale}: {difference(found, wanted)}"
            expect(alike(found, wanted), message)


def replays_an_epoch(case: SourceCase) -> None:
    """A read that is done again, by another copy of the source, gives the same records in the same order."""
    run = SourceRun(case, 2)

    def read_again(epoch: Epoch) -> None:
        # Right away: what was read may be gone when the next epoch is planned.
        for read in (read for reads in epoch.plan.reads for read in reads):
            first, again = (list(map(repr, read_split(run.reader(), read))) for _ in range(2))
            expect(
                first == again,
                f"split '{read.split}' from {read.start!r} to {read.end!r} gave other records, or another order, "
                f"when it was read again; an epoch that fails is read again and must be the same",
            )

    try:
        run.run(len(list(case.expected)), after_each=read_again)
    finally:
        run.close()


def goes_on_after_a_crash(case: SourceCase) -> None:
    """After a crash at any epoch, the source goes on from the checkpoint before: nothing lost, nothing twice."""
    _crash_at_every_epoch(case, before=2, after=2)


def goes_on_at_another_parallelism(case: SourceCase) -> None:
    """After a crash at any epoch, splits are given to more, or to fewer, subtasks."""
    _crash_at_every_epoch(case, before=2, after=3)
    _crash_at_every_epoch(case, before=3, after=1)


def takes_less_in_a_small_epoch(case: SourceCase) -> None:
    """The scale bounds an epoch: this is how a job that falls behind is kept from reading all at once."""
    wanted = len(list(case.expected))
    largest = []
    for scale in (1.0, 1e-4):
        run = SourceRun(case, 1, scale)
        try:
            largest.append(max(len(epoch.records) for epoch in run.run(wanted)))
        finally:
            run.close()
    expect(
        largest[1] <= largest[0],
        f"at scale 1 an epoch had at most {largest[0]} records, at scale 0.0001 {largest[1]}: read less at a smaller "
        f"scale",
    )


def rests_when_there_is_nothing(case: SourceCase) -> None:
    """Without new records epochs are empty; the source says so, and goes on when some come."""
    run = SourceRun(case, 2)
    try:
        run.run(len(list(case.expected)))
        plan = run.plan()
        found = run.read(plan)
        expect(not found, f"all was read, and then came {len(found)} records more")
        expect(plan.empty, "all was read, but plan() does not say empty=True: the job would run epochs for nothing")
        expect(not plan.backlog, "all was read, but plan() says backlog=True: the job would never rest")
        expect(plan.ended == run.bounded, _end_message(bounded=run.bounded))
        if case.more is not None:
            more = list(case.more())
            found = _wait_for(run, len(more))
            expect(alike(found, more), f"records that came later: {difference(found, more)}")
    finally:
        run.close()


def keeps_snapshots_apart(case: SourceCase) -> None:
    """A snapshot stays what it was while the source goes on; restoring it gives the same records again."""
    run = SourceRun(case, 2)
    try:
        state = run.snapshot()
        wanted = len(list(case.expected))
        first = _records(run.run(wanted))
        run.restore(state)
        again = _records(run.run(wanted))
        expect(alike(first, again), f"after restore() to a snapshot from before: {difference(again, first)}")
    finally:
        run.close()


def closes_any_time(case: SourceCase) -> None:
    """An enumerator that was never used can be closed, and closing twice does no harm."""
    run = SourceRun(case, 1)
    run.close()
    run.close()


SOURCE_CHECKS: tuple[Callable[[SourceCase], None], ...] = (
    gives_every_record_once,
    replays_an_epoch,
    goes_on_after_a_crash,
    goes_on_at_another_parallelism,
    takes_less_in_a_small_epoch,
    rests_when_there_is_nothing,
    keeps_snapshots_apart,
    closes_any_time,
)
"""All checks of a source, in the order of their importance."""


def check_source(case: SourceCase) -> None:
    """Run a source through all checks; raises ConformanceError at the first that fails."""
    for check in SOURCE_CHECKS:
        check(case)


def _crash_at_every_epoch(case: SourceCase, before: int, after: int) -> None:
    if not case.outlives_driver:
        return
    wanted = list(case.expected)
    whole = SourceRun(case, before)
    try:
        epochs = whole.run(len(wanted))
    finally:
        whole.close()
    step = max(1, len(epochs) // MOST_CRASHES)
    for crash in range(0, len(epochs), step):
        counted = _records(epochs[: crash + 1])
        run = SourceRun(case, after)
        try:
            run.restore(epochs[crash].state)
            left = len(wanted) - len(counted)
            rest = _records(run.run(left)) if left or run.bounded else []
        finally:
            run.close()
        expect(
            alike([*counted, *rest], wanted),
            f"after a crash behind epoch {crash + 1} of {len(epochs)}, from parallelism {before} to {after}: "
            f"{difference([*counted, *rest], wanted)}",
        )


def _wait_for(run: SourceRun, count: int) -> list[Any]:
    found: list[Any] = []
    deadline = time.monotonic() + run.case.patience
    while len(found) < count:
        found.extend(run.epoch().records)
        expect(time.monotonic() < deadline, f"{len(found)} of {count} records came that arrived later")
        time.sleep(LOOK_EVERY)
    return found


def _end_message(*, bounded: bool) -> str:
    if bounded:
        return "is_bounded() says that the input ends; all was read, but plan() does not say ended=True"
    return "is_bounded() says that the input has no end, but plan() says ended=True"


def _records(epochs: list[Epoch]) -> list[Any]:
    return [record for epoch in epochs for record in epoch.records]
