"""The broadcast state pattern, on a keyed stream and on one that is not."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.errors import StateAccessError, UserFunctionError
from flott.runtime.operators.broadcast_process import BroadcastProcess
from flott.runtime.operators.keyed_broadcast_process import KeyedBroadcastProcess
from flott.runtime.output_tag import OutputTag
from flott.runtime.time_domain import TimeDomain
from flott.testing.harness import TwoInputOperatorHarness

SIDE = OutputTag("side")


def descriptor(name):
    return SimpleNamespace(get_name=lambda: name)


RULES = descriptor("rules")


def first(value):
    return value[0]


class Function:
    def open(self, runtime_context):
        pass

    def close(self):
        pass


class Limits(Function):
    def process_element(self, value, ctx):
        rules = ctx.get_broadcast_state(RULES)
        if value > rules.get("limit"):
            ctx.output(SIDE, value)
        yield value, ctx.timestamp(), ctx.current_watermark(), ctx.current_processing_time()

    def process_broadcast_element(self, value, ctx):
        key, limit = value
        ctx.get_broadcast_state(RULES).put(key, limit)
        yield "rule", ctx.timestamp()


def unkeyed(function):
    return TwoInputOperatorHarness(BroadcastProcess(function, ("rules",)))


def test_the_other_side_reads_what_the_broadcast_side_wrote():
    with unkeyed(Limits()) as h:
        h.set_processing_time(9)
        h.process_element2(("limit", 5), 1)
        h.process_watermark1(3)
        h.process_watermark2(4)
        h.process_element1(7, 2)
        h.end_epoch(new_worker=True)
        h.process_element1(4)
        assert h.extract_output_values() == [("rule", 1), (7, 2, 3, 9), (4, None, 3, 9)]
        assert h.extract_side_output(SIDE) == [7]


def test_an_epoch_starts_with_what_was_carried_and_nothing_else():
    with unkeyed(Limits()) as h:
        h.process_element2(("limit", 5))
        carried = h.operator.snapshot()
        h.process_element2(("limit", 6))
        h.process_element2(("other", 1))
        h.operator.restore(carried)
        assert dict(h.operator.states.writable(RULES).items()) == {"limit": 5}


@pytest.mark.parametrize(
    "write",
    [
        lambda state: state.put("a", 1),
        lambda state: state.put_all({"a": 1}),
        lambda state: state.remove("a"),
        lambda state: state.clear(),
        lambda state: state.__setitem__("a", 1),
        lambda state: state.__delitem__("a"),
    ],
)
def test_writing_on_the_other_side_teaches(write):
    class Writes(Limits):
        def process_element(self, value, ctx):
            write(ctx.get_broadcast_state(RULES))

    with unkeyed(Writes()) as h, pytest.raises(StateAccessError, match=r"'rules' was written outside.*only read it"):
        h.process_element1(1)


def test_only_states_that_were_broadcast_are_there():
    class Other(Limits):
        def process_broadcast_element(self, value, ctx):
            ctx.get_broadcast_state(value)

    with unkeyed(Other()) as h:
        with pytest.raises(StateAccessError, match=r"no broadcast state 'other'.*broadcast with 'rules'"):
            h.process_element2(descriptor("other"))
        with pytest.raises(StateAccessError, match="give the MapStateDescriptor"):
            h.process_element2("rules")


def test_a_map_in_every_way_it_can_be_read():
    class Reads(Limits):
        def process_element(self, value, ctx):
            state = ctx.get_broadcast_state(RULES)
            yield [sorted(state.items()), sorted(state.keys()), sorted(state.values()), sorted(state)]
            yield [state["a"], "a" in state, state.contains("b"), state.get("b"), state.is_empty()]

        def process_broadcast_element(self, value, ctx):
            state = ctx.get_broadcast_state(RULES)
            state.put_all({"a": 1, "b": 2, "c": 3})
            state["d"] = 4
            del state["d"]
            state.remove("b")
            yield [state["a"], "b" in state, sorted(state), state.is_empty(), sorted(state.keys()), sum(state.values())]

    with unkeyed(Reads()) as h:
        h.process_element2(0)
        h.process_element1(0)
        assert h.extract_output_values() == [
            [1, False, ["a", "c"], False, ["a", "c"], 4],
            [[("a", 1), ("c", 3)], ["a", "c"], [1, 3], ["a", "c"]],
            [1, True, False, None, False],
        ]


class Counts(Function):
    """Counts per key; a broadcast record adds to every key's count, or does what it says."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(descriptor("count"))
        self.seen = runtime_context.get_list_state(descriptor("seen"))
        self.parts = runtime_context.get_map_state(descriptor("parts"))

    def process_element(self, value, ctx):
        number = value[1]
        self.count.update((self.count.value() or 0) + number)
        self.seen.add(number)
        self.parts.put(number, number)
        ctx.timer_service().register_event_time_timer(100)
        yield ctx.get_current_key(), self.count.value(), ctx.get_broadcast_state(RULES).get("name")

    def process_broadcast_element(self, value, ctx):
        if callable(value):
            value(self, ctx)
        elif isinstance(value, str):
            ctx.get_broadcast_state(RULES).put("name", value)
        else:

            def add(key, state):
                state.update(state.value() + value)

            ctx.apply_to_keyed_state(descriptor("count"), add)

    def on_timer(self, timestamp, ctx):
        domain = ctx.time_domain() == TimeDomain.EVENT_TIME
        yield ctx.get_current_key(), self.count.value(), ctx.get_broadcast_state(RULES).get("name"), domain


