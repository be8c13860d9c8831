from __future__ import annotations

from flott.common.watermark_strategy import WatermarkAlignment
from flott.coordination.alignment import SourceAlignment, pause
from flott.runtime.reports import TaskReport
from flott.runtime.source import SourcePlan, SplitRead


def report(vertex, watermark, *, active=True, subtask=0):
    return TaskReport(vertex, subtask, "t", 0, source_watermark=watermark, source_active=active)


def aligned(*reports, drift=10, groups=("g", "g", "g")):
    alignment = SourceAlignment({v: WatermarkAlignment(group, drift, 1000) for v, group in enumerate(groups)})
    alignment.observe(list(reports))
    return alignment.ahead()


def test_a_source_ahead_by_more_than_the_drift_pauses():
    assert aligned(report(0, 100), report(1, 110)) == set()
    assert aligned(report(0, 100), report(1, 111)) == {1}


def test_the_slowest_subtask_speaks_for_its_source():
    assert aligned(report(0, 100), report(1, 500), report(1, 105, subtask=1)) == set()


def test_an_idle_source_holds_nobody_back():
    assert aligned(report(0, 5, active=False), report(1, 500)) == set()


def test_a_source_that_has_said_nothing_holds_the_others_back():
    assert aligned(report(0, None), report(1, 500)) == {1}


def test_groups_are_apart():
    assert aligned(report(0, 0), report(1, 500), groups=("a", "b")) == set()


def test_a_paused_source_keeps_its_splits_and_reads_nothing():
    plan = SourcePlan(
        ((SplitRead("a", 0, 5),), (SplitRead("b", 0, 7, ended=True),)), empty=False, backlog=True, ended=False
    )
    held = pause(plan)
    assert held.reads == ((SplitRead("a", 5, 5),), ())
    assert (held.empty, held.backlog, held.ended) == (True, False, False)
