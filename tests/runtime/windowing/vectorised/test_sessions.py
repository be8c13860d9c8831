"""Sessions in columns and record by record: the same comes out, whatever is late, bridged or fires again."""

from __future__ import annotations

from dataclasses import replace

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

from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.windowing.session_assigners import EventTimeSessionWindows
from flott.runtime.windowing.vectorised import local_operator
from flott.runtime.windowing.vectorised.merging_sessions import MergingSessionOperator
from flott.testing.harness import KeyedOneInputOperatorHarness

pytestmark = pytest.mark.job

gaps = st.integers(1, 14).map(EventTimeSessionWindows)
# A record at the very next moment after a watermark counts as come before it: times are even and so are watermarks.
even = st.integers(-20, 20).map(lambda number: 2 * number)


def scripts_of(keys, parts=no_nan):
    return scripts(keys, parts, times=even, marks=even)


@given(gaps, scripts_of(st.sampled_from(["a", "b", None])))
def test_every_result_and_every_late_record_is_the_same(assigner, script):
    by_columns = run_in_columns(plan_of(assigner), script)
    by_rows = run_by_rows(row_operator(assigner), script)
    assert text(by_columns[0]) == text(by_rows[0])
    assert by_columns[1:] == (by_rows[1], 0)


@given(gaps, scripts_of(st.one_of(st.integers(-2, 2), st.integers(2**62, 2**62 + 2))))
def test_whole_numbers_as_keys(assigner, script):
    by_columns = run_in_columns(plan_of(assigner, key_type=pa.int64()), script)
    by_rows = run_by_rows(row_operator(assigner), script)
    assert text(by_columns[0]) == text(by_rows[0])
    assert by_columns[1:] == (by_rows[1], 0)


@given(gaps, st.integers(1, 20), scripts_of(st.sampled_from("ab")))
def test_with_lateness_every_firing_is_the_same(assigner, lateness, script):
    results, late, left = run_in_columns(plan_of(assigner, lateness), script)
    expected, expected_late, _ = run_by_rows(row_operator(assigner, lateness), script)
    assert text(last_results(results)) == text(last_results(expected))
    assert text(results) == text(expected)
    assert (late, left) == (expected_late, 0)