def keyed(function, **options):
    return TwoInputOperatorHarness(KeyedBroadcastProcess(function, first, ("rules",)), keyed=True, **options)


def test_the_keyed_side_has_state_and_timers_and_reads_broadcast_state():
    with keyed(Counts()) as h:
        h.process_element2("x")
        h.process_batch([("a", 1), ("b", 2), ("a", 3)], [1, 2, 3])
        h.end_epoch(new_worker=True)
        h.process_element1(("a", 1))
        h.process_watermark1(100)
        h.process_watermark2(200)
        assert h.extract_output_values()[:4] == [("a", 1, "x"), ("b", 2, "x"), ("a", 4, "x"), ("a", 5, "x")]
        assert set(h.extract_output_values()[4:]) == {("a", 5, "x", True), ("b", 2, "x", True)}


def test_apply_to_keyed_state_visits_every_key_once_wherever_it_is():
    long = "k" * 1000
    keys = ["a", "b", 7, ("t", 1), None, long, "e" * 359]
    with keyed(Counts()) as h:
        h.process_batch([(key, 1) for key in keys])
        h.end_epoch(new_worker=True)
        h.process_batch([("a", 1), ("new", 1)])
        h.process_element2(10)
        h.end_epoch(new_worker=True)
        h.process_element2(100)
        h.clear_output()
        h.process_batch([(key, 0) for key in [*keys, "new"]])
        counts = {key: count for key, count, _ in h.extract_output_values()}
        assert counts == {**dict.fromkeys(keys, 111), "a": 112, "new": 111}


def test_apply_to_keyed_state_visits_lists_and_maps_and_skips_what_was_cleared():
    visited = []

    class Visitor:
        def process(self, key, state):
            visited.append((key, sorted(state.keys())))
            state.clear()

    def walk(function, ctx):
        ctx.apply_to_keyed_state(descriptor("seen"), lambda key, state: visited.append((key, list(state))))
        ctx.apply_to_keyed_state(descriptor("parts"), Visitor())
        ctx.apply_to_keyed_state(descriptor("parts"), Visitor())

    with TwoInputOperatorHarness(KeyedBroadcastProcess(Counts(), first, ()), keyed=True) as h:
        h.operator.states.read_only = lambda _: {}
        h.operator.ctx.get_broadcast_state = lambda _: {}
        h.process_batch([("a", 1), ("a", 2)])
        h.end_epoch()
        h.process_element1(("b", 3))
        h.operator.function.process_broadcast_element(walk, h.operator.broadcast_ctx)
    assert sorted(visited) == [("a", [1, 2]), ("a", [1, 2]), ("b", [3]), ("b", [3])]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.booleans()), max_size=25))
def test_apply_to_keyed_state_like_a_dict(steps):
    with keyed(Counts()) as h:
        model = {}
        for key, number, end in steps:
            if number == 0:
                h.process_element2(1)
                model = {key: count + 1 for key, count in model.items()}
            else:
                h.process_element1((key, number))
                model[key] = model.get(key, 0) + number
                assert h.extract_output_values()[-1][1] == model[key]
            if end:
                h.end_epoch(new_worker=number == 1)


def test_the_broadcast_side_has_no_key():
    def reads_state(function, ctx):
        function.count.value()

    def registers_timer(function, ctx):
        ctx.timer_service().register_event_time_timer(1)

    def asks_key(function, ctx):
        ctx.get_current_key()

    for use, message in [
        (reads_state, "in process_broadcast_element, which has no key.*apply_to_keyed_state"),
        (registers_timer, "Register timers in process_element"),
        (asks_key, "a broadcast record has no key"),
    ]:
        with keyed(Counts()) as h:
            h.process_element1(("a", 1))
            with pytest.raises(StateAccessError, match=message):
                h.process_element2(use)


def test_apply_to_keyed_state_says_what_it_needs():
    def unknown(function, ctx):
        ctx.apply_to_keyed_state(descriptor("nowhere"), print)

    def not_callable(function, ctx):
        ctx.apply_to_keyed_state(descriptor("count"), 5)

    def fails(function, ctx):
        ctx.apply_to_keyed_state(descriptor("count"), lambda key, state: 1 // 0)

    with keyed(Counts()) as h:
        h.process_element1(("a", 1))
        with pytest.raises(StateAccessError, match=r"no keyed state 'nowhere'.*Create it in open"):
            h.process_element2(unknown)
        with pytest.raises(StateAccessError, match="5 can't be called"):
            h.process_element2(not_callable)
        with pytest.raises(UserFunctionError, match="ZeroDivisionError"):
            h.process_element2(fails)
        with pytest.raises(StateAccessError, match="no key is set"):
            h.operator.function.count.value()
