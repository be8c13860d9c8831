"""What every sink has to stand: crashes around prepare and commit, attempts that come to nothing, doing it twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from flott.testing.connectors.cases import alike, difference, expect
from flott.testing.connectors.sink_run import PARALLELISM, SinkRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.testing.connectors.cases import SinkCase


def shows_what_was_committed(case: SinkCase) -> None:
    """What all subtasks wrote in several epochs shows after the commit; epochs without records are no trouble."""
    before = list(case.read())
    run = SinkRun(case)
    run.undo_stale([])
    prepared: list[Any] = []
    written: list[Any] = []
    for amount in (5, 0, 3):
        epoch = run.next_epoch()
        for subtask in range(PARALLELISM):
            records = run.records(amount)
            attempt = run.attempt(records, subtask, epoch=epoch)
            prepared.extend(attempt.prepare())
            attempt.close()
            written.extend(records)
    run.commit(prepared)
    _expect_shown(case, [*before, *written], "after the commit")
    _expect_tidy(run)


def one_writer_serves_many_epochs(case: SinkCase) -> None:
    """A writer lives on after its epoch; what it prepares is that epoch's only."""
    before = list(case.read())
    run = SinkRun(case)
    first, second = run.records(), run.records()
    attempt = run.attempt(first)
    prepared = attempt.prepare()
    attempt.write(second)
    late = attempt.prepare()
    run.commit(prepared)
    if case.exactly_once:
        _expect_shown(case, [*before, *first], "after the commit of the first of two epochs")
    run.commit(late)
    attempt.close()
    _expect_shown(case, [*before, *first, *second], "after the commit of both epochs")
    _expect_tidy(run)


def hides_what_was_not_committed(case: SinkCase) -> None:
    """Before the commit nobody sees a record, prepared or not."""
    if not case.exactly_once:
        return
    before = list(case.read())
    run = SinkRun(case)
    attempt = run.attempt(run.records())
    _expect_shown(case, before, "while an epoch is being written")
    attempt.prepare()
    _expect_shown(case, before, "after prepare, before the commit")
    attempt.close()
    run.undo_stale([])
    _expect_shown(case, before, "after abort_stale of what nobody will commit")
    _expect_tidy(run)


def forgets_a_crash_before_prepare(case: SinkCase) -> None:
    """An attempt dies while it writes; the next one writes the same epoch."""
    before = list(case.read())
    run = SinkRun(case)
    records = run.records()
    died = run.attempt(records)
    run.undo_stale([])
    attempt = run.attempt(records, attempt=1)
    run.commit(attempt.prepare())
    attempt.close()
    died.close()
    _expect_shown(case, [*before, *records], "after a crash before prepare")
    _expect_tidy(run)


def forgets_a_crash_after_prepare(case: SinkCase) -> None:
    """An attempt dies, or the driver does, after it prepared: what it prepared is in no checkpoint."""
    before = list(case.read())
    run = SinkRun(case)
    records = run.records()
    died = run.attempt(records)
    died.prepare()
    run.undo_stale([])
    died.close()
    attempt = run.attempt(records, attempt=1)
    run.commit(attempt.prepare())
    attempt.close()
    _expect_shown(case, [*before, *records], "after a crash between prepare and checkpoint")
    _expect_tidy(run)


def commits_after_a_crash(case: SinkCase) -> None:
    """The driver dies between checkpoint and commit: a new one undoes what is stale, then commits what it finds."""
    before = list(case.read())
    run = SinkRun(case)
    records = run.records()
    attempt = run.attempt(records)
    prepared = attempt.prepare()
    run.undo_stale(prepared)
    run.commit(prepared, recovered=True)
    attempt.close()
    _expect_shown(case, [*before, *records], "after a commit by another driver")
    _expect_tidy(run)


