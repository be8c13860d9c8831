"""Every kind of state with a StateTtlConfig, as a function uses it."""

from __future__ import annotations

import pytest

from flott.common import Duration
from flott.datastream import AggregateFunction, KeyedProcessFunction
from flott.datastream.state import (
    AggregatingState,
    AggregatingStateDescriptor,
    ListState,
    ListStateDescriptor,
    MapState,
    MapStateDescriptor,
    ReducingState,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueState,
    ValueStateDescriptor,
)
from flott.errors import GraphError
from flott.runtime.state.ttl import Lifetime, lifetime_of
from flott.runtime.state.values import ValueState as PlainValueState
from flott.testing.harness import KeyedOneInputOperatorHarness


class Total(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + value

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


class Remembers(KeyedProcessFunction):
    def __init__(self, config=None):
        self.descriptors = [
            ValueStateDescriptor("v"),
            ListStateDescriptor("l"),
            MapStateDescriptor("m"),
            ReducingStateDescriptor("r", lambda a, b: a + b),
            AggregatingStateDescriptor("a", Total()),
        ]
        if config is not None:
            for descriptor in self.descriptors:
                descriptor.enable_time_to_live(config)

    def open(self, runtime_context):
        value, items, entries, reduced, total = self.descriptors
        self.value = runtime_context.get_state(value)
        self.items = runtime_context.get_list_state(items)
        self.entries = runtime_context.get_map_state(entries)
        self.reduced = runtime_context.get_reducing_state(reduced)
        self.total = runtime_context.get_aggregating_state(total)

    def process_element(self, value, ctx):
        if value is None:
            yield (
                self.value.value(), list(self.items), dict(self.entries.items()), self.reduced.get(), self.total.get(),
            )  # fmt: skip
            return
        self.value.update(value)
        self.items.add(value)
        self.entries.put(value, value)
        self.reduced.add(value)
        self.total.add(value)


def config(**settings):
    builder = StateTtlConfig.new_builder(Duration.of_seconds(1))
    for name, arguments in settings.items():
        getattr(builder, name)(*arguments)
    return builder.build()


def harness(function):
    return KeyedOneInputOperatorHarness.for_keyed_process_function(function, lambda _: "key")


def test_all_kinds_of_state_expire():
    with harness(Remembers(config())) as h:
        h.process_element(1)
        h.set_processing_time(600)
        h.process_element(2)
        h.end_epoch(new_worker=True)
        h.set_processing_time(1000)
        h.process_element(None)
        h.set_processing_time(1600)
        h.process_element(None)
        assert h.extract_output_values() == [(2, [2], {2: 2}, 3, 3), (None, [], {}, None, None)]
        assert h.num_state_entries() == 0


@pytest.mark.parametrize("visible", [False, True])
def test_what_expired_while_the_worker_kept_it_in_memory_is_gone(visible):
    """The epoch that wrote it, and the next one in the same worker, have it in memory."""
    seen = {"return_expired_if_not_cleaned_up": ()} if visible else {}
    with harness(Remembers(config(disable_cleanup_in_background=(), **seen))) as h:
        for start in (0, 10_000):
            h.set_processing_time(start)
            h.process_element(1)
            if start:
                h.end_epoch()
            h.set_processing_time(start + 999)
            h.process_element(None)
            h.set_processing_time(start + 1000)
            h.process_element(None)
            h.process_element(None)
        alive, gone = (1, [1], {1: 1}, 1, 1), (None, [], {}, None, None)
        assert h.extract_output_values() == [alive, alive if visible else gone, gone] * 2


def test_reading_renews_if_told_so():
    with harness(Remembers(config(update_ttl_on_read_and_write=()))) as h:
        h.process_element(1)
        for time in (900, 1800, 2700):
            h.set_processing_time(time)
            h.end_epoch(new_worker=True)
            h.process_element(None)
        assert h.extract_output_values() == [(1, [1], {1: 1}, 1, 1)] * 3


def test_what_expired_is_seen_once_if_told_so():
    visible = config(return_expired_if_not_cleaned_up=(), disable_cleanup_in_background=())
    with harness(Remembers(visible)) as h:
        h.process_element(1)
        h.set_processing_time(5000)
        h.process_element(None)
        h.process_element(None)
        assert h.extract_output_values() == [(1, [1], {1: 1}, 1, 1), (None, [], {}, None, None)]


def test_a_time_to_live_can_come_and_go():
    with harness(Remembers()) as h:
        h.process_element(1)
        without = h.snapshot()
    with harness(Remembers(config())).restore(without) as h:
        h.process_element(None)
        h.process_element(2)
        assert h.extract_output_values() == [(1, [1], {1: 1}, 1, 1)]
        given = h.snapshot()
    with harness(Remembers()).restore(given) as h:
        h.set_processing_time(10_000)
        h.process_element(None)
        assert h.extract_output_values() == [(2, [1, 2], {1: 1, 2: 2}, 3, 3)]


def test_handles_are_what_the_api_promises_and_plain_ones_pay_nothing():
    with harness(Remembers(config())) as h:
        function = h.operator.function
        kinds = [ValueState, ListState, MapState, ReducingState, AggregatingState]
        states = [function.value, function.items, function.entries, function.reduced, function.total]
        assert all(isinstance(state, kind) for state, kind in zip(states, kinds, strict=True))
    with harness(Remembers()) as h:
        assert type(h.operator.function.value) is PlainValueState


def test_what_the_configuration_means():
    def lifetime(**settings):
        descriptor = ValueStateDescriptor("v")
        descriptor.enable_time_to_live(config(disable_cleanup_in_background=(), **settings))
        return lifetime_of(descriptor)

    assert lifetime() == Lifetime(1000)
    assert lifetime(cleanup_full_snapshot=()) == Lifetime(1000, left_out_of_snapshots=True)
    assert lifetime(cleanup_incrementally=(7, False)) == Lifetime(1000, checks_per_use=7)
    assert lifetime(cleanup_incrementally=(7, True)) == Lifetime(1000, checks_per_use=7, checks_per_epoch=7000)
    assert lifetime(cleanup_in_rocksdb_compact_filter=(9,)) == Lifetime(1000, checks_per_epoch=1000)
    assert lifetime_of(ValueStateDescriptor("v")) is None


def test_broadcast_state_does_not_expire(env):
    descriptor = MapStateDescriptor("rules")
    descriptor.enable_time_to_live(config())
    with pytest.raises(GraphError, match="state 'rules' has a time to live"):
        env.from_collection([1]).broadcast(descriptor)
