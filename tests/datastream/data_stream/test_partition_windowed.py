from __future__ import annotations

import pytest

from flott.common import Row, Types, WatermarkStrategy
from flott.connectors.base import Source
from flott.datastream import AggregateFunction, KeySelector, MapPartitionFunction, Order, ProcessFunction
from flott.errors import GraphError, JobExecutionError
from flott.runtime.batch import MAX_WATERMARK, Batch
from flott.runtime.keys import groups_of_subtask, key_group_of
from flott.runtime.operators.partitions import key_of_subtask
from flott.runtime.source import SourcePlan, SplitRead

pytestmark = pytest.mark.job

ORDERS = [("ann", 3), ("bob", 5), ("ann", 4), ("bob", 1), ("ann", 2)]


def collected(stream):
    with stream.execute_and_collect() as results:
        return list(results)


@pytest.fixture
def numbers(env):
    """1 to 6, the odd ones in one subtask and the even ones in the other."""
    numbers = env.from_collection([1, 2, 3, 4, 5, 6], Types.INT())
    return numbers.partition_custom(lambda key, _: key % 2, lambda n: n).map(lambda n: n, Types.INT())


@pytest.fixture
def orders(env):
    return env.from_collection(ORDERS, Types.TUPLE([Types.STRING(), Types.INT()])).key_by(lambda order: order[0])


class Gather(MapPartitionFunction):
    def open(self, runtime_context):
        self.subtask = runtime_context.get_index_of_this_subtask()

    def map_partition(self, values):
        yield self.subtask, sorted(values)


