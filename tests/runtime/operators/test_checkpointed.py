"""Functions with operator state, through epochs, moves between workers, and rescaling."""

from __future__ import annotations

import pytest

from flott.common import Duration
from flott.datastream import CheckpointedFunction, KeyedProcessFunction, MapFunction, ProcessFunction
from flott.datastream.functions import FunctionInitializationContext, FunctionSnapshotContext
from flott.datastream.state import (
    BroadcastState,
    ListState,
    ListStateDescriptor,
    MapStateDescriptor,
    OperatorStateStore,
    StateTtlConfig,
    ValueStateDescriptor,
)
from flott.errors import StateAccessError, UserFunctionError
from flott.runtime.operators.keyed_process import KeyedProcess
from flott.runtime.operators.process import Process
from flott.runtime.operators.stateless import Map
from flott.runtime.state.operator_state import OperatorStates
from flott.runtime.state.redistribute import redistribute_carried
from flott.testing.harness import OPERATOR_ID, KeyedOneInputOperatorHarness, OneInputOperatorHarness


class Buffer(ProcessFunction, CheckpointedFunction):
    """Holds two records back before it hands them on; remembers what happened to it."""

    def __init__(self):
        self.buffer = []
        self.life = []

    def initialize_state(self, context):
        assert isinstance(context, FunctionInitializationContext)
        store = context.get_operator_state_store()
        assert isinstance(store, OperatorStateStore)
        self.state = store.get_list_state(ListStateDescriptor("buffer"))
        assert isinstance(self.state, ListState)
        self.buffer.extend(self.state.get())
        self.life.append(("initialize", context.is_restored(), context.get_restored_checkpoint_id()))

    def open(self, runtime_context):
        self.life.append("open")

    def close(self):
        self.life.append("close")

    def snapshot_state(self, context):
        assert isinstance(context, FunctionSnapshotContext)
        self.life.append(("snapshot", context.get_checkpoint_id(), context.get_checkpoint_timestamp()))
        self.state.update(self.buffer)

    def process_element(self, value, ctx):
        self.buffer.append(value)
        if len(self.buffer) == 2:
            yield tuple(self.buffer)
            self.buffer.clear()


def test_state_is_initialised_before_open_and_written_at_the_end_of_an_epoch():
    with OneInputOperatorHarness(Process(Buffer())) as h:
        h.set_processing_time(50)
        h.process_batch([1, 2, 3])
        h.end_epoch()
        h.process_element(4)
        h.end_epoch()
        function = h.operator.function
        assert function.life == [("initialize", False, None), "open", ("snapshot", 1, 50), ("snapshot", 2, 50)]
        assert h.extract_output_values() == [(1, 2), (3, 4)]
    assert function.life[-1] == "close"


def test_a_new_worker_goes_on_with_what_was_carried():
    with OneInputOperatorHarness(Process(Buffer())) as h:
        h.process_batch([1, 2, 3])
        h.end_epoch(new_worker=True)
        h.process_watermark(7)
        h.process_element(4)
        h.end_epoch(new_worker=True)
        assert h.extract_output_values() == [(1, 2), (3, 4)]
        assert h.operator.function.life == [("initialize", True, 2), "open"]
        assert h.operator.timers.current_watermark() == 7


def test_a_worker_that_comes_back_after_another_ran_gets_a_new_function():
    with OneInputOperatorHarness(Process(Buffer())) as here, OneInputOperatorHarness(Process(Buffer())) as there:
        here.process_element(1)
        carried = here.lifecycle.snapshot()
        there.lifecycle.restore(carried)
        there.process_batch([2, 3])
        stale = here.operator.function
        here.lifecycle.restore(there.lifecycle.snapshot())
        assert here.operator.function is not stale
        assert stale.life[-1] == "close"
        here.process_element(4)
        assert here.extract_output_values() == [(3, 4)]


def test_an_epoch_that_is_tried_again_starts_from_what_it_started_from():
    with OneInputOperatorHarness(Process(Buffer())) as h:
        h.process_element(1)
        carried = h.lifecycle.snapshot()
        h.process_element(2)
        h.lifecycle.snapshot()
        h.lifecycle.restore(carried)
        h.process_element(3)
        h.lifecycle.restore(None)
        h.process_element(4)
        assert h.extract_output_values() == [(1, 2), (1, 3)]
        assert h.operator.function.buffer == [4]


def test_plain_methods_of_a_new_function_are_called():
    class Numbered(MapFunction, CheckpointedFunction):
        def __init__(self):
            self.count = 0

        def initialize_state(self, context):
            self.state = context.get_operator_state_store().get_list_state(ListStateDescriptor("count"))
            self.count = sum(self.state)

        def snapshot_state(self, context):
            self.state.clear()
            self.state.add(self.count)

        def map(self, value):
            self.count += 1
            return self.count

    with OneInputOperatorHarness(Map(Numbered())) as h:
        h.process_batch("ab")
        before = h.lifecycle.snapshot()
        h.process_batch("cd")
        h.lifecycle.snapshot()
        h.lifecycle.restore(before)
        h.process_batch("e")
        assert h.extract_output_values() == [1, 2, 3, 4, 3]


