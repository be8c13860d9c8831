"""Windows in columns and record by record: whatever comes in, the same comes out, and nothing stays behind."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.runtime.windowing.vectorised.both_ways import (
    InColumns,
    last_results,
    no_nan,
    plan_of,
    row_operator,
    run_by_rows,
    run_in_columns,
    scripts,
    text,
)

from flott.errors import FlottError
from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.windowing.assigners import (
    CumulativeEventTimeWindows,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)
from flott.runtime.windowing.vectorised import local_operator
from flott.runtime.windowing.vectorised.local_operator import LocalAggregate
from flott.runtime.windowing.vectorised.merging_operator import MergingWindowOperator
from flott.runtime.windowing.vectorised.pane_grid import PaneGrid
from flott.testing.harness import KeyedOneInputOperatorHarness, OneInputOperatorHarness

pytestmark = pytest.mark.job

assigners = st.one_of(
    st.builds(lambda size, shift: TumblingEventTimeWindows(size, shift % size), st.integers(1, 12), st.integers(0, 5)),
    st.builds(
        lambda one, other, shift: SlidingEventTimeWindows(max(one, other), min(one, other), shift % min(one, other)),
        st.integers(1, 12),
        st.integers(1, 12),
        st.integers(0, 5),
    ),
    st.builds(
        lambda step, count, shift: CumulativeEventTimeWindows(step * count, step, shift % (step * count)),
        st.integers(1, 5),
        st.integers(1, 4),
        st.integers(0, 9),
    ),
)


@given(assigners, scripts(st.sampled_from(["a", "b", None]), no_nan))
def test_every_result_and_every_late_record_is_the_same(assigner, script):
    by_columns = run_in_columns(plan_of(assigner), script)
    by_rows = run_by_rows(row_operator(assigner), script)
    assert text(by_columns[0]) == text(by_rows[0])
    assert by_columns[1:] == (by_rows[1], 0)


@given(assigners, scripts(st.one_of(st.integers(-2, 2), st.integers(2**62, 2**62 + 2)), no_nan))
def test_whole_numbers_as_keys(assigner, script):
    by_columns = run_in_columns(plan_of(assigner, key_type=pa.int64()), script)
    by_rows = run_by_rows(row_operator(assigner), script)
    assert text(by_columns[0]) == text(by_rows[0])
    assert by_columns[1:] == (by_rows[1], 0)


@given(assigners, st.integers(1, 12), scripts(st.sampled_from("ab"), no_nan))
def test_with_lateness_the_last_result_of_every_window_is_the_same(assigner, lateness, script):
    results, late, left = run_in_columns(plan_of(assigner, lateness), script)
    expected, expected_late, _ = run_by_rows(row_operator(assigner, lateness), script)
    assert text(last_results(results)) == text(last_results(expected))
    # In columns a window fires again once for all late records that come together; else every firing is the same.
    assert set(text(results)) <= set(text(expected))
    assert (late, left) == (expected_late, 0)


@given(assigners, scripts(st.sampled_from("ab")))
def test_what_is_no_number_counts_only_alone(assigner, script):
    results, *_ = run_in_columns(plan_of(assigner), script)
    expected, *_ = run_by_rows(row_operator(assigner), script)
    assert text(results) == text(expected)


@given(assigners, scripts(st.sampled_from("abc"), no_nan), st.integers(1, 5))
def test_however_many_records_are_gathered(assigner, script, bundle):
    whole = text(run_in_columns(plan_of(assigner), script)[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_operator, "BUNDLE", bundle)
        assert text(run_in_columns(plan_of(assigner), script)[0]) == whole


def test_records_of_a_key_and_pane_travel_as_one():
    with InColumns(plan_of(TumblingEventTimeWindows(10, 0))) as both:
        for number in range(1000):
            both.process([("ab"[number % 2], number, 0.5)], [number % 20], columnar=True)
            both.process_watermark(number % 20 - 20)
        assert both.exchange.rows == 0
        both.process_watermark(9)
        assert both.exchange.rows == 2
        both.end_epoch(new_worker=True)
        assert both.exchange.rows == 4


def test_while_the_stream_is_idle_nothing_is_held_back():
    with InColumns(plan_of(TumblingEventTimeWindows(10, 0))) as both:
        both.process([("a", 1, 1.0)], [5], columnar=True)
        both.process_status(False)
        both.process([("a", 2, 1.0)], [5], columnar=True)
        assert both.exchange.rows == 2
        both.end_epoch(new_worker=True)
        both.process([("a", 3, 1.0)], [5], columnar=True)
        assert both.exchange.rows == 3


@pytest.mark.parametrize("parallelism", [1, 2, 3])
def test_rescaling_moves_panes_by_key_group_and_no_window_fires_twice(parallelism):
    assigner = SlidingEventTimeWindows(10, 5, 0)
    plan = plan_of(assigner)
    records = [((f"key-{number % 20}", number, 0.25), number % 12) for number in range(200)]
    operator = MergingWindowOperator(plan)
    before = [KeyedOneInputOperatorHarness(operator, parallelism=2, subtask=i).open() for i in (0, 1)]
    after = [KeyedOneInputOperatorHarness(operator, parallelism=parallelism, subtask=i) for i in range(parallelism)]
    results = []
    for batch in partials(plan, records):
        for target, part in batch.scatter("key", 2, 128):
            before[target].operator.process(part)
    for harness in before:
        harness.process_watermark(4)
        results += harness.extract_output_records()
    snapshots = [harness.snapshot() for harness in before]
    for harness in after:
        harness.restore(*snapshots)
    late = [(("key-3", 7, 0.25), 13)]
    for batch in partials(plan, late):
        for target, part in batch.scatter("key", parallelism, 128):
            after[target].operator.process(part)
    for harness in after:
        if parallelism != 2:  # Only then event time starts anew.
            harness.process_watermark(3)
        harness.process_watermark(MAX_WATERMARK)
        results += harness.extract_output_records()
        assert harness.num_state_entries() == 0
    expected, *_ = run_by_rows(row_operator(assigner), [("records", ([*records, *late], False))])
    assert text(results) == text(expected)
    for harness in (*before, *after):
        harness.close()


def partials(plan, records):
    """What the first half makes of some records."""
    made = []
    harness = OneInputOperatorHarness(LocalAggregate(plan))
    harness.chain.outputs[0].edges = [type("Batches", (), {"add": staticmethod(made.append)})]
    harness.open()
    harness.process_batch([record for record, _ in records], [time for _, time in records])
    harness.operator.finish()
    harness.close()
    return made


def test_a_sum_that_leaves_64_bits_is_an_error_not_another_number():
    with pytest.raises(FlottError, match="does not fit in 64 bits"):
        run_in_columns(
            plan_of(TumblingEventTimeWindows(10, 0)),
            [("records", ([(("a", 2**62, 0.0), 1), (("a", 2**62, 0.0), 2)], True))],
        )


def test_large_sums_of_few_are_no_error_because_of_many_others():
    records = [((key, 2**60, 0.0), 1) for key in "abcdefgh"]
    results, *_ = run_in_columns(plan_of(TumblingEventTimeWindows(10, 0)), [("records", (records, True))])
    assert {record.value[5] for record in results} == {2**60}


def test_a_record_without_a_timestamp_and_a_value_of_another_type_are_named():
    with InColumns(plan_of(TumblingEventTimeWindows(10, 0))) as both:
        with pytest.raises(FlottError, match="needs event time, but record"):
            both.local.process_batch([("a", 1, 0.0)])
        with pytest.raises(FlottError, match=r"field 'whole' holds 1\.5, which is not of its declared type"):
            both.process([("a", 1, 0.0), ("a", 1.5, 0.0)], [1, 2], columnar=False)
        with pytest.raises(FlottError, match="field 'key' holds b'a', which"):
            both.process([(b"a", 1, 0.0)], [1], columnar=False)
        with pytest.raises(FlottError, match=f"field 'whole' holds {2**63}, which"):
            both.process([("a", 2**63, 0.0)], [1], columnar=False)


def test_which_windows_are_made_of_panes():
    assert PaneGrid.fits(SlidingEventTimeWindows(10, 3, 0))
    assert not PaneGrid.fits(SlidingEventTimeWindows(3, 10, 0))
    assert not PaneGrid.fits(SlidingEventTimeWindows(3_600_000, 7, 0))


def test_chunks_that_were_not_read_yet_are_merged_behind_one_that_was():
    assigner = TumblingEventTimeWindows(10, 0)

    def keys(*names):
        return ("records", ([((name, 1, 0.5), 5) for name in names], True))

    script = [keys(*"abcdefgh"), ("epoch", True), keys(*"ijk"), ("epoch", False), keys(*"lmn"), ("epoch", False)]
    by_columns = run_in_columns(plan_of(assigner), script)
    by_rows = run_by_rows(row_operator(assigner), script)
    assert text(by_columns[0]) == text(by_rows[0])
    assert by_columns[1:] == (by_rows[1], 0)
