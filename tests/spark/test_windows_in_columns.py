"""Built-in aggregates of windows on Spark: in columns and record by record, the same comes out."""

from __future__ import annotations

import pytest

from flott.common import Types, WatermarkStrategy
from flott.common.fields import field
from flott.datastream.aggregates import Avg, Count, Max, Sum
from flott.datastream.connectors.datagen import ColumnGenerator, DataGeneratorSource
from flott.datastream.window import EventTimeSessionWindows, SlidingEventTimeWindows
from flott.runtime.windowing.vectorised.merging_operator import MergingWindowOperator
from flott.runtime.windowing.vectorised.merging_sessions import MergingSessionOperator

pytestmark = pytest.mark.spark

ORDER = Types.ROW_NAMED(["user", "amount", "time"], [Types.STRING(), Types.LONG(), Types.LONG()])
RECORDS = 300_000
"""Several epochs: the first reads 65,536 records in each of two subtasks."""
PER_SESSION = 50_000
"""After so many records, all users pause."""


def orders(index):
    return {
        "user": [f"user-{number}" for number in (index * 7919 % 50).tolist()],
        "amount": index % 100,
        "time": index // 100 - index % 7 + index // PER_SESSION * 1_000,
    }


def results_of(env, key, assigner):
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(10).with_timestamp_assigner(field("time"))
    source = DataGeneratorSource(ColumnGenerator(orders, ORDER), count=RECORDS)
    windows = env.from_source(source, strategy, "orders").key_by(key).window(assigner)
    stream = windows.aggregate([Count(), Sum("amount"), Max("amount"), Avg("amount")])
    in_columns = isinstance(stream.get_transformation().operator, MergingWindowOperator | MergingSessionOperator)
    assert in_columns == isinstance(key, str)
    with stream.execute_and_collect() as results:
        return sorted(map(tuple, results))


def test_in_columns_and_record_by_record_the_same_comes_out(make_env):
    windows = SlidingEventTimeWindows.of(1000, 400)
    in_columns = results_of(make_env(), "user", windows)
    assert in_columns == results_of(make_env(), lambda order: order.user, windows)
    # Every record is in two or three windows of one second, one every 400 ms.
    assert 2 * RECORDS <= sum(result[3] for result in in_columns) <= 3 * RECORDS


def test_sessions_in_columns_and_record_by_record_the_same_comes_out(make_env):
    sessions = EventTimeSessionWindows.with_gap(200)
    in_columns = results_of(make_env(), "user", sessions)
    assert in_columns == results_of(make_env(), lambda order: order.user, sessions)
    assert len(in_columns) == 50 * RECORDS // PER_SESSION
    assert sum(result[3] for result in in_columns) == RECORDS