class Total(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + (value if isinstance(value, int) else value[1])

    def get_result(self, accumulator):
        return f"total {accumulator}"

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


# -- each subtask ------------------------------------------------------------------------------------------


def test_a_function_sees_all_records_of_its_subtask(numbers):
    stream = numbers.full_window_partition().map_partition(Gather())
    assert sorted(collected(stream)) == [(0, [2, 4, 6]), (1, [1, 3, 5])]


def test_a_callable_makes_any_number_of_results(numbers):
    partitions = numbers.full_window_partition()
    assert sorted(collected(partitions.map_partition(lambda values: [len(values), sum(values)]))) == [3, 3, 9, 12]
    assert collected(partitions.map_partition(lambda values: None)) == []


def test_records_of_a_subtask_are_sorted(numbers):
    down = collected(numbers.full_window_partition().sort_partition(lambda n: n, Order.DESCENDING))
    assert [n for n in down if n % 2] == [5, 3, 1]
    assert [n for n in down if n % 2 == 0] == [6, 4, 2]


def test_a_subtask_is_reduced_to_one_value(numbers):
    assert sorted(collected(numbers.full_window_partition().reduce(lambda a, b: a + b))) == [9, 12]


def test_a_subtask_is_aggregated_to_one_result(numbers):
    assert sorted(collected(numbers.full_window_partition().aggregate(Total()))) == ["total 12", "total 9"]


def test_a_subtask_without_records_has_the_results_of_none(env):
    alone = env.from_collection([2, 4]).partition_custom(lambda key, _: 0, lambda n: n).map(lambda n: n)
    partitions = alone.full_window_partition()
    assert sorted(collected(partitions.aggregate(Total()))) == ["total 0", "total 6"]
    assert sorted(collected(partitions.map_partition(Gather()))) == [(0, [2, 4]), (1, [])]
    assert collected(partitions.reduce(lambda a, b: a + b)) == [6]
    assert collected(partitions.sort_partition(lambda n: n)) == [2, 4]


def test_it_is_as_parallel_as_what_it_comes_from(env, numbers):
    assert numbers.full_window_partition().reduce(max).get_parallelism() == 2
    assert env.from_collection([1]).full_window_partition().reduce(max).get_parallelism() == 1
    assert env.from_collection([1]).rebalance().full_window_partition().reduce(max).get_parallelism() == 1


class Stamp(ProcessFunction):
    def process_element(self, value, ctx):
        yield value, ctx.timestamp()


def test_results_of_subtasks_have_no_timestamp_and_those_of_keys_that_of_the_end(numbers, orders):
    assert (12, None) in collected(numbers.full_window_partition().reduce(lambda a, b: a + b).process(Stamp()))
    assert ("total 9", MAX_WATERMARK) in collected(orders.full_window_partition().aggregate(Total()).process(Stamp()))
    assert (("ann", 2), None) in collected(orders.full_window_partition().sort_partition(1).process(Stamp()))


def test_what_is_marked_needs_no_uid(env):
    env.get_config().disable_auto_generated_uids()
    stream = env.from_collection([3, 1]).uid("source").full_window_partition().sort_partition(lambda n: n).uid("sort")
    stream.print().uid("print")
    assert "MarkPartition" in str(env.get_stream_graph())


# -- each key ----------------------------------------------------------------------------------------------


def test_a_function_sees_all_records_of_a_key(orders):
    stream = orders.full_window_partition().map_partition(lambda values: [(values[0][0], [n for _, n in values])])
    assert sorted(collected(stream)) == [("ann", [3, 4, 2]), ("bob", [5, 1])]


@pytest.mark.parametrize(
    ("order", "ann", "bob"), [(Order.ASCENDING, [2, 3, 4], [1, 5]), (Order.DESCENDING, [4, 3, 2], [5, 1])]
)
@pytest.mark.parametrize("field", [1, "f1", lambda order: order[1]])
def test_records_of_a_key_are_sorted_and_stay_together(orders, field, order, ann, bob):
    stream = orders.full_window_partition().sort_partition(field, order)
    assert stream.get_type() == orders.get_type()
    results = collected(stream)
    anns = [("ann", n) for n in ann]
    bobs = [("bob", n) for n in bob]
    assert results in (anns + bobs, bobs + anns)


def test_a_key_is_reduced_and_aggregated(orders):
    partitions = orders.full_window_partition()
    assert sorted(collected(partitions.reduce(lambda a, b: (a[0], a[1] + b[1])))) == [("ann", 9), ("bob", 6)]
    assert sorted(collected(partitions.aggregate(Total(), Types.STRING()))) == ["total 6", "total 9"]


# -- sorting -----------------------------------------------------------------------------------------------


class ByAmount(KeySelector):
    def get_key(self, value):
        return value.amount


@pytest.mark.parametrize("field", ["amount", 1, ByAmount()])
def test_rows_are_sorted_by_a_field_and_equal_ones_stay_in_order(env, field):
    type_info = Types.ROW_NAMED(["name", "amount"], [Types.STRING(), Types.INT()])
    rows = env.from_collection([("a", 2), ("b", 1), ("c", 2), ("d", 1)], type_info)
    results = collected(rows.full_window_partition().sort_partition(field, Order.DESCENDING))
    assert [row.name for row in results] == ["a", "c", "b", "d"]
    assert results[0] == Row(name="a", amount=2)


def test_what_does_not_fit_is_refused(orders, numbers):
    partitions = orders.full_window_partition()
    with pytest.raises(GraphError, match=r"sort_partition\(\.\.\.\): .* has no field 'amount'"):
        partitions.sort_partition("amount")
    with pytest.raises(GraphError, match="single values have no fields"):
        numbers.full_window_partition().sort_partition(0)
    with pytest.raises(GraphError, match=r"'up' is no order; give Order\.ASCENDING"):
        partitions.sort_partition(1, "up")
    with pytest.raises(GraphError, match="MapPartitionFunction"):
        partitions.map_partition("all")
    with pytest.raises(GraphError, match="AggregateFunction"):
        partitions.aggregate(max)


def test_a_function_that_fails_is_named(numbers):
    with pytest.raises(JobExecutionError, match="'MapPartition'"):
        collected(numbers.full_window_partition().map_partition(lambda values: [1 // 0]))


# -- over many epochs --------------------------------------------------------------------------------------


class OneByOne(Source):
    """Gives one number an epoch."""

    def __init__(self, size):
        self.size = size

    def is_bounded(self):
        return True

    def create_enumerator(self, parallelism):
        return OneByOneEnumerator(self.size, parallelism)

    def read(self, read):
        yield Batch(list(range(read.start, read.end)))


class OneByOneEnumerator:
    def __init__(self, size, parallelism):
        self.size, self.parallelism, self.position = size, parallelism, 0

    def plan(self, scale, now):
        start, self.position = self.position, min(self.position + 1, self.size)
        ended = self.position == self.size
        read = SplitRead("all", start, self.position, ended=ended)
        turn = start % self.parallelism
        reads = tuple((read,) if subtask == turn else () for subtask in range(self.parallelism))
        return SourcePlan(reads, empty=False, backlog=not ended, ended=ended)

    def snapshot(self):
        return self.position

    def restore(self, state):
        self.position = state

    def close(self):
        pass


@pytest.mark.parametrize("keyed", [True, False])
def test_what_came_over_many_epochs_is_together(env, keyed):
    numbers = env.from_source(OneByOne(12), WatermarkStrategy.no_watermarks(), "one by one", Types.INT())
    stream = numbers.key_by(lambda n: n % 3) if keyed else numbers
    partitions = stream.full_window_partition()
    gathered = collected(partitions.map_partition(lambda values: [list(values)]))
    assert sorted(gathered) == (
        [[n, n + 3, n + 6, n + 9] for n in range(3)] if keyed else [list(range(0, 12, 2)), list(range(1, 12, 2))]
    )
    assert sum(collected(partitions.reduce(lambda a, b: a + b))) == 66


@pytest.mark.parametrize("parallelism", [1, 2, 3, 7, 10])
@pytest.mark.parametrize("max_parallelism", [10, 128])
def test_the_key_of_a_subtask_is_its_own(parallelism, max_parallelism):
    class Context:
        pass

    keys = []
    for subtask in range(parallelism):
        context = Context()
        context.subtask, context.parallelism, context.max_parallelism = subtask, parallelism, max_parallelism
        key = key_of_subtask(context)
        assert key_group_of(key, max_parallelism) in groups_of_subtask(subtask, parallelism, max_parallelism)
        keys.append(key)
    assert len(set(keys)) == parallelism
