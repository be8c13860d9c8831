from __future__ import annotations

import pytest

from flott.common.watermark_generators import WatermarkGenerator
from flott.common.watermark_strategy import WatermarkStrategy
from flott.errors import FlottError, UserFunctionError
from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP, Batch
from flott.runtime.clock import ManualClock
from flott.runtime.context import OperatorContext
from flott.runtime.input import Input
from flott.runtime.split_watermarks import SplitWatermarks
from flott.runtime.watermarks import TimestampsAndWatermarks


class Log:
    """An output that writes down what happens, in order."""

    def __init__(self):
        self.events = []

    def emit(self, batch):
        self.events.append(list(batch))

    def emit_side(self, tag, batch):
        raise AssertionError

    def emit_watermark(self, timestamp):
        self.events.append(timestamp)

    def emit_status(self, active):
        self.events.append("active" if active else "idle")

    def take(self):
        events, self.events = self.events, []
        return events


class Punctuated(WatermarkGenerator):
    """A watermark at every record that ends with '!'."""

    def __init__(self):
        self.periodic_calls = 0

    def on_event(self, event, event_timestamp, output):
        if str(event).endswith("!"):
            output.emit_watermark(event_timestamp)

    def on_periodic_emit(self, output):
        self.periodic_calls += 1


def value_is_time(value, _):
    return int(str(value).rstrip("!"))


def context(clock, interval=200):
    return OperatorContext("stamp", "stamp", None, 0, 1, 128, clock, auto_watermark_interval=interval)


def operator(strategy, interval=200):
    clock, log = ManualClock(), Log()
    made = TimestampsAndWatermarks(strategy)
    made.setup(context(clock, interval), log)
    made.open()
    made.restore(None)
    return made, clock, log


BOUNDED = WatermarkStrategy.for_bounded_out_of_orderness(3).with_timestamp_assigner(value_is_time)
ASCENDING = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(value_is_time)
PUNCTUATED = WatermarkStrategy.for_generator(Punctuated).with_timestamp_assigner(value_is_time)


def test_records_first_then_the_watermark():
    op, _, log = operator(BOUNDED)
    op.process(Batch([10, 8, 12]))
    assert log.take() == [[(10, 10), (8, 8), (12, 12)], 12 - 3 - 1]


def test_ascending_watermarks_stay_one_below_the_largest_timestamp():
    op, _, log = operator(ASCENDING)
    op.process(Batch([10, 11]))
    assert log.take()[-1] == 10


def test_a_watermark_is_never_repeated_nor_taken_back():
    op, _, log = operator(ASCENDING)
    op.process(Batch([10]))
    log.take()
    op.process(Batch([7]))
    op.process_time(5)
    assert log.take() == [[(7, 7)]]


def test_a_punctuated_watermark_stands_right_behind_its_record():
    op, _, log = operator(PUNCTUATED)
    op.process(Batch([1, "2!", 3, "5!", 6]))
    assert log.take() == [[(1, 1), ("2!", 2)], 2, [(3, 3), ("5!", 5)], 5, [(6, 6)]]


def test_a_punctuated_watermark_below_the_last_cuts_nothing():
    op, _, log = operator(PUNCTUATED)
    op.process(Batch(["5!", 6, "4!", 7]))
    assert log.take() == [[("5!", 5)], 5, [(6, 6), ("4!", 4), (7, 7)]]


def test_the_assigner_sees_the_old_timestamp():
    seen = []
    strategy = WatermarkStrategy.no_watermarks().with_timestamp_assigner(lambda _, old: seen.append(old) or 1)
    op, _, log = operator(strategy)
    op.process(Batch(["a", "b"], [5, None]))
    op.process(Batch(["c"]))
    assert seen == [5, MIN_TIMESTAMP, MIN_TIMESTAMP]
    assert log.take() == [[("a", 1), ("b", 1)], [("c", 1)]]


def test_without_an_assigner_records_keep_their_timestamps():
    op, _, log = operator(WatermarkStrategy.for_monotonous_timestamps())
    op.process(Batch(["a", "b"], [5, 6]))
    op.process(Batch(["c"]))
    assert log.take() == [[("a", 5), ("b", 6)], 5, [("c", None)]]


def test_upstream_watermarks_and_statuses_end_here_but_the_last_watermark_passes():
    op, _, log = operator(ASCENDING)
    upstream = Input(op)
    upstream.watermark(99)
    upstream.status(False)
    upstream.watermark(MAX_WATERMARK)
    upstream.watermark(MAX_WATERMARK)
    assert log.take() == [MAX_WATERMARK]


def test_interval_zero_means_no_periodic_emission_until_the_end():
    op, _, log = operator(ASCENDING, interval=0)
    op.process(Batch([10]))
    op.process_time(1000)
    assert log.take() == [[(10, 10)]]
    op.finish()
    assert log.take() == [9]


def test_silence_longer_than_the_timeout_is_idleness_and_a_higher_watermark_ends_it():
    op, clock, log = operator(ASCENDING.with_idleness(100))
    clock.advance_to(1000)
    op.process(Batch([10]))
    log.take()
    assert op.next_wakeup() == 1101
    op.process_time(1100)
    assert log.take() == []
    op.process_time(1101)
    op.process_time(5000)
    assert log.take() == ["idle"]
    assert op.next_wakeup() is None
    clock.advance_to(6000)
    op.process(Batch([20]))
    assert log.take() == [[(20, 20)], "active", 19]


def test_a_stream_that_never_had_a_record_becomes_idle_too():
    op, _, log = operator(ASCENDING.with_idleness(100))
    op.process_time(0)
    op.process_time(101)
    assert log.take() == ["idle"]


