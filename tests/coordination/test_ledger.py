from __future__ import annotations

import pytest

from flott.coordination.ledger import Ledger
from flott.errors import EpochFailedError
from flott.runtime.partitioners import Rebalance
from flott.runtime.plan import EdgeSpec, EpochPlan, LevelSpec, VertexSpec
from flott.runtime.reports import TaskReport


@pytest.fixture
def ledger():
    vertices = tuple(VertexSpec(i, name, (), 2, 128, i, 0) for i, name in enumerate(["source", "sink"]))
    edges = (EdgeSpec(0, 0, 0, 1, 0, Rebalance(), None, 0),)
    return Ledger(EpochPlan("job", vertices, edges, (LevelSpec(0, (0,), 2), LevelSpec(1, (1,), 2))))


def reports(**changes):
    made = [TaskReport(0, subtask, f"s{subtask}", 0) for subtask in range(2)]
    made += [TaskReport(1, subtask, f"k{subtask}", 0, consumed={0: "s0", 1: "s1"}) for subtask in range(2)]
    return made


def test_reports_that_fit_are_accepted(ledger):
    made = reports()
    made[2].carried = b"kept"
    ledger.check(made)
    ledger.accept(made)
    assert ledger.tasks[1, 0].carried == b"kept"


def test_a_missing_report_fails_the_epoch(ledger):
    with pytest.raises(EpochFailedError, match="no report from 'sink' subtask 1"):
        ledger.check(reports()[:-1])


def test_a_doubled_report_fails_the_epoch(ledger):
    with pytest.raises(EpochFailedError, match="twice"):
        ledger.check([*reports(), reports()[0]])


def test_a_reader_of_an_attempt_that_was_computed_again_fails_the_epoch(ledger):
    made = reports()
    made[3].consumed[1] = "another attempt"
    with pytest.raises(EpochFailedError, match="'sink' subtask 1 read an attempt of 'source' subtask 1 that"):
        ledger.check(made)
