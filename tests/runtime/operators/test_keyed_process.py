from __future__ import annotations

from types import SimpleNamespace

import pytest

from flott.errors import FlottError, StateAccessError, UserFunctionError
from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.operators.keyed_process import KeyedProcess
from flott.runtime.operators.process import Process
from flott.runtime.output_tag import OutputTag
from flott.runtime.state import backend
from flott.runtime.state.prefetch import PrefetchPolicy
from flott.runtime.time_domain import TimeDomain
from flott.testing.harness import KeyedOneInputOperatorHarness, OneInputOperatorHarness

SIDE = OutputTag("side")


class Function:
    """A user function without the bases of the datastream package, which the runtime must not need."""

    def open(self, runtime_context):
        self.total = runtime_context.get_state(SimpleNamespace(get_name=lambda: "total"))

    def close(self):
        pass

    def process_element(self, value, ctx):
        pass

    def on_timer(self, timestamp, ctx):
        pass


def first(value):
    return value[0]


def harness(function, selector=first):
    return KeyedOneInputOperatorHarness(KeyedProcess(function, selector))


class Sum(Function):
    def process_element(self, value, ctx):
        total = (self.total.value() or 0) + value[1]
        self.total.update(total)
        yield ctx.get_current_key(), total


def test_state_belongs_to_the_key_and_survives_epochs():
    with harness(Sum()) as h:
        h.process_batch([("a", 1), ("b", 10), ("a", 2)])
        h.end_epoch(new_worker=True)
        h.process_element(("a", 4))
        assert h.extract_output_values() == [("a", 1), ("b", 10), ("a", 3), ("a", 7)]


@pytest.fixture
def short_strides(monkeypatch):
    """Where state reads ahead, batches are cut into short parts."""
    monkeypatch.setattr(backend, "STRIDE", 3)


def read_ahead(h):
    state = h.operator.backend.parts()["total"]
    state.prefetch = PrefetchPolicy(
        encodes_early=True, min_batch=1, draft_size=1, prefetch_left=1_000_000, drafting=True
    )


@pytest.mark.parametrize("stamps", [None, list(range(10))])
def test_parts_of_a_batch_give_what_the_whole_gives(short_strides, stamps):
    with harness(Sum()) as h:
        h.process_batch([(number, 1) for number in range(10)])
        h.end_epoch(new_worker=True)
        h.process_batch([(number, 5) for number in range(10)])
        read_ahead(h)
        h.process_batch([(number, 5) for number in range(10)])
        read_ahead(h)
        assert h.operator.backend.strides(10)[0] == slice(0, 3)
        h.process_batch([(number % 4, 100) for number in range(10)], stamps)
        h.end_epoch(new_worker=True)
        h.process_batch([(number, 1_000) for number in range(10)])
        sums = (
            [1] * 10 + [6] * 10 + [11] * 10 + [111] * 4 + [211] * 4 + [311] * 2 + [1311] * 2 + [1211] * 2 + [1011] * 6
        )
        assert [total for _, total in h.extract_output_values()] == sums
        assert [stamp for _, stamp in h.extract_output_records()][30:40] == (stamps or [None] * 10)


def test_a_record_that_fails_in_a_part_is_named(short_strides):
    with harness(Sum()) as h:
        h.process_batch([(number, 1) for number in range(10)])
        h.end_epoch(new_worker=True)
        h.process_batch([(number, 10) for number in range(10)])
        read_ahead(h)
        with pytest.raises(UserFunctionError, match=r"\(7, 'no number'\)"):
            h.process_batch([(number, 10 if number != 7 else "no number") for number in range(10)])


def test_results_take_the_timestamp_of_their_record():
    class Twice(Function):
        def process_element(self, value, ctx):
            return [value] * value[1]

    with harness(Twice()) as h:
        h.process_batch([("a", 2), ("b", 0), ("c", 1)], [5, 6, None])
        h.process_element(("d", 1))
        assert h.extract_output_records() == [(("a", 2), 5), (("a", 2), 5), (("c", 1), None), (("d", 1), None)]


