"""Windows that end by the clock."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from flott.table import DataTypes
from flott.table.expr import AggregateCall
from flott.table.plan.nodes import Windows
from flott.table.runtime.changes import pack
from flott.table.runtime.emitting_windows import Emit, EmittingWindowAggregate
from flott.table.runtime.group_aggregate import GroupPlan
from flott.table.runtime.processing_windows import ProcessingWindowAggregate
from flott.table.runtime.session_expand import SessionExpand
from flott.testing.harness import KeyedOneInputOperatorHarness

COUNT = AggregateCall("COUNT", (), DataTypes.BIGINT().not_null())
TIME = pa.timestamp("us")
PLAN = GroupPlan((0,), (COUNT,), (DataTypes.STRING(),), retracting=False)


def windows(kind, size, slide=0):
    types = (pa.string(), TIME, TIME, pa.int64())
    made = Windows(kind, size, slide, processing=True)
    return KeyedOneInputOperatorHarness(ProcessingWindowAggregate(PLAN, made, (0, "start", "end"), types))


def rows(harness):
    found = [
        (key, start.microsecond // 1000 + start.second * 1000, end.microsecond // 1000 + end.second * 1000, *rest)
        for key, start, end, *rest in harness.extract_output_values()
    ]
    harness.clear_output()
    return found


def send(harness, *keys):
    harness.operator.process(pack([pa.array(keys)], None))


def test_a_window_ends_by_the_clock():
    with windows("TUMBLE", 10) as harness:
        harness.set_processing_time(3)
        send(harness, "a", "a", None)
        harness.set_processing_time(8)
        send(harness, "a")
        assert rows(harness) == []
        harness.set_processing_time(9)
        assert sorted(rows(harness), key=repr) == [("a", 0, 10, 3), (None, 0, 10, 1)]
        send(harness, "a")
        harness.set_processing_time(30)
        assert rows(harness) == [("a", 0, 10, 1)]


def test_windows_that_overlap_survive_an_epoch():
    with windows("HOP", 10, 5) as harness:
        harness.set_processing_time(7)
        send(harness, "a")
        harness.end_epoch(new_worker=True)
        harness.set_processing_time(12)
        send(harness, "a")
        harness.set_processing_time(100)
        assert rows(harness) == [("a", 0, 10, 1), ("a", 5, 15, 2), ("a", 10, 20, 1)]


def test_a_session_grows_until_nothing_comes():
    with windows("SESSION", 10) as harness:
        for now in (1, 9, 17):
            harness.set_processing_time(now)
            send(harness, "a")
        harness.set_processing_time(40)
        send(harness, "a")
        harness.set_processing_time(60)
        assert rows(harness) == [("a", 1, 27, 3), ("a", 40, 50, 1)]


def test_rows_of_a_session_wait_for_its_end():
    types = (pa.string(), TIME, TIME, TIME, TIME)
    with KeyedOneInputOperatorHarness(SessionExpand((0,), 1, 10, types, processing=True)) as harness:
        harness.set_processing_time(5)
        stamps = pa.array(np.zeros(2, np.int64)).cast(TIME)
        harness.operator.process(pack([pa.array(["a", "b"]), stamps], None))
        harness.set_processing_time(14)
        assert [(key, end.microsecond) for key, _, _, end, _ in harness.extract_output_values()] == [
            ("a", 15_000),
            ("b", 15_000),
        ]


def emitting(emit):
    plan = GroupPlan((0, 1), (COUNT,), (DataTypes.STRING(), DataTypes.TIMESTAMP(3)), retracting=False)
    return KeyedOneInputOperatorHarness(EmittingWindowAggregate(plan, 1, emit))


def row(harness, end):
    harness.operator.process(pack([pa.array(["a"]), pa.array([end * 1000]).cast(TIME)], None))


def told(harness):
    found = [(["+I", "-U", "+U", "-D"][kind], count) for _, _, count, kind in harness.extract_output_values()]
    harness.clear_output()
    return found


def test_early_results_come_after_a_delay_and_again_and_again():
    with emitting(Emit(early=10)) as harness:
        harness.set_processing_time(5)
        row(harness, 1000)
        harness.set_processing_time(14)
        row(harness, 1000)
        assert told(harness) == []
        harness.set_processing_time(15)
        assert told(harness) == [("+I", 2)]
        harness.end_epoch(new_worker=True)
        row(harness, 1000)
        harness.set_processing_time(25)
        assert told(harness) == [("-U", 2), ("+U", 3)]
        harness.set_processing_time(60)
        assert told(harness) == []
        row(harness, 1000)
        harness.process_watermark(999)
        assert told(harness) == [("-U", 3), ("+U", 4)]
        assert harness.num_state_entries() == harness.num_processing_time_timers() == 0


def test_late_results_come_after_a_delay_and_at_the_end_of_lateness():
    with emitting(Emit(late=10, lateness=500)) as harness:
        row(harness, 1000)
        harness.process_watermark(999)
        assert told(harness) == [("+I", 1)]
        row(harness, 1000)
        assert told(harness) == []
        harness.set_processing_time(10)
        assert told(harness) == [("-U", 1), ("+U", 2)]
        row(harness, 1000)
        harness.process_watermark(1499)
        assert told(harness) == [("-U", 2), ("+U", 3)]
        row(harness, 1000)
        assert told(harness) == []
        assert harness.num_event_time_timers() == harness.num_processing_time_timers() == 0