class Keyed(KeyedProcessFunction, CheckpointedFunction):
    """Keyed state and operator state side by side."""

    def initialize_state(self, context):
        self.total = context.get_keyed_state_store().get_state(ValueStateDescriptor("total"))
        self.keys = context.get_operator_state_store().get_list_state(ListStateDescriptor("keys"))

    def snapshot_state(self, context):
        pass

    def process_element(self, value, ctx):
        self.total.update((self.total.value() or 0) + value)
        self.keys.add(value)
        ctx.timer_service().register_event_time_timer(10)

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), self.total.value(), self.keys.get()


def test_keyed_state_and_timers_live_next_to_operator_state():
    with KeyedOneInputOperatorHarness(KeyedProcess(Keyed(), lambda value: value % 2)) as h:
        h.process_batch([2, 4])
        h.end_epoch(new_worker=True)
        h.process_element(6)
        h.process_watermark(10)
        assert h.extract_output_values() == [(0, 12, [2, 4, 6])]


def test_rescaling_deals_the_elements_out_anew():
    carried = []
    for subtask in range(2):
        with OneInputOperatorHarness(Process(Buffer()), parallelism=2, subtask=subtask) as h:
            h.process_element(subtask)
            h.end_epoch()
            carried.append(h._carried.operators[OPERATOR_ID])
    buffers = []
    for subtask, own in enumerate(redistribute_carried(carried, 3, "x")):
        with OneInputOperatorHarness(Process(Buffer()), parallelism=3, subtask=subtask) as h:
            h.lifecycle.restore(own)
            buffers.append(h.operator.function.buffer)
            assert h.operator.function.life[0] == ("initialize", True, 1)
    assert buffers == [[0], [1], []]


class Asks(Buffer):
    def __init__(self, ask):
        super().__init__()
        self.ask = ask

    def initialize_state(self, context):
        super().initialize_state(context)
        self.answer = self.ask(context.get_operator_state_store())


def descriptor_with_ttl():
    descriptor = ListStateDescriptor("x")
    descriptor.enable_time_to_live(StateTtlConfig.new_builder(Duration.of_days(1)).build())
    return descriptor


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda s: s.get_union_list_state(ListStateDescriptor("buffer")), "'buffer' is even-split.*as union list"),
        (lambda s: s.get_broadcast_state(MapStateDescriptor("buffer")), "choose another name"),
        (lambda s: s.get_broadcast_state(ListStateDescriptor("b")), "give a MapStateDescriptor"),
        (lambda s: s.get_list_state(ValueStateDescriptor("v")), "give a ListStateDescriptor"),
        (lambda s: s.get_list_state("v"), "'v' can't describe"),
        (lambda s: s.get_list_state(descriptor_with_ttl()), "only keyed state can have"),
    ],
)
def test_wrong_use_teaches(ask, message):
    harness = OneInputOperatorHarness(Process(Asks(ask)))
    with pytest.raises(StateAccessError, match=message):
        harness.open()
    harness.close()


def test_all_three_modes_and_their_names():
    def ask(store):
        union = store.get_union_list_state(ListStateDescriptor("all"))
        union.add_all([1, 2])
        rules = store.get_broadcast_state(MapStateDescriptor("rules"))
        assert isinstance(rules, BroadcastState)
        rules.put("a", 1)
        return store.get_registered_state_names(), store.get_registered_broadcast_state_names()

    with OneInputOperatorHarness(Process(Asks(ask))) as h:
        assert h.operator.function.answer == ({"buffer", "all"}, {"rules"})
        states = OperatorStates.unpack(h.lifecycle.snapshot().states)
        assert states == OperatorStates({"buffer": []}, {"all": [1, 2]}, {"rules": {"a": 1}})


def test_state_that_is_not_asked_for_any_more_is_kept():
    with OneInputOperatorHarness(Process(Buffer())) as h:
        h.process_element(1)
        carried = h.lifecycle.snapshot()

    class Other(Buffer):
        def initialize_state(self, context):
            self.state = context.get_operator_state_store().get_list_state(ListStateDescriptor("other"))

    with OneInputOperatorHarness(Process(Other())) as h:
        h.lifecycle.restore(carried)
        assert OperatorStates.unpack(h.lifecycle.snapshot().states).split == {"buffer": [1], "other": []}


@pytest.mark.parametrize("method", ["initialize_state", "snapshot_state"])
def test_a_failure_says_where(method):
    class Fails(Buffer):
        pass

    def fail(self, context):
        raise KeyError("gone")

    setattr(Fails, method, fail)
    harness = OneInputOperatorHarness(Process(Fails()))
    with pytest.raises(UserFunctionError, match=rf"failed in {method}\(\)[\s\S]*KeyError"):
        harness.end_epoch()
    harness.close()


def test_a_function_inside_another_has_operator_state_too():
    class Wrapper(ProcessFunction):
        def __init__(self, sink):
            self.sink = sink

        def open(self, runtime_context):
            self.sink.open(runtime_context)

        def process_element(self, value, ctx):
            return self.sink.process_element(value, ctx)

    with OneInputOperatorHarness(Process(Wrapper(Buffer()))) as h:
        h.process_element(1)
        h.end_epoch(new_worker=True)
        h.process_element(2)
        assert h.extract_output_values() == [(1, 2)]
