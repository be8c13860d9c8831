from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.connectors import index_range
from flott.connectors.index_range import RECORDS_PER_SUBTASK, IndexRangeEnumerator
from flott.connectors.rate_limiter import RateLimiter


def ranges(plan):
    return [[(read.start, read.end) for read in reads] for reads in plan.reads]


def indexes(plan):
    return [[index for read in reads for index in range(read.start, read.end)] for reads in plan.reads]


@given(
    start=st.integers(-50, 50),
    count=st.integers(0, 300),
    epochs=st.lists(st.tuples(st.floats(0.01, 3), st.integers(1, 5)), max_size=40),
)
def test_every_index_is_planned_once_whatever_the_scales_and_rescalings(start, count, epochs):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_range, "RECORDS_PER_SUBTASK", 10)
        stop = start + count
        planned = []
        enumerator = IndexRangeEnumerator(start, stop, 1)
        for scale, parallelism in [*epochs, *[(3.0, 2)] * (count + 1)]:
            state = enumerator.snapshot()
            enumerator = IndexRangeEnumerator(start, stop, parallelism)
            enumerator.restore(state)
            plan = enumerator.plan(scale, 0)
            epoch = indexes(plan)
            sizes = [len(part) for part in epoch]
            assert max(sizes) - min(sizes) <= 1
            planned += sorted(index for part in epoch for index in part)
            assert plan.empty == (not any(sizes))
            assert plan.backlog == (not plan.ended)
            if plan.ended:
                break
        assert planned == list(range(start, stop))


def test_each_subtask_sees_ascending_indexes():
    enumerator = IndexRangeEnumerator(0, 1_000_000, 3)
    seen = [[], [], []]
    for _ in range(4):
        for subtask, part in enumerate(indexes(enumerator.plan(0.01, 0))):
            seen[subtask] += part
    assert all(part == sorted(part) and part for part in seen)


def test_the_amount_follows_the_scale():
    assert ranges(IndexRangeEnumerator(0, None, 1).plan(1.0, 0)) == [[(0, RECORDS_PER_SUBTASK)]]
    assert ranges(IndexRangeEnumerator(0, None, 1).plan(2.5, 0)) == [[(0, int(2.5 * RECORDS_PER_SUBTASK))]]
    assert ranges(IndexRangeEnumerator(0, None, 2).plan(1e-9, 0)) == [[(0, 1)], [(1, 2)]]


def test_a_trickle_reaches_every_subtask_in_turn():
    enumerator = IndexRangeEnumerator(0, None, 3, RateLimiter(1))
    turns = []
    for second in range(6):
        plan = enumerator.plan(1.0, second * 1000)
        turns += [subtask for subtask, part in enumerate(indexes(plan)) if part]
        # The others have nothing to read, and still say so: their splits are alive.
        assert all(len(reads) == 1 for reads in plan.reads)
    assert turns == [0, 1, 2, 0, 1, 2]


def test_the_splits_end_together_and_are_not_named_again():
    enumerator = IndexRangeEnumerator(0, 3, 2)
    last = enumerator.plan(1.0, 0)
    assert [read.ended for reads in last.reads for read in reads] == [True, True]
    after = enumerator.plan(1.0, 0)
    assert after.reads == ((), ())
    assert (after.empty, after.ended, after.backlog) == (True, True, False)


def test_nothing_at_all_ends_at_once():
    plan = IndexRangeEnumerator(7, 7, 2).plan(1.0, 0)
    assert (plan.empty, plan.ended, plan.reads) == (True, True, ((), ()))


def test_a_limited_source_says_when_to_look_again():
    enumerator = IndexRangeEnumerator(0, None, 1, RateLimiter(10))
    assert enumerator.plan(1.0, 5000).look_again == 5100
    early = enumerator.plan(1.0, 5050)
    assert (early.empty, early.backlog, early.look_again) == (True, False, 5100)
    late = enumerator.plan(1.0, 5399)
    assert ranges(late) == [[(1, 4)]]
    assert (late.empty, late.backlog, late.look_again) == (False, False, 5400)


def test_what_a_slow_job_left_is_a_backlog():
    enumerator = IndexRangeEnumerator(0, None, 1, RateLimiter(RECORDS_PER_SUBTASK * 10))
    enumerator.plan(1.0, 0)
    plan = enumerator.plan(1.0, 1000)
    assert ranges(plan) == [[(1, RECORDS_PER_SUBTASK + 1)]]
    assert (plan.backlog, plan.look_again) == (True, None)


def test_a_restored_source_does_not_make_up_for_the_time_it_was_down():
    enumerator = IndexRangeEnumerator(0, None, 1, RateLimiter(10))
    enumerator.plan(1.0, 0)
    enumerator.plan(1.0, 1000)
    state = enumerator.snapshot()
    enumerator.restore(state)
    assert ranges(enumerator.plan(1.0, 3_600_000)) == [[(11, 12)]]
    assert ranges(enumerator.plan(1.0, 3_601_000)) == [[(12, 22)]]