def test_a_record_without_a_timestamp_has_none():
    class Time(Function):
        def process_element(self, value, ctx):
            yield ctx.timestamp()

    with harness(Time()) as h:
        h.process_batch([("a",), ("a",)], [3, None])
        h.process_element(("a",))
        assert h.extract_output_values() == [3, None, None]


class Timers(Function):
    def process_element(self, value, ctx):
        _, kind, time = value
        service = ctx.timer_service()
        {
            "event": service.register_event_time_timer,
            "processing": service.register_processing_time_timer,
            "delete event": service.delete_event_time_timer,
            "delete processing": service.delete_processing_time_timer,
        }[kind](time)

    def on_timer(self, timestamp, ctx):
        total = (self.total.value() or 0) + 1
        self.total.update(total)
        yield ctx.get_current_key(), ctx.time_domain(), timestamp, ctx.timestamp(), total


def test_timers_fire_before_the_watermark_is_handed_on():
    with harness(Timers()) as h:
        h.process_element(("a", "event", 10))
        h.process_watermark(9)
        h.process_watermark(12)
        assert h.main.events == [
            (9,),
            (("a", TimeDomain.EVENT_TIME, 10, 10, 1), 10),
            (12,),
        ]


def test_results_of_processing_time_timers_have_no_timestamp():
    with harness(Timers()) as h:
        h.process_element(("a", "processing", 10), 3)
        assert h.operator.next_wakeup() == 10
        h.set_processing_time(10)
        assert h.extract_output_records() == [(("a", TimeDomain.PROCESSING_TIME, 10, 10, 1), None)]
        assert h.operator.next_wakeup() is None


def test_deleted_timers_do_not_fire_and_others_survive_a_new_worker():
    with harness(Timers()) as h:
        for kind in ("event", "processing"):
            for time in (10, 20):
                h.process_element(("a", kind, time))
        h.end_epoch(new_worker=True)
        assert (h.num_event_time_timers(), h.num_processing_time_timers()) == (2, 2)
        h.process_batch([("a", "delete event", 10), ("a", "delete processing", 20)])
        h.end_epoch(new_worker=True)
        h.set_processing_time(50)
        h.process_watermark(MAX_WATERMARK)
        assert [value[1:3] for value in h.extract_output_values()] == [
            (TimeDomain.PROCESSING_TIME, 10),
            (TimeDomain.EVENT_TIME, 20),
        ]
        assert (h.num_event_time_timers(), h.num_processing_time_timers()) == (0, 0)


def test_event_timers_keep_their_timestamps_after_a_batch_without():
    with harness(Timers()) as h:
        h.process_element(("a", "event", 10))
        h.process_watermark(10)
        assert h.extract_output_records()[0].timestamp == 10


def test_time_as_the_function_sees_it():
    class Now(Function):
        def process_element(self, value, ctx):
            service = ctx.timer_service()
            yield service.current_watermark(), service.current_processing_time()

    with harness(Now()) as h:
        h.set_processing_time(500)
        h.process_watermark(7)
        h.process_element(("a",))
        h.end_epoch(new_worker=True)
        h.process_element(("a",))
        assert h.extract_output_values() == [(7, 500), (7, 500)]


class Sides(Function):
    def process_element(self, value, ctx):
        yield value
        yield SIDE, value[1]
        ctx.output(SIDE, -value[1])
        yield "plain", "pair"

    def on_timer(self, timestamp, ctx):
        yield SIDE, "timer"


def test_side_outputs_by_yield_and_by_context():
    with harness(Sides()) as h:
        h.process_batch([("a", 1), ("b", 2)], [5, 6])
        assert h.extract_output_values() == [("a", 1), ("plain", "pair"), ("b", 2), ("plain", "pair")]
        assert sorted(h.extract_side_output(SIDE)) == [-2, -1, 1, 2]
        assert {record.timestamp for record in h.sides["side"][0].records} == {5, 6}


