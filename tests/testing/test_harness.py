from __future__ import annotations

import pytest

from flott.datastream.state import ValueStateDescriptor
from flott.runtime.combined_watermark import CombinedWatermark
from flott.runtime.keys import groups_of_subtask, key_group_of
from flott.runtime.operator import MultiInputOperator
from flott.runtime.watermarks import TimestampsAndWatermarks
from flott.testing.harness import KeyedOneInputOperatorHarness, OneInputOperatorHarness, TwoInputOperatorHarness
from flott.testing.recorder import Record, Status, Watermark


class Totals:
    """Counts for each key, and says the count again at a timer."""

    def open(self, runtime_context):
        self.total = runtime_context.get_state(ValueStateDescriptor("total"))

    def close(self):
        pass

    def process_element(self, value, ctx):
        self.total.update((self.total.value() or 0) + 1)
        ctx.timer_service().register_event_time_timer(100)
        ctx.timer_service().register_processing_time_timer(50)
        yield value, self.total.value()

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), self.total.value(), timestamp


def make(parallelism=1, subtask=0):
    return KeyedOneInputOperatorHarness.for_keyed_process_function(
        Totals(), lambda value: value, parallelism=parallelism, subtask=subtask
    )


KEYS = [f"key {number}" for number in range(20)]


def test_records_watermarks_and_statuses_come_out_in_order():
    with make() as h:
        h.process_element("a", 5)
        h.process_watermark(7)
        h.process_status(False)
        assert h.main.events == [Record(("a", 1), 5), Watermark(7), Status(False)]
        assert h.extract_output_records() == [Record(("a", 1), 5)]
        assert h.extract_watermarks() == [7]
        h.clear_output()
        assert h.extract_output_values() == []


def test_time_moves_only_when_told():
    with make() as h:
        h.process_element("a")
        h.set_processing_time(49)
        assert len(h.extract_output_values()) == 1
        h.set_processing_time(50)
        assert h.extract_output_values()[-1] == ("a", 1, 50)


def test_timers_and_state_can_be_counted():
    with make() as h:
        h.process_batch(["a", "b", "a"])
        assert (h.num_event_time_timers(), h.num_processing_time_timers()) == (2, 2)
        assert h.num_state_entries() == 2 + 4


def test_a_snapshot_goes_on_in_another_harness():
    with make() as h:
        h.process_batch(["a", "a", "b"])
        h.process_watermark(60)
        snapshot = h.snapshot()
        h.process_element("a")
    with make().restore(snapshot) as h:
        h.process_element("a")
        assert h.operator.timers.current_watermark() == 60
        h.process_watermark(100)
        assert sorted(h.extract_output_values()) == [("a", 3), ("a", 3, 100), ("b", 1, 100)]


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 1), (2, 3), (3, 4)])
def test_a_snapshot_goes_on_in_any_parallelism(before, after):
    def owner(key, parallelism):
        group = key_group_of(key, 128)
        return next(subtask for subtask in range(parallelism) if group in groups_of_subtask(subtask, parallelism, 128))

    snapshots = []
    for subtask in range(before):
        with make(before, subtask) as h:
            h.process_batch([key for key in KEYS if owner(key, before) == subtask])
            snapshots.append(h.snapshot())
    fired = []
    for subtask in range(after):
        with make(after, subtask).restore(*snapshots) as h:
            h.process_watermark(100)
            fired += h.extract_output_values()
            assert all(owner(key, after) == subtask for key, _, _ in h.extract_output_values())
    assert sorted(fired) == sorted((key, 1, 100) for key in KEYS)


def test_restoring_comes_first():
    with make() as h:
        snapshot = h.snapshot()
        h.process_element("a")
        with pytest.raises(RuntimeError, match="before its first step"):
            h.restore(snapshot)


def test_a_new_worker_knows_only_what_was_kept():
    with make() as h:
        h.process_element("a")
        first = h.operator
        h.end_epoch(new_worker=True)
        assert h.operator is not first
        h.process_element("a")
        assert h.extract_output_values() == [("a", 1), ("a", 2)]


def test_an_operator_without_keys():
    from flott.common.watermark_strategy import WatermarkStrategy

    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda value, _: value)
    with OneInputOperatorHarness(TimestampsAndWatermarks(strategy)) as h:
        h.process_batch([3, 5])
        assert h.main.events == [Record(3, 3), Record(5, 5), Watermark(4)]


class Both(MultiInputOperator):
    """Hands on both inputs, and the slower one's time."""

    def open(self):
        self.time = CombinedWatermark((0, 1))

    def process_input(self, index, batch):
        self.output.emit(batch)

    def on_input_watermark(self, index, timestamp):
        return self.time.update(index, timestamp)

    def on_input_status(self, index, active):
        return self.time.update_status(index, active)


def test_two_inputs():
    with TwoInputOperatorHarness(Both()) as h:
        h.process_element1("left", 1)
        h.process_element2("right", 2)
        h.process_watermark1(9)
        h.process_watermark2(5)
        h.process_status2(False)
        h.process_status1(False)
        assert h.main.events == [
            Record("left", 1),
            Record("right", 2),
            Watermark(5),
            Watermark(9),
            Status(False),
        ]
