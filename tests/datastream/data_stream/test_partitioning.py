from __future__ import annotations

import pytest

from flott.common import Types
from flott.datastream import BroadcastStream, DataStream, KeySelector, Partitioner
from flott.datastream.state import MapStateDescriptor, ValueStateDescriptor
from flott.errors import GraphError
from flott.runtime import partitioners


class Half(Partitioner):
    def partition(self, key, num_partitions):
        return key % num_partitions


class Tenth(KeySelector):
    def get_key(self, value):
        return value // 10


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("shuffle", partitioners.Shuffle),
        ("rebalance", partitioners.Rebalance),
        ("rescale", partitioners.Rescale),
        ("forward", partitioners.Forward),
        ("broadcast", partitioners.Broadcast),
        ("global_", partitioners.Global),
    ],
)
def test_each_call_chooses_its_partitioner(env, call, kind):
    numbers = env.from_sequence(1, 9)
    spread = getattr(numbers, call)()
    spread.map(str)
    [edge] = env.get_stream_graph().edges
    assert isinstance(edge.partitioner, kind)
    assert type(spread) is DataStream
    assert spread.get_type() == Types.LONG()


@pytest.mark.parametrize(("partitioner", "selector"), [(Half(), Tenth()), (Half().partition, Tenth().get_key)])
def test_a_partitioner_of_ones_own(env, partitioner, selector):
    env.from_sequence(1, 9).partition_custom(partitioner, selector).map(str)
    [edge] = env.get_stream_graph().edges
    assert edge.partitioner.partition(7, 4) == 3
    assert edge.partitioner.key_selector(70) == 7


@pytest.mark.parametrize(
    ("partitioner", "selector", "message"),
    [
        (lambda key: 0, str, r"called with \(key, num_partitions\)"),
        (3, str, "3 .* does not fit; here goes a Partitioner object or a callable"),
        (Half(), lambda: 0, r"called with \(value\)"),
    ],
)
def test_wrong_functions_are_refused(env, partitioner, selector, message):
    with pytest.raises(GraphError, match=message):
        env.from_sequence(1, 9).partition_custom(partitioner, selector)


def test_broadcast_with_descriptors_is_for_connecting(env):
    first, second = MapStateDescriptor("a"), MapStateDescriptor("b")
    broadcast = env.from_sequence(1, 9).broadcast(first, second)
    assert isinstance(broadcast, BroadcastStream)
    assert broadcast.broadcast_state_descriptors == [first, second]
    assert isinstance(broadcast.input_stream.get_transformation().partitioner, partitioners.Broadcast)


@pytest.mark.parametrize(
    ("descriptors", "message"),
    [
        ([ValueStateDescriptor("a")], "is no MapStateDescriptor"),
        ([MapStateDescriptor("a"), MapStateDescriptor("a")], "a name of its own"),
    ],
)
def test_broadcast_state_is_a_map_with_a_name(env, descriptors, message):
    with pytest.raises(GraphError, match=message):
        env.from_sequence(1, 9).broadcast(*descriptors)


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("shuffle", ()),
        ("rebalance", ()),
        ("rescale", ()),
        ("forward", ()),
        ("broadcast", ()),
        ("global_", ()),
        ("partition_custom", (Half(), Tenth())),
    ],
)
def test_a_keyed_stream_can_not_be_spread_in_another_way(env, call, arguments):
    with pytest.raises(GraphError, match=rf"{call}\(\) on a keyed stream"):
        getattr(env.from_sequence(1, 9).key_by(str), call)(*arguments)