def commits_twice_in_vain(case: SinkCase) -> None:
    """A driver dies after the commit, before it could say so: committing again changes nothing."""
    before = list(case.read())
    run = SinkRun(case)
    records = run.records()
    attempt = run.attempt(records)
    prepared = attempt.prepare()
    attempt.close()
    run.commit(prepared)
    for _ in range(2):
        run.undo_stale(prepared)
        run.commit(prepared, recovered=True)
    _expect_shown(case, [*before, *records], "after committing the same three times")
    _expect_tidy(run)


def commits_the_rest(case: SinkCase) -> None:
    """A driver dies in the middle of a commit: a new one is asked for all, and does what is left."""
    before = list(case.read())
    run = SinkRun(case)
    prepared: list[Any] = []
    written: list[Any] = []
    for subtask in (*range(PARALLELISM), *range(PARALLELISM)):
        records = run.records()
        attempt = run.attempt(records, subtask)
        prepared.extend(attempt.prepare())
        attempt.close()
        written.extend(records)
    for done in range(1, len(prepared)):
        run.commit(prepared[:done], recovered=done > 1)
    run.undo_stale(prepared)
    run.commit(prepared, recovered=True)
    _expect_shown(case, [*before, *written], "after a commit in several pieces")
    _expect_tidy(run)


def counts_one_of_two_attempts(case: SinkCase) -> None:
    """Two attempts of an epoch run at the same time, as Spark may do; only one is committed."""
    before = list(case.read())
    run = SinkRun(case)
    records = run.records()
    one, other = run.attempt(records), run.attempt(records, attempt=1)
    other.prepare()
    prepared = one.prepare()
    run.undo_stale(prepared)
    run.commit(prepared)
    one.close()
    other.close()
    _expect_shown(case, [*before, *records], "after the commit of one of two attempts")
    run.undo_stale([])
    _expect_tidy(run)


def leaves_other_jobs_alone(case: SinkCase) -> None:
    """Another job that starts on the same sink does not undo what this one has prepared."""
    before = list(case.read())
    run = SinkRun(case)
    records = run.records()
    attempt = run.attempt(records)
    prepared = attempt.prepare()
    run.undo_stale([], job_id=uuid4().hex)
    run.commit(prepared)
    attempt.close()
    _expect_shown(case, [*before, *records], "after another job tidied up")
    _expect_tidy(run)


SINK_CHECKS: tuple[Callable[[SinkCase], None], ...] = (
    shows_what_was_committed,
    one_writer_serves_many_epochs,
    hides_what_was_not_committed,
    forgets_a_crash_before_prepare,
    forgets_a_crash_after_prepare,
    commits_after_a_crash,
    commits_twice_in_vain,
    commits_the_rest,
    counts_one_of_two_attempts,
    leaves_other_jobs_alone,
)
"""All checks of a sink, in the order in which an epoch meets them."""


def check_sink(case: SinkCase) -> None:
    """Run a sink through all checks; raises ConformanceError at the first that fails."""
    for check in SINK_CHECKS:
        check(case)


def _expect_shown(case: SinkCase, wanted: list[Any], when: str) -> None:
    found = list(case.read())
    if case.exactly_once:
        expect(alike(found, wanted), f"{when}: {difference(found, wanted)}")
        return
    missing = _left(wanted, found)
    expect(not missing, f"{when}: {len(missing)} records are missing ({missing[:3]})")
    strangers = set(map(repr, found)) - set(map(repr, wanted))
    expect(not strangers, f"{when}: records show that nobody wrote ({sorted(strangers)[:3]})")


def _left(wanted: Iterable[Any], found: Iterable[Any]) -> list[str]:
    rest = list(map(repr, found))
    missing = []
    for one in map(repr, wanted):
        if one in rest:
            rest.remove(one)
        else:
            missing.append(one)
    return missing


def _expect_tidy(run: SinkRun) -> None:
    """The job ends: nothing hidden may stay."""
    run.undo_stale([])
    left = list(run.case.leftovers())
    expect(not left, f"the job is over and {len(left)} hidden things are left: {left[:3]}")
