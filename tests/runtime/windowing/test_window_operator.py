"""What transcripts can't say: functions with state, user-written parts, errors."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from flott.datastream.state import (
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)
from flott.errors import FlottError, GraphError, StateAccessError, UserFunctionError
from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.output_tag import OutputTag
from flott.runtime.windowing.assigner import MergingWindowAssigner, WindowAssigner
from flott.runtime.windowing.assigners import (
    CumulativeEventTimeWindows,
    GlobalWindows,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
    WindowStagger,
)
from flott.runtime.windowing.count_assigners import CountSlidingWindowAssigner, CountTumblingWindowAssigner
from flott.runtime.windowing.evictors import Evictor
from flott.runtime.windowing.session_assigners import EventTimeSessionWindows
from flott.runtime.windowing.spec import WindowSpec
from flott.runtime.windowing.trigger import Trigger, TriggerResult
from flott.runtime.windowing.triggers import CountTrigger, DeltaTrigger, EventTimeTrigger, NeverTrigger, PurgingTrigger
from flott.runtime.windowing.windows import TimeWindow, Window
from flott.testing.harness import KeyedOneInputOperatorHarness
from flott.testing.transcripts import Mean, Sum, SumRecords, key_of


class Function:
    def open(self, runtime_context):
        pass

    def close(self):
        pass


class Process(Function):
    def clear(self, context):
        pass


def harness(assigner, trigger=None, **options):
    spec = WindowSpec(assigner, trigger or assigner.get_default_trigger(None), **options)
    return KeyedOneInputOperatorHarness(spec.operator(key_of))


TEN = TumblingEventTimeWindows.of(10)


# Functions


def test_a_window_function_sees_key_window_and_records():
    class Apply(Function):
        def apply(self, key, window, inputs):
            return [(key, window, inputs)]

    with harness(TEN, function=Apply()) as h:
        h.process_batch([("a", 1), ("a", 2)], [1, 2])
        h.process_watermark(9)
        assert h.extract_output_records() == [(("a", TimeWindow(0, 10), [("a", 1), ("a", 2)]), 9)]


def test_a_window_function_after_aggregation_sees_the_one_result():
    class Apply(Function):
        def apply(self, key, window, inputs):
            yield key, list(inputs)

    with harness(TEN, function=Apply(), aggregate=Mean()) as h:
        h.process_batch([("a", 1), ("a", 2)], [1, 2])
        h.process_watermark(9)
        assert h.extract_output_values() == [("a", [1.5])]


def test_functions_over_all_records_get_no_key():
    class Apply(Function):
        def apply(self, window, inputs):
            yield window.end, sum(value for _, value in inputs)

    class ProcessAll(Process):
        def process(self, context, elements):
            yield context.window().end, len(elements)

    for function, result in ((Apply(), (10, 3)), (ProcessAll(), (10, 2))):
        with harness(TEN, function=function, over_all=True) as h:
            h.process_batch([("a", 1), ("a", 2)], [1, 2])
            h.process_watermark(9)
            assert h.extract_output_values() == [result]


def test_a_process_function_knows_the_time():
    class Times(Process):
        def process(self, key, context, elements):
            yield context.current_watermark(), context.current_processing_time()

    with harness(TEN, function=Times()) as h:
        h.set_processing_time(77)
        h.process_element(("a", 1), 1)
        h.process_watermark(12)
        assert h.extract_output_values() == [(12, 77)]


class Stateful(Process):
    """Counts the firings of each window, and of all windows of a key."""

    FIRED = ValueStateDescriptor("fired")
    CLEARED = ListStateDescriptor("cleared")

    def process(self, key, context, elements):
        mine, all_of_key = context.window_state().get_state(self.FIRED), context.global_state().get_state(self.FIRED)
        mine.update((mine.value() or 0) + 1)
        all_of_key.update((all_of_key.value() or 0) + 1)
        yield context.window().start, mine.value(), all_of_key.value()

    def clear(self, context):
        context.window_state().get_state(self.FIRED).clear()
        context.global_state().get_list_state(self.CLEARED).add(context.window().start)


def test_state_of_a_window_and_of_its_key_are_apart_and_survive():
    with harness(TEN, function=Stateful(), allowed_lateness=5) as h:
        h.process_batch([("a", 1), ("a", 1), ("b", 1)], [1, 11, 1])
        h.process_watermark(9)
        h.end_epoch(new_worker=True)
        h.process_element(("a", 1), 2)
        h.process_watermark(19)
        assert [value for value in h.extract_output_values() if value[2]] == [
            (0, 1, 1),
            (0, 1, 1),
            (0, 2, 2),
            (10, 1, 3),
        ]


def test_clear_is_called_when_the_window_is_gone_and_leaves_only_the_state_of_the_key():
    with harness(TEN, function=Stateful(), allowed_lateness=5) as h:
        h.process_element(("a", 1), 1)
        h.process_watermark(14)
        assert h.num_event_time_timers() == 0
        assert h.num_state_entries() == 2  # what the key fired, and the list of windows that were cleared


def test_other_kinds_of_window_state():
    class Kinds(Process):
        def process(self, key, context, elements):
            state = context.window_state()
            numbers = state.get_list_state(ListStateDescriptor("list"))
            numbers.add(len(elements))
            by_name = state.get_map_state(MapStateDescriptor("map"))
            by_name.put(len(elements), True)
            total = state.get_reducing_state(ReducingStateDescriptor("sum", lambda a, b: a + b))
            total.add(len(elements))
            yield list(numbers.get()), sorted(by_name.keys()), total.get()

    with harness(TEN, function=Kinds(), allowed_lateness=50) as h:
        h.process_element(("a", 1), 1)
        h.process_watermark(9)
        h.end_epoch(new_worker=True)
        h.process_element(("a", 1), 1)
        assert h.extract_output_values() == [([1], [1], 1), ([1, 2], [1, 2], 3)]


def test_a_session_has_no_state_of_its_own():
    with harness(EventTimeSessionWindows.with_gap(10), function=Stateful()) as h:
        h.process_element(("a", 1), 1)
        with pytest.raises(StateAccessError, match=r"context\.global_state"):
            h.process_watermark(MAX_WATERMARK)


def test_a_window_function_may_yield_to_side_outputs():
    side = OutputTag("big")

    class Sides(Process):
        def process(self, key, context, elements):
            yield len(elements)
            yield side, key

    with harness(TEN, function=Sides()) as h:
        h.process_element(("a", 1), 1)
        h.process_watermark(9)
        assert (h.extract_output_values(), h.extract_side_output("big")) == ([1], ["a"])


# User-written parts


class SumTrigger(Trigger):
    """Fires and empties the window when the sum of its values reaches ten."""

    SUM = ReducingStateDescriptor("sum", lambda a, b: a + b)

    def on_element(self, element, timestamp, window, ctx):
        total = ctx.get_partitioned_state(self.SUM)
        total.add(element[1])
        if total.get() >= 10:
            total.clear()
            return TriggerResult.FIRE_AND_PURGE
        return TriggerResult.CONTINUE

    def on_processing_time(self, time, window, ctx):
        return TriggerResult.CONTINUE

    def on_event_time(self, time, window, ctx):
        return TriggerResult.CONTINUE

    def can_merge(self):
        return True

    def on_merge(self, window, ctx):
        ctx.merge_partitioned_state(self.SUM)

    def clear(self, window, ctx):
        ctx.get_partitioned_state(self.SUM).clear()


def test_a_trigger_of_ones_own():
    with harness(GlobalWindows.create(), SumTrigger(), aggregate=Sum()) as h:
        for value in (4, 5, 3, 9, 1):
            h.process_element(("a", value))
            h.end_epoch(new_worker=True)
        assert h.extract_output_values() == [12, 10]


def test_a_trigger_of_ones_own_merges_its_state():
    with harness(EventTimeSessionWindows.with_gap(10), SumTrigger(), aggregate=Sum()) as h:
        for value, time in ((4, 0), (5, 15), (1, 8)):
            h.process_element(("a", value), time)
            h.end_epoch(new_worker=True)
        assert h.extract_output_values() == [10]
        h.process_watermark(MAX_WATERMARK)
        assert h.num_state_entries() == 0


def test_a_state_that_can_not_be_merged_is_told_so():
    class Wrong(SumTrigger):
        def on_merge(self, window, ctx):
            ctx.merge_partitioned_state(ValueStateDescriptor("last"))

    with harness(EventTimeSessionWindows.with_gap(10), Wrong(), aggregate=Sum()) as h:
        h.process_element(("a", 1), 0)
        with pytest.raises(StateAccessError, match="list, reducing or aggregating"):
            h.process_element(("a", 1), 5)


@dataclass(frozen=True, order=True)
class Letters(Window):
    """A window of a kind that Flott does not know."""

    first: str

    def max_timestamp(self):
        return 100


class ByLetter(WindowAssigner):
    def assign_windows(self, element, timestamp, context):
        return [Letters(element[1][0])]

    def get_default_trigger(self, env):
        return EventTimeTrigger()

    def is_event_time(self):
        return True


def test_an_assigner_with_windows_of_ones_own_kind():
    class First(Process):
        def process(self, key, context, elements):
            yield context.window().first, [word for _, word in elements]

    with harness(ByLetter(), function=First()) as h:
        for word in ("ant", "bee", "asp"):
            h.process_element(("k", word), 1)
            h.end_epoch(new_worker=True)
        h.process_watermark(100)
        assert sorted(h.extract_output_values()) == [("a", ["ant", "asp"]), ("b", ["bee"])]
        assert h.num_state_entries() == 0


class Growing(MergingWindowAssigner):
    """Windows of a key grow together when they share a tenth."""

    def assign_windows(self, element, timestamp, context):
        return [TimeWindow(timestamp, timestamp + 1)]

    def merge_windows(self, windows, callback):
        tens = {}
        for window in windows:
            tens.setdefault(window.start // 10, []).append(window)
        for group in tens.values():
            if len(group) > 1:
                callback.merge(set(group), TimeWindow(min(w.start for w in group), max(w.end for w in group)))

    def get_default_trigger(self, env):
        return EventTimeTrigger()

    def is_event_time(self):
        return True


def test_a_merging_assigner_of_ones_own():
    with harness(Growing(), aggregate=Sum()) as h:
        for value, time in ((1, 3), (2, 14), (4, 7), (8, 11), (16, 5)):
            h.process_element(("a", value), time)
        h.process_watermark(MAX_WATERMARK)
        assert h.extract_output_records() == [(21, 7), (10, 14)]
        assert h.num_state_entries() == 0


def test_a_merging_assigner_that_shortens_windows_is_told_so():
    class Shrinking(Growing):
        def merge_windows(self, windows, callback):
            if len(list(windows)) > 1:
                callback.merge(list(windows), TimeWindow(0, 1))

    with harness(Shrinking(), aggregate=Sum()) as h:
        h.process_element(("a", 1), 13)
        h.process_watermark(12)
        with pytest.raises(FlottError, match="is over already"):
            h.process_element(("a", 1), 14)


def test_an_evictor_of_ones_own():
    class Odd(Evictor):
        def evict_before(self, elements, size, window, evictor_context):
            assert size == len(elements)
            elements[:] = [element for element in elements if element.value[1] % 2]

        def evict_after(self, elements, size, window, evictor_context):
            assert (size, evictor_context.get_current_watermark()) == (2, 9)

    with harness(TEN, evictor=Odd(), aggregate=Sum()) as h:
        h.process_batch([("a", 1), ("a", 2), ("a", 3)], [1, 2, 3])
        h.process_watermark(9)
        assert h.extract_output_values() == [4]


# Stagger


def staggered(stagger, subtask=0):
    assigner = TumblingProcessingTimeWindows.of(1000, None, stagger)
    spec = WindowSpec(assigner, assigner.get_default_trigger(None), aggregate=Sum())
    return KeyedOneInputOperatorHarness(spec.operator(key_of), parallelism=4, subtask=subtask)


def test_natural_stagger_starts_windows_where_the_first_record_came_and_keeps_to_it():
    with staggered(WindowStagger.NATURAL) as h:
        h.set_processing_time(2300)
        h.process_element(("a", 1))
        h.end_epoch(new_worker=True)
        h.set_processing_time(3200)
        h.process_element(("a", 1))
        h.set_processing_time(3300)
        h.process_element(("a", 5))
        h.set_processing_time(9000)
        assert h.extract_output_records() == [(2, 3299), (5, 4299)]


def test_random_stagger_differs_between_subtasks_and_not_between_runs():
    offsets = []
    for subtask in (0, 1, 2, 0):
        with staggered(WindowStagger.RANDOM, subtask) as h:
            h.process_element(("a", 1))
            offsets.append(h.operator.assigner.stagger_offset)
    assert offsets[0] == offsets[3]
    assert len(set(offsets)) == 3
    assert all(0 <= offset < 1000 for offset in offsets)


# Errors


@pytest.mark.parametrize(
    "assigner",
    [TEN, SlidingEventTimeWindows.of(10, 5), CumulativeEventTimeWindows.of(10, 5), EventTimeSessionWindows.with_gap(5)],
    ids=repr,
)
@pytest.mark.parametrize("functions", [{"aggregate": Sum()}, {"reduce": SumRecords()}, {"function": Stateful()}])
@pytest.mark.parametrize("stamps", [None, [1, None]])
def test_a_record_without_a_timestamp_is_told_what_to_do(assigner, functions, stamps):
    with harness(assigner, **functions) as h, pytest.raises(FlottError, match="assign_timestamps_and_watermarks"):
        h.process_batch([("a", 1), ("a", 2)], stamps)


def test_a_trigger_that_can_not_merge_is_refused_with_sessions():
    for trigger in (NeverTrigger(), DeltaTrigger.of(1, max), PurgingTrigger.of(NeverTrigger())):
        with pytest.raises(GraphError, match="can_merge"):
            WindowSpec(EventTimeSessionWindows.with_gap(5), trigger, aggregate=Sum())


def test_a_spec_that_makes_no_sense_is_refused():
    with pytest.raises(GraphError, match="0 ms or more"):
        WindowSpec(TEN, EventTimeTrigger(), aggregate=Sum(), allowed_lateness=-1)
    with pytest.raises(GraphError, match="not both"):
        WindowSpec(TEN, EventTimeTrigger(), aggregate=Sum(), reduce=SumRecords())


@pytest.mark.parametrize(
    "make",
    [
        lambda: TumblingEventTimeWindows.of(0),
        lambda: TumblingEventTimeWindows.of(10, 10),
        lambda: TumblingProcessingTimeWindows.of(10, -10),
        lambda: SlidingEventTimeWindows.of(10, 0),
        lambda: SlidingEventTimeWindows.of(10, 5, 5),
        lambda: CumulativeEventTimeWindows.of(10, 3),
        lambda: EventTimeSessionWindows.with_gap(0),
        lambda: CountTumblingWindowAssigner.of(0),
        lambda: CountSlidingWindowAssigner.of(3, 0),
    ],
)
def test_windows_that_are_not_possible_are_refused(make):
    with pytest.raises(ValueError, match=r"or more|multiple"):
        make()


def test_a_gap_that_is_no_gap_is_refused():
    assigner = EventTimeSessionWindows.with_dynamic_gap(lambda record: record[1])
    with harness(assigner, aggregate=Sum()) as h, pytest.raises(FlottError, match="returned 0 for record"):
        h.process_element(("a", 0), 1)


def test_the_record_an_aggregate_failed_on_is_named():
    for trigger in (EventTimeTrigger(), PurgingTrigger.of(EventTimeTrigger())):
        with harness(TEN, trigger, aggregate=Sum()) as h, pytest.raises(UserFunctionError, match=r"\('a', 'x'\)"):
            h.process_batch([("a", 1), ("a", "x"), ("a", 2)], [1, 2, 3])


def test_the_window_a_function_failed_on_is_named():
    class Broken(Process):
        def process(self, key, context, elements):
            raise ValueError("no")

    with harness(TEN, function=Broken()) as h:
        h.process_element(("a", 1), 1)
        with pytest.raises(UserFunctionError, match=r"key 'a', TimeWindow\(start=0, end=10\)"):
            h.process_watermark(9)


def test_a_function_that_returns_no_list_is_told_so():
    class Wrong(Function):
        def apply(self, key, window, inputs):
            return 5

    with harness(TEN, function=Wrong()) as h:
        h.process_element(("a", 1), 1)
        with pytest.raises(FlottError, match=r"Wrong returned 5 \(int\)"):
            h.process_watermark(9)


def test_an_unhashable_key_is_told_with_the_right_form():
    spec = WindowSpec(TEN, EventTimeTrigger(), aggregate=Sum())
    with (
        KeyedOneInputOperatorHarness(spec.operator(lambda record: {"k": record[0]})) as h,
        pytest.raises(StateAccessError, match="of type dict"),
    ):
        h.process_element(("a", 1), 1)


def test_functions_are_opened_and_closed():
    calls = []

    class Opened(Process):
        def open(self, runtime_context):
            calls.append(runtime_context.get_index_of_this_subtask())

        def close(self):
            calls.append("closed")

        def process(self, key, context, elements):
            yield 1

    spec = WindowSpec(TEN, EventTimeTrigger(), function=Opened())
    operator = spec.operator(key_of)
    h = KeyedOneInputOperatorHarness(operator)
    h.chain.head.spec.function.open = lambda context: calls.append(context.get_index_of_this_subtask())
    h.chain.head.spec.function.close = lambda: calls.append("closed")
    h.open()
    h.close()
    assert calls == [0, "closed"]


def test_a_count_trigger_leaves_no_count_behind():
    with harness(TEN, CountTrigger.of(5), aggregate=Sum()) as h:
        h.process_element(("a", 1), 1)
        h.process_watermark(9)
        assert h.num_state_entries() == 0
