"""What holds a job up, in words."""

from __future__ import annotations

import pytest
from tests.metrics.measured_job import Epoch, metrics_of, plan_of, report

from flott.metrics.diagnosis import LastEpoch, diagnose


def diagnosis(*, backlog=True, seconds=1.0, first=0.2, second=0.7, state=0.0, records=(100, 100)):
    """Return the diagnosis of a job of two vertices with two subtasks each, after one epoch."""
    plan = plan_of()
    metrics, now = metrics_of(plan)
    now.now += seconds
    reports = [report(plan, 0, subtask, first) for subtask in (0, 1)]
    reports += [report(plan, 1, subtask, second, read) for subtask, read in enumerate(records)]
    for one in reports:
        one.seconds["state"] = state / 2
    epoch = Epoch(1, reports, seconds, backlog)
    metrics.observe(epoch)
    found = diagnose(plan, metrics.recent, LastEpoch.of(plan, epoch), 1.0)
    return found.bottleneck, found.hint


def test_before_the_first_epoch_there_is_nothing_to_say():
    plan = plan_of()
    found = diagnose(plan, metrics_of(plan)[0].recent, None, 1.0)
    assert (found.bottleneck, found.hint) == (None, "No epoch has run yet.")


def test_a_job_that_keeps_up_has_no_bottleneck():
    assert diagnosis(backlog=False) == (
        None,
        "The job keeps up with its input: the last epoch took 1.0 s, and nothing is waiting.",
    )


@pytest.mark.parametrize(
    ("case", "vertex", "words"),
    [
        ({}, 1, "works longest: its subtasks are evenly busy. More parallelism would help"),
        ({"first": 0.8, "second": 0.1}, 0, "More parallelism would help"),
        ({"records": (900, 100)}, 1, "reads 1.8 times the average. Its keys are uneven"),
        ({"state": 0.8}, 1, "89% of the work is for state"),
        ({"seconds": 2.0, "first": 0.1, "second": 0.1}, 0, "1.8 s of that is Spark planning and starting tasks"),
    ],
)
def test_with_a_backlog_it_names_the_vertex_and_what_would_help(case, vertex, words):
    bottleneck, hint = diagnosis(**case)
    assert bottleneck == vertex
    assert hint.startswith("Input is waiting. Epochs take ")
    assert words in hint