@pytest.mark.parametrize("strategy", [BOUNDED, PUNCTUATED], ids=["bounded", "user's own"])
def test_time_goes_on_in_another_worker(strategy):
    op, _, log = operator(strategy)
    op.process(Batch([1, "9!"]))
    carried = op.snapshot()
    emitted = log.take()[-1]
    other, _, log = operator(strategy)
    other.restore(carried)
    other.process(Batch([3, "4!"]))
    assert log.take() == [[(3, 3), ("4!", 4)]]
    other.process(Batch(["30!"]))
    assert log.take()[-1] > emitted


def test_what_a_generator_knows_is_carried_over():
    op, _, _ = operator(PUNCTUATED)
    for _ in range(3):
        op.process_time(1)
    other, _, _ = operator(PUNCTUATED)
    other.restore(op.snapshot())
    assert other._run.generator.periodic_calls == 3


def test_an_assigner_that_returns_no_whole_number_is_told_so():
    op, _, _ = operator(ASCENDING.with_timestamp_assigner(lambda value, _: value / 2))
    with pytest.raises(FlottError, match=r"operator 'stamp'.*returned 1\.5 \(float\) for record 3.*milliseconds"):
        op.process(Batch([3]))


def test_the_record_on_which_an_assigner_failed_is_named():
    op, _, _ = operator(ASCENDING)
    with pytest.raises(UserFunctionError, match="record 'oops'"):
        op.process(Batch([1, 2, "oops", 3]))


def test_the_record_on_which_a_generator_failed_is_named():
    class Broken(Punctuated):
        def on_event(self, event, event_timestamp, output):
            return 1 // (event - 2)

    op, _, _ = operator(PUNCTUATED.for_generator(Broken).with_timestamp_assigner(value_is_time))
    with pytest.raises(UserFunctionError, match="record 2"):
        op.process(Batch([1, 2, 3]))


# Splits


def splits(strategy, *names):
    clock, log = ManualClock(), Log()
    made = SplitWatermarks(strategy, context(clock), log)
    for name in names:
        made.add_split(name)
    return made, clock, log


def marks(log):
    return [event for event in log.take() if not isinstance(event, list)]


def test_the_slowest_split_counts():
    source, _, log = splits(ASCENDING, "a", "b")
    source.process("a", Batch([100]))
    assert marks(log) == []
    source.process("b", Batch([10]))
    assert marks(log) == [9]
    source.process("b", Batch([500]))
    assert marks(log) == [99]
    assert source.active_watermarks() == {"a": 99, "b": 499}


def test_an_idle_split_does_not_count_and_all_idle_is_idle():
    source, clock, log = splits(ASCENDING.with_idleness(100), "a", "b")
    source.process("a", Batch([100]))
    clock.advance_to(90)
    source.process("a", Batch([110]))
    clock.advance_to(101)
    source.process_time(101)
    assert marks(log) == [109]
    assert source.next_wakeup() == 191
    source.process_time(191)
    assert marks(log) == ["idle"]
    clock.advance_to(200)
    source.process("b", Batch([500]))
    assert marks(log) == ["active", 499]


def test_a_split_that_returns_behind_holds_time_but_does_not_turn_it_back():
    source, clock, log = splits(ASCENDING.with_idleness(100), "a", "b")
    source.process("a", Batch([100]))
    clock.advance_to(101)
    source.process("a", Batch([200]))
    assert marks(log) == [199]
    source.process("b", Batch([50]))
    source.process("a", Batch([300]))
    assert marks(log) == []
    source.process("b", Batch([250]))
    assert marks(log) == [249]


def test_a_new_split_holds_time_and_a_removed_one_lets_it_go():
    source, _, log = splits(ASCENDING, "a")
    source.process("a", Batch([100]))
    source.add_split("b")
    source.process("a", Batch([200]))
    assert marks(log) == [99]
    source.remove_split("b")
    source.process_time(1)
    assert marks(log) == [199]


def test_a_source_without_splits_becomes_idle_only_with_a_timeout():
    source, _, log = splits(ASCENDING.with_idleness(100))
    source.process_time(0)
    source.process_time(101)
    assert marks(log) == ["idle"]
    source, _, log = splits(ASCENDING)
    source.process_time(0)
    source.process_time(10_000)
    assert marks(log) == []


def test_punctuated_watermarks_of_splits_are_combined_at_once():
    source, _, log = splits(PUNCTUATED, "a", "b")
    source.process("a", Batch(["5!", 6]))
    log.take()
    source.process("b", Batch([1, "3!", 4]))
    assert log.take() == [[(1, 1), ("3!", 3)], 3, [(4, 4)]]


def test_one_split_going_idle_in_the_moment_another_speaks_is_not_idleness_of_all():
    source, clock, log = splits(ASCENDING.with_idleness(100), "b", "a")
    source.process("b", Batch([100]))
    clock.advance_to(101)
    source.process("b", Batch([101]))  # a is idle by now
    assert marks(log) == [100]
    clock.advance_to(202)
    source.process("a", Batch([50]))  # b becomes idle in the same look
    assert marks(log) == []


def test_split_time_goes_on_in_another_worker():
    source, _, log = splits(ASCENDING, "a", "b")
    source.process("a", Batch([100]))
    source.process("b", Batch([10]))
    carried = source.snapshot()
    other, _, log = splits(ASCENDING)
    other.restore(carried)
    other.process("b", Batch([60]))
    assert marks(log) == [59]
    other.process("b", Batch([600]))
    assert marks(log) == [99]


def test_the_end_of_a_bounded_source():
    source, _, log = splits(ASCENDING, "a")
    source.process("a", Batch([100]))
    source.finish()
    source.end_of_time(MAX_WATERMARK)
    assert marks(log) == [99, MAX_WATERMARK]
