"""Built-in aggregates of windows: which way they take, what comes out, and that both ways agree in whole jobs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common import Configuration, Row, Types, WatermarkStrategy
from flott.common.fields import field
from flott.connectors import data_generator, index_range
from flott.datastream import OutputTag, StreamExecutionEnvironment
from flott.datastream.aggregates import Avg, Count, Max, Min, Sum
from flott.datastream.connectors.datagen import ColumnGenerator, DataGeneratorSource
from flott.datastream.window import (
    CountEvictor,
    CountTrigger,
    CumulativeEventTimeWindows,
    EventTimeSessionWindows,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
)
from flott.errors import GraphError, JobExecutionError
from flott.runtime.windowing.operator import WindowOperator
from flott.runtime.windowing.vectorised.merging_operator import MergingWindowOperator
from flott.runtime.windowing.vectorised.merging_sessions import MergingSessionOperator

pytestmark = pytest.mark.job

ORDER = Types.ROW_NAMED(["user", "amount", "time"], [Types.LONG(), Types.LONG(), Types.LONG()])
BY_TIME = WatermarkStrategy.for_bounded_out_of_orderness(5).with_timestamp_assigner(field("time"))
TEN = TumblingEventTimeWindows.of(10)


def environment(parallelism=2):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    return StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(parallelism)


class Orders:
    """Orders of known users, amounts and times, as columns; cloudpickle takes it along by value."""

    def __init__(self, orders):
        self.columns = [np.array(column, np.int64) for column in zip(*orders, strict=True)]

    def __call__(self, index):
        return {name: column[index] for name, column in zip(ORDER.get_field_names(), self.columns, strict=True)}


def orders_of(env, orders, strategy=BY_TIME):
    source = DataGeneratorSource(ColumnGenerator(Orders(orders), ORDER), count=len(orders))
    return env.from_source(source, strategy, "orders")


def collect(stream):
    with stream.execute_and_collect() as results:
        return list(results)


SOME = [(1, 10, 3), (2, 20, 4), (1, 30, 5), (1, 5, 12), (2, 7, 19), (1, 1, 27)]


@pytest.fixture
def windowed(env):
    return orders_of(env, SOME).key_by("user").window(TEN)


def by_columns(stream):
    return isinstance(stream.get_transformation().operator, MergingWindowOperator | MergingSessionOperator)


def test_results_have_key_window_and_values(windowed):
    stream = windowed.aggregate([Count(), Sum("amount"), Min(1), Max("amount", name="most"), Avg("amount")])
    assert by_columns(stream)
    assert stream.get_type().get_field_names() == [
        "user", "window_start", "window_end", "count", "sum_amount", "min_1", "most", "avg_amount",
    ]  # fmt: skip
    assert sorted(map(tuple, collect(stream))) == [
        (1, 0, 10, 2, 40, 10, 30, 20.0),
        (1, 10, 20, 1, 5, 5, 5, 5.0),
        (1, 20, 30, 1, 1, 1, 1, 1.0),
        (2, 0, 10, 1, 20, 20, 20, 20.0),
        (2, 10, 20, 1, 7, 7, 7, 7.0),
    ]


def test_results_are_rows_for_the_next_operator(windowed):
    texts = windowed.count().map(lambda row: f"{row.user}:{row.window_end}:{row.count}")
    assert sorted(collect(texts)) == ["1:10:2", "1:20:1", "1:30:1", "2:10:1", "2:20:1"]


def test_sum_min_and_max_give_whole_records(env):
    orders = orders_of(env.set_parallelism(1), SOME).key_by("user").window(TEN)
    assert by_columns(orders.sum("amount"))
    assert Row(user=1, amount=40, time=3) in collect(orders.sum("amount"))
    assert Row(user=1, amount=30, time=3) in collect(orders.max(1))


def test_tuples_stay_tuples(env):
    pair = Types.TUPLE([Types.STRING(), Types.DOUBLE()])
    pairs = env.from_collection([("a", 1.5), ("b", 2.0), ("a", 0.25)], pair)
    timed = pairs.assign_timestamps_and_watermarks(BY_TIME.with_timestamp_assigner(lambda _, __: 7))
    windows = timed.key_by(field(0)).window(TEN)
    assert by_columns(windows.sum(1))
    assert sorted(collect(windows.sum(1))) == [("a", 1.75), ("b", 2.0)]
    assert sorted(map(tuple, collect(windows.avg("f1")))) == [("a", 0, 10, 0.875), ("b", 0, 10, 2.0)]


def test_the_first_half_shares_the_task_of_each_origin_of_a_union(env):
    one, other = (orders_of(env, SOME).set_parallelism(parallelism) for parallelism in (1, 2))
    stream = one.union(other.rebalance()).key_by("user").window(TEN).count()
    graph = str(env.get_stream_graph(clear_transformations=False))
    assert graph.count("LocalWindowAggregate") == 2
    assert graph.count("REBALANCE") == 0
    assert min(map(tuple, collect(stream))) == (1, 0, 10, 4)


@pytest.mark.parametrize(
    "build",
    [
        lambda s: s.key_by(lambda order: order.user).window(TEN).count(),
        lambda s: s.key_by("user").window(EventTimeSessionWindows.with_dynamic_gap(lambda order: 5)).count(),
        lambda s: s.key_by("user").window(EventTimeSessionWindows.with_gap(5)).sum("amount"),
        lambda s: s.key_by("user").window(SlidingEventTimeWindows.of(3, 10)).count(),
        lambda s: s.key_by("user").window(TumblingProcessingTimeWindows.of(10)).count(),
        lambda s: s.key_by("user").window(TEN).trigger(CountTrigger.of(1)).count(),
        lambda s: s.key_by("user").window(TEN).evictor(CountEvictor.of(1)).count(),
        lambda s: s.key_by("user").window(TEN).side_output_late_data(OutputTag("late")).count(),
        lambda s: s.key_by("user").count_window(2).aggregate([Count()]),
        lambda s: s.window_all(TEN).count(),
        lambda s: s.window_all(TEN).sum("amount"),
        lambda s: s.map(lambda order: order).key_by(field("user")).window(TEN).count(),
        lambda s: s.key_by("user").window(TEN).min_by("amount"),
    ],
)
def test_whatever_has_no_columns_goes_record_by_record(env, build):
    operator = build(orders_of(env, SOME)).get_transformation().operator
    assert isinstance(operator, WindowOperator)


def test_record_by_record_the_results_look_the_same(env):
    orders = orders_of(env, SOME)
    by_user = orders.key_by(lambda order: order.user)
    sessions = by_user.window(EventTimeSessionWindows.with_gap(5)).aggregate([Count(), Avg("amount")])
    assert sorted(map(tuple, collect(sessions)))[:2] == [(1, 3, 10, 2, 20.0), (1, 12, 17, 1, 5.0)]
    everything = orders.window_all(TEN).aggregate([Sum("amount"), Min("amount"), Max("amount")])
    assert sorted(map(tuple, collect(everything))) == [(0, 10, 60, 10, 30), (10, 20, 12, 5, 7), (20, 30, 1, 1, 1)]
    counted = orders.set_parallelism(1).key_by("user").count_window(2).count()
    assert sorted(map(tuple, collect(counted))) == [(1, None, None, 2), (1, None, None, 2), (2, None, None, 2)]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda s: s.key_by("buyer"), "has no field 'buyer'; it has user, amount, time"),
        (lambda s: s.key_by(field(7)), "it has the fields 0 to 2"),
        (lambda s: s.key_by("user").window(TEN).avg("price"), r"avg\(...\): .* has no field 'price'"),
        (lambda s: s.key_by("user").window(TEN).aggregate([]), "say what to compute"),
        (lambda s: s.key_by("user").window(TEN).aggregate([Count(), sum]), "is no built-in aggregate"),
        (lambda s: s.key_by("user").window(TEN).aggregate([Count(), Count()]), "two fields .* called 'count'"),
        (lambda s: s.key_by("user").window(TEN).aggregate([Sum("amount", name="user")]), "called 'user'"),
    ],
)
def test_wrong_use_fails_while_the_graph_is_built(env, build, message):
    with pytest.raises(GraphError, match=message):
        build(orders_of(env, SOME))


def test_a_program_whose_operators_all_need_a_uid(env):
    env.get_config().disable_auto_generated_uids()
    orders = orders_of(env, SOME).uid("orders")
    stream = orders.key_by("user").window(TEN).count().uid("counts").map(tuple).uid("tuples")
    stream.print().uid("sink")
    assert "LocalWindowAggregate" in str(env.get_stream_graph())


def test_a_none_where_a_number_is_summed_is_named(env):
    rows = env.from_collection([(1, None, 3)], ORDER).assign_timestamps_and_watermarks(BY_TIME)
    with pytest.raises(JobExecutionError, match=r"field 'amount' of record .* is None"):
        collect(rows.key_by("user").window(TEN).sum("amount"))


orders = st.lists(st.tuples(st.integers(0, 3), st.integers(-100, 100), st.integers(-20, 40)), min_size=1, max_size=40)
assigners = st.sampled_from(
    [
        TumblingEventTimeWindows.of(7),
        TumblingEventTimeWindows.of(10, 3),
        SlidingEventTimeWindows.of(10, 4),
        CumulativeEventTimeWindows.of(12, 4),
    ]
)


@given(orders, assigners, st.integers(1, 3), st.integers(1, 3), st.integers(1, 7), st.integers(1, 5))
def test_whole_jobs_give_the_same_both_ways(some, assigner, upstream, downstream, per_epoch, per_batch):
    """Several subtasks, epochs and batches; bounded disorder, so that some records are late."""
    built_in = [Count(), Sum("amount"), Min("amount"), Max("amount"), Avg("amount")]
    results = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_range, "RECORDS_PER_SUBTASK", per_epoch)
        patch.setattr(data_generator, "COLUMNS_AT_ONCE", per_batch)
        for key in ("user", lambda order: order.user):
            stream = orders_of(environment(downstream), some).set_parallelism(upstream)
            counted = stream.key_by(key).window(assigner).aggregate(built_in)
            assert by_columns(counted) == (key == "user")
            results.append(sorted(map(tuple, collect(counted))))
    assert results[0] == results[1]


@given(orders, st.integers(1, 12), st.integers(1, 3), st.integers(1, 3), st.integers(1, 7), st.integers(1, 5))
def test_whole_jobs_with_sessions_give_the_same_both_ways(some, gap, upstream, downstream, per_epoch, per_batch):
    """Nothing is late: what sessions there are then hangs on the records alone."""
    results = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_range, "RECORDS_PER_SUBTASK", per_epoch)
        patch.setattr(data_generator, "COLUMNS_AT_ONCE", per_batch)
        for key in ("user", lambda order: order.user):
            in_order = sorted(some, key=lambda order: order[2])
            stream = orders_of(environment(downstream), in_order).set_parallelism(upstream)
            counted = (
                stream.key_by(key).window(EventTimeSessionWindows.with_gap(gap)).aggregate([Count(), Sum("amount")])
            )
            assert by_columns(counted) == (key == "user")
            results.append(sorted(map(tuple, collect(counted))))
    assert results[0] == results[1]
