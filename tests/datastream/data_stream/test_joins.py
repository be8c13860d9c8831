"""Interval joins, window joins and co-groups, as programs."""

from __future__ import annotations

import pytest

from flott.common import Duration, Types, WatermarkStrategy
from flott.common.watermark_strategy import TimestampAssigner
from flott.datastream import OutputTag
from flott.datastream.functions import CoGroupFunction, FlatJoinFunction, JoinFunction, ProcessJoinFunction
from flott.datastream.window import TumblingEventTimeWindows
from flott.errors import GraphError


class Stamp(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def stamped(env, records):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Stamp())
    return env.from_collection(records).assign_timestamps_and_watermarks(strategy)


@pytest.fixture
def left(env):
    return stamped(env, [("a", 1), ("b", 2), ("a", 11), ("c", 12)])


@pytest.fixture
def right(env):
    return stamped(env, [("a", 3), ("a", 9), ("b", 14), ("c", 15)])


def run(stream):
    with stream.execute_and_collect() as results:
        return sorted(results, key=str)


def key(record):
    return record[0]


class Times(ProcessJoinFunction):
    def process_element(self, left, right, ctx):
        assert isinstance(ctx, ProcessJoinFunction.Context)
        yield (left or right)[0], left and left[1], right and right[1]


def joined(left, right, lower, upper):
    bounds = Duration.of_millis(lower), Duration.of_millis(upper)
    return left.key_by(key).interval_join(right.key_by(key)).in_event_time().between(*bounds)


def test_an_interval_join(left, right):
    pairs = joined(left, right, -2, 8).process(Times(), Types.TUPLE([Types.STRING(), Types.INT(), Types.INT()]))
    assert pairs.get_name() == "Interval Join"
    assert run(pairs) == [("a", 1, 3), ("a", 1, 9), ("a", 11, 9), ("c", 12, 15)]


def test_bounds_can_be_left_out(left, right):
    pairs = joined(left, right, -2, 8).lower_bound_exclusive().upper_bound_exclusive().process(Times())
    assert run(pairs) == [("a", 1, 3), ("c", 12, 15)]


@pytest.mark.parametrize(
    ("outer", "more"),
    [
        ("left_outer", [("b", 2, None)]),
        ("right_outer", [("b", None, 14)]),
        ("full_outer", [("b", 2, None), ("b", None, 14)]),
    ],
)
def test_outer_interval_joins(left, right, outer, more):
    pairs = getattr(joined(left, right, -2, 8), outer)().process(Times())
    assert run(pairs) == [("a", 1, 3), ("a", 1, 9), ("a", 11, 9), *more, ("c", 12, 15)]


def test_late_records_of_an_interval_join_have_side_outputs(left, right):
    tags = OutputTag("late left", Types.STRING()), OutputTag("late right", Types.STRING())
    pairs = joined(left, right, -2, 8).side_output_left_late_data(tags[0]).side_output_right_late_data(tags[1])
    results = pairs.process(Times())
    interval = results._transformation.operator.interval
    assert (interval.late_left, interval.late_right) == tags
    assert results.get_side_output(tags[0]).get_type() == Types.STRING()


def test_what_does_not_fit_an_interval_join(left, right):
    keyed = left.key_by(key)
    for make, message in [
        (lambda: keyed.interval_join(right), "both must be keyed"),
        (lambda: keyed.interval_join(right.key_by(key)).between(5, 1), "lower bound comes first"),
        (lambda: keyed.interval_join(right.key_by(key)).in_processing_time(), "by event time only"),
        (lambda: joined(left, right, 0, 1).process(Pair()), "belongs in join|does not fit"),
        (lambda: joined(left, right, 0, 0).lower_bound_exclusive().process(Times()), "no two records would ever meet"),
        (lambda: joined(left, right, 0, 0).side_output_left_late_data("late"), "give the OutputTag"),
    ]:
        with pytest.raises(GraphError, match=message):
            make()


class Pair(JoinFunction):
    def join(self, first, second):
        return first[0], first[1], second[1]


class Pairs(FlatJoinFunction):
    def join(self, first, second):
        if first[1] > 1:
            yield from (first[0], second[0])


def windows(streams):
    return streams.where(key, Types.STRING()).equal_to(key).window(TumblingEventTimeWindows.of(Duration.of_millis(10)))


def test_a_window_join_puts_every_pair_of_a_window_together(left, right):
    assert run(windows(left.join(right)).apply(Pair())) == [("a", 1, 3), ("a", 1, 9), ("c", 12, 15)]
    assert run(windows(left.join(right)).apply(lambda a, b: a[0] + b[0])) == ["aa", "aa", "cc"]
    assert run(windows(left.join(right)).apply(Pairs())) == ["c", "c"]


class Outer(CoGroupFunction):
    def co_group(self, first, second):
        yield sorted(record[1] for record in first), sorted(record[1] for record in second)


def test_a_co_group_also_has_keys_of_one_side_only(left, right):
    grouped = windows(left.co_group(right)).apply(Outer())
    assert run(grouped) == [([11], []), ([12], [15]), ([1], [3, 9]), ([2], []), ([], [14])]
    counted = windows(left.co_group(right)).apply(lambda first, second: [(len(first), len(second))])
    assert run(counted) == [(0, 1), (1, 0), (1, 0), (1, 1), (1, 2)]


def test_records_of_a_key_keep_their_order_behind_a_source_of_one_subtask(env):
    ordered = stamped(env.set_parallelism(3), [("a", time) for time in range(20)])
    windows_of_all = TumblingEventTimeWindows.of(Duration.of_seconds(1))
    grouped = ordered.co_group(ordered).where(key).equal_to(key).window(windows_of_all)
    times = grouped.apply(lambda first, second: [[time for _, time in side] for side in (first, second)])
    assert run(times) == [list(range(20))] * 2
    for step in env.get_transformations():
        if step.name.startswith("Map "):
            assert step.parallelism == 1


def test_what_does_not_fit_a_window_join(left, right):
    assigner = TumblingEventTimeWindows.of(Duration.of_millis(10))
    for make, message in [
        (lambda: left.join(3), "3 is no DataStream"),
        (lambda: left.join(right).equal_to(key), "call where"),
        (lambda: left.join(right).where(key).where(key), "go on with equal_to"),
        (lambda: left.join(right).where(key).window(assigner), "which records belong together"),
        (lambda: windows(left.join(right)).reduce(max), "have only apply"),
        (lambda: windows(left.co_group(right)).apply(Pair()), "co_group.*Pair"),
        (lambda: left.co_group(right).where(key).equal_to(key).window(5), "no windows"),
    ]:
        with pytest.raises(GraphError, match=message):
            make()