@given(gaps, scripts_of(st.sampled_from("abc")), st.integers(1, 5))
def test_however_many_records_are_gathered(assigner, script, bundle):
    whole = text(run_in_columns(plan_of(assigner), script)[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_operator, "BUNDLE", bundle)
        assert text(run_in_columns(plan_of(assigner), script)[0]) == whole


def test_records_that_belong_together_travel_as_one_and_the_watermark_waits_with_them():
    with InColumns(plan_of(EventTimeSessionWindows(10))) as both:
        for number in range(1000):
            both.process([("ab"[number % 2], number, 0.5)], [number], columnar=True)
            both.process_watermark(number - 20)
        assert both.exchange.rows == 0
        both.end_epoch(new_worker=True)
        assert both.exchange.rows == 2
        assert both.merging.operator._watermark == 979


def test_a_field_of_the_first_record_survives_the_change_of_the_worker():
    plan = plan_of(EventTimeSessionWindows(10))
    plan = replace(plan, outputs=(*plan.outputs, ("first whole", ("first", "whole"))))
    with InColumns(plan) as both:
        for time in (0, 5, 8):
            # Keys of several key groups: what each of them has stored is read and put together.
            both.process([(key, time + 1, 0.5) for key in "abcdef"], [time] * 6, columnar=True)
            both.end_epoch(new_worker=True)
        both.process_watermark(MAX_WATERMARK)
        found = [(*record.value[:4], record.value[-1]) for record in both.outcome()[0]]
    assert sorted(found) == [(key, 0, 18, 3, 1) for key in "abcdef"]


def test_a_record_right_after_the_watermark_still_extends_the_session_that_ends_there():
    with InColumns(plan_of(EventTimeSessionWindows(10))) as both:
        both.process([("a", 1, 0.5)], [0], columnar=True)
        both.process_watermark(9)
        both.process([("a", 2, 0.5)], [10], columnar=True)
        both.process_watermark(MAX_WATERMARK)
        assert [record.value[:4] for record in both.outcome()[0]] == [("a", 0, 20, 2)]


def test_a_late_record_between_two_sessions_makes_them_one_and_it_fires_again():
    with InColumns(plan_of(EventTimeSessionWindows(10), lateness=50)) as both:
        both.process([("a", 1, 0.5), ("a", 2, 0.5)], [0, 14], columnar=True)
        both.process_watermark(30)
        both.end_epoch(new_worker=True)
        both.process([("a", 4, 0.5)], [7], columnar=True)
        both.process_watermark(31)
        found = [(*record.value[:4], record.value[5]) for record in both.outcome()[0]]
        assert found == [("a", 0, 10, 1, 1), ("a", 14, 24, 1, 2), ("a", 0, 24, 3, 7)]


def test_while_the_stream_is_idle_nothing_is_held_back():
    with InColumns(plan_of(EventTimeSessionWindows(10))) as both:
        both.process([("a", 1, 1.0)], [5], columnar=True)
        both.process_status(False)
        both.process([("a", 2, 1.0)], [5], columnar=True)
        assert both.exchange.rows == 2


def test_few_chunks_however_many_epochs_and_only_keys_that_are_touched_are_written():
    with InColumns(plan_of(EventTimeSessionWindows(1_000))) as both:
        keys = [f"key-{number}" for number in range(1_000)]
        both.process([(key, 1, 0.5) for key in keys], [0] * len(keys), columnar=True)
        both.end_epoch(new_worker=False)
        chunks = both.merging.operator._chunks
        for epoch in range(1, 60):
            both.process([(keys[epoch], 1, 0.5), (keys[-epoch], 1, 0.5)], [epoch, epoch], columnar=True)
            both.end_epoch(new_worker=epoch % 10 == 0)
            chunks = both.merging.operator._chunks
            assert len(chunks._chunks) <= 10
            assert len(chunks._chunks[0].marks) in {0, 1_000}
        both.process_watermark(1_030)
        results, _, entries = both.outcome()
        assert len(results) == 1_000 - 2 * 28
        assert entries > 0
        both.process_watermark(MAX_WATERMARK)
        both.end_epoch(new_worker=True)
        results, late, entries = both.outcome()
        assert (len(results), late, entries) == (1_000, 0, 0)
        assert sum(record.value[3] for record in results) == 1_000 + 2 * 59


@pytest.mark.parametrize("parallelism", [1, 2, 3])
def test_rescaling_moves_sessions_by_key_group_and_none_fires_twice(parallelism):
    plan = plan_of(EventTimeSessionWindows(10), lateness=100)
    records = [(f"key-{number % 20}", number, 0.25) for number in range(200)]
    before = [KeyedOneInputOperatorHarness(MergingSessionOperator(plan), parallelism=2, subtask=i) for i in (0, 1)]
    after = [
        KeyedOneInputOperatorHarness(MergingSessionOperator(plan), parallelism=parallelism, subtask=i)
        for i in range(parallelism)
    ]
    results = []
    with InColumns(plan) as both:
        made = []
        both.local.chain.outputs[0].edges = [type("Batches", (), {"add": staticmethod(made.append)})]
        both.process(records, [number % 13 for number in range(200)], columnar=True)
        both.local.operator.finish()
    for harness in before:
        harness.open()
        for batch in made:
            for target, part in batch.scatter("key", 2, 128):
                if target == harness.subtask:
                    harness.operator.process(part)
        harness.process_watermark(30)
        results += harness.extract_output_records()
    assert len(results) == 20
    snapshots = [harness.snapshot() for harness in before]
    for harness in after:
        harness.restore(*snapshots)
        harness.process_watermark(40)
        assert harness.extract_output_records() == []
        harness.process_watermark(MAX_WATERMARK)
        assert harness.extract_output_records() == []
        assert harness.num_state_entries() == 0
    for harness in (*before, *after):
        harness.close()
