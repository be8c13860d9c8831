"""What Flink 2 dropped (fold, split) and what Flink 1.20 brought (full_window_partition), on Spark."""

from __future__ import annotations

import pytest

from flott.datastream import KeyedProcessFunction, Order
from flott.datastream.state import FoldingStateDescriptor

pytestmark = pytest.mark.spark

ORDERS = [("ann", 3), ("bob", 5), ("ann", 4), ("bob", 1), ("ann", 2)]


def collected(stream):
    with stream.execute_and_collect() as results:
        return list(results)


def gather(gathered, order):
    gathered.append(order[1])
    return gathered


class Remember(KeyedProcessFunction):
    def open(self, runtime_context):
        self.gathered = runtime_context.get_folding_state(FoldingStateDescriptor("gathered", [], gather))

    def process_element(self, value, ctx):
        self.gathered.add(value)
        yield value[0], self.gathered.get()


def test_fold_and_folding_state(env):
    orders = env.from_collection(ORDERS).key_by(lambda order: order[0])
    folded = orders.fold([], gather).map(lambda values: ("fold", values))
    remembered = orders.process(Remember()).map(lambda pair: ("state", pair[1]))
    expected = [[3], [3, 4], [3, 4, 2], [5], [5, 1]]
    assert sorted(collected(folded.union(remembered))) == [
        *[("fold", values) for values in expected],
        *[("state", values) for values in expected],
    ]


def test_split_and_select(env):
    split = env.from_sequence(1, 6).split(lambda n: ["even"] * (n % 2 == 0) + ["third"] * (n % 3 == 0))
    either = split.select("even", "third").map(lambda n: ("either", n))
    third = split.select("third").map(lambda n: ("third", n))
    assert sorted(collected(either.union(third))) == [
        ("either", 2), ("either", 3), ("either", 4), ("either", 6), ("third", 3), ("third", 6),
    ]  # fmt: skip


def test_partitions_of_subtasks_and_of_keys(env):
    numbers = env.from_sequence(1, 6).partition_custom(lambda key, _: key % 2, lambda n: n).map(lambda n: n)
    subtasks = numbers.full_window_partition().map_partition(lambda values: [("subtask", sorted(values))])
    orders = env.from_collection(ORDERS).key_by(lambda order: order[0]).full_window_partition()
    keys = orders.sort_partition(lambda order: order[1], Order.DESCENDING)
    results = collected(subtasks.union(keys))
    assert sorted(value for value in results if value[0] == "subtask") == [
        ("subtask", [1, 3, 5]),
        ("subtask", [2, 4, 6]),
    ]
    assert [amount for name, amount in results if name == "ann"] == [4, 3, 2]
    assert [amount for name, amount in results if name == "bob"] == [5, 1]