def test_a_context_output_without_a_tag_is_told_so():
    class Wrong(Function):
        def process_element(self, value, ctx):
            ctx.output("side", value)

    with harness(Wrong()) as h, pytest.raises(FlottError, match="OutputTag of the side output"):
        h.process_element(("a", 1))


@pytest.mark.parametrize("stamps", [None, [1, 2, 3]])
def test_the_record_a_function_failed_on_is_named(stamps):
    class Broken(Function):
        def process_element(self, value, ctx):
            yield 1 // value[1]

    with harness(Broken()) as h, pytest.raises(UserFunctionError, match=r"record \('b', 0\)[\s\S]*ZeroDivisionError"):
        h.process_batch([("a", 1), ("b", 0), ("c", 1)], stamps)


def test_the_record_a_key_selector_failed_on_is_named():
    with harness(Sum()) as h, pytest.raises(UserFunctionError, match="record 5"):
        h.process_batch([("a", 1), 5])


def test_a_timer_that_failed_is_named():
    class Broken(Timers):
        def on_timer(self, timestamp, ctx):
            raise ValueError("no")

    with harness(Broken()) as h:
        h.process_element(("a", "event", 10))
        with pytest.raises(UserFunctionError, match="a timer for 10, key 'a'"):
            h.process_watermark(10)


def test_a_key_without_a_canonical_form_is_refused_with_the_right_form():
    message = (
        r"operator '.*key selector <lambda> \(test_keyed_process.py:\d+\): the key of record "
        r"\('a', 1\) is \{'k': 'a'\}, of type dict, .*Return one of its values, or a tuple"
    )
    with harness(Sum(), lambda value: {"k": value[0]}) as h, pytest.raises(StateAccessError, match=message):
        h.process_element(("a", 1))


def test_what_is_wrong_inside_of_a_key_is_named():
    refused = pytest.raises(StateAccessError, match="with something of type complex")
    with harness(Sum(), lambda value: (value[0], 1j)) as h, refused:
        h.process_element(("a", 1))


def test_a_result_that_is_no_list_is_told_with_the_right_form():
    class Returns(Function):
        def process_element(self, value, ctx):
            return 5

    with harness(Returns()) as h, pytest.raises(FlottError, match=r"Returns returned 5 \(int\).*Yield each result"):
        h.process_element(("a", 1))


def test_state_outside_of_a_call_is_an_error():
    with harness(Sum()) as h:
        h.process_element(("a", 1))
        with pytest.raises(StateAccessError, match="no key is set"):
            h.operator.function.total.value()


def test_without_a_key_there_are_no_timers():
    class Registers(Function):
        def open(self, runtime_context):
            pass

        def process_element(self, value, ctx):
            ctx.timer_service().register_event_time_timer(1)

    with OneInputOperatorHarness(Process(Registers())) as h, pytest.raises(StateAccessError, match="key_by"):
        h.process_element("a")


def test_a_process_function_knows_time_and_side_outputs():
    class All(Function):
        def open(self, runtime_context):
            pass

        def process_element(self, value, ctx):
            ctx.output(SIDE, value)
            yield value, ctx.timestamp(), ctx.timer_service().current_watermark()

    with OneInputOperatorHarness(Process(All())) as h:
        h.process_watermark(3)
        h.process_element("a", 5)
        h.end_epoch(new_worker=True)
        h.process_element("b")
        assert h.extract_output_records() == [(("a", 5, 3), 5), (("b", None, 3), None)]
        assert h.extract_side_output(SIDE) == ["a", "b"]


def test_a_process_function_names_the_record_it_failed_on():
    class Broken(Function):
        def open(self, runtime_context):
            pass

        def process_element(self, value, ctx):
            raise KeyError(value)

    with OneInputOperatorHarness(Process(Broken())) as h, pytest.raises(UserFunctionError, match="record 'a'"):
        h.process_batch(["a", "b"], [1, 2])
