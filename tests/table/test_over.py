from __future__ import annotations

import pyarrow as pa
import pytest

from flott.table.errors import TableError
from flott.table.expr import AggregateCall
from flott.table.expressions import CURRENT_ROW, UNBOUNDED_RANGE, col, lit, row_interval
from flott.table.plan.over import Frame
from flott.table.runtime.changes import pack
from flott.table.runtime.over_event_time import EventTimeOver
from flott.table.runtime.over_frame import OverPlan
from flott.table.runtime.over_processing_time import ProcessingTimeOver
from flott.table.types import DataTypes
from flott.table.window import Over
from flott.testing.harness import KeyedOneInputOperatorHarness

MINUTE = 60_000


def plan(frame, ttl=0):
    inputs = (DataTypes.STRING(), DataTypes.INT(), DataTypes.TIMESTAMP(3))
    types = (pa.string(), pa.int32(), pa.timestamp("us"), pa.int32())
    return OverPlan((0,), 2, frame, (AggregateCall("SUM", (1,), DataTypes.INT()),), inputs, types, ttl)


def opened(operator):
    return KeyedOneInputOperatorHarness(operator).open()


def rows(*some):
    columns = zip(*[(key, value, time * 1000) for key, value, time in some], strict=True)
    keys, values, times = map(list, columns)
    return pack([pa.array(keys), pa.array(values, pa.int32()), pa.array(times, pa.timestamp("us"))], None)


def results(harness):
    return [(row[0], row[1], row[3]) for row in harness.extract_output_values()]


def test_rows_of_one_millisecond_are_aggregated_together():
    with opened(ProcessingTimeOver(plan(Frame(rows=False, preceding=MINUTE)))) as harness:
        harness.set_processing_time(1000)
        harness.operator.process(rows(("a", 1, 0), ("b", 5, 0)))
        harness.operator.process(rows(("a", 2, 0)))
        assert results(harness) == []
        harness.set_processing_time(1001)
        assert results(harness) == [("a", 1, 3), ("a", 2, 3), ("b", 5, 5)]
        harness.clear_output()
        harness.set_processing_time(1000 + MINUTE)
        harness.operator.process(rows(("a", 4, 0)))
        harness.set_processing_time(1002 + MINUTE)
        harness.operator.process(rows(("a", 8, 0)))
        harness.finish()
        assert results(harness) == [("a", 4, 7), ("a", 8, 12)]
        assert harness.num_processing_time_timers() == 0
        assert harness.num_state_entries() == 0


def test_rows_that_no_window_can_hold_any_more_are_forgotten():
    with opened(EventTimeOver(plan(Frame(rows=False, preceding=MINUTE)))) as harness:
        harness.operator.process(rows(("a", 1, 1000), ("a", 2, 2000)))
        harness.process_watermark(5000)
        assert results(harness) == [("a", 1, 1), ("a", 2, 3)]
        assert harness.num_state_entries() > 0
        harness.process_watermark(2000 + 2 * MINUTE)
        assert harness.num_state_entries() == 0


def test_a_window_survives_a_change_of_workers():
    with opened(EventTimeOver(plan(Frame(rows=True, preceding=1)))) as harness:
        harness.operator.process(rows(("a", 1, 1000), ("a", 2, 2000), ("a", 4, 9000)))
        harness.process_watermark(5000)
        harness.end_epoch(new_worker=True)
        harness.process_watermark(9000)
        assert results(harness) == [("a", 1, 1), ("a", 2, 3), ("a", 4, 6)]


def test_what_is_kept_of_a_key_is_forgotten_after_its_time_to_live():
    with opened(ProcessingTimeOver(plan(Frame(rows=True, preceding=None), ttl=1000))) as harness:
        for now, value in ((0, 1), (900, 2), (1800, 4), (5000, 8)):
            harness.set_processing_time(now)
            harness.operator.process(rows(("a", value, 0)))
        assert results(harness) == [("a", 1, 1), ("a", 2, 3), ("a", 4, 7), ("a", 8, 8)]


@pytest.fixture
def bids(t_env):
    data = '[["a", 1, "2020-01-01 00:00:01"], ["a", 2, "2020-01-01 00:00:02"], ["b", 3, "2020-01-01 00:00:03"]]'
    t_env.execute_sql(
        "CREATE TABLE bids (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
        f"WITH ('connector' = 'values', 'data' = '{data}')"
    )
    return t_env.from_path("bids")


@pytest.mark.job
def test_table_api(bids):
    by_key = Over.partition_by(col("k")).order_by(col("ts")).preceding(UNBOUNDED_RANGE).alias("w")
    last = Over.order_by(col("ts")).preceding(row_interval(1)).following(CURRENT_ROW).alias("v")
    table = bids.over_window(by_key, last).select(col("k"), col("v").sum.over(col("w")), col("v").sum.over(col("v")))
    with table.execute().collect() as found:
        assert [tuple(row) for row in found] == [("a", 1, 1), ("a", 3, 3), ("b", 3, 5)]


def test_windows_that_are_not_complete(bids):
    with pytest.raises(TableError, match="not complete"):
        bids.over_window(Over.partition_by(col("k")).alias("w")).select(col("v").sum.over(col("w")))
    with pytest.raises(TableError, match="row_interval"):
        bids.over_window(Over.order_by(col("ts")).preceding(lit(5)).alias("w")).select(col("v").sum.over(col("w")))
