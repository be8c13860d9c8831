from __future__ import annotations

import pytest

from flott.runtime.state.prefetch import PrefetchPolicy


def batch(policy, size, misses, *, read=None):
    """Let a batch come; returns whether it was prefetched."""
    prefetched = policy.begin_batch(size)
    if prefetched:
        policy.fetched(size if read is None else read)
    policy.misses = misses
    return prefetched


def test_a_batch_is_prefetched_if_half_of_the_one_before_missed():
    policy = PrefetchPolicy()
    assert not batch(policy, 100, misses=49)
    assert not batch(policy, 100, misses=50)
    assert batch(policy, 100, misses=0)


def test_small_batches_are_not_prefetched():
    policy = PrefetchPolicy(prefetch_left=1_000)
    assert [batch(policy, size, misses=0) for size in (63, 64)] == [False, True]


def test_after_the_window_a_batch_shows_whether_records_still_miss():
    policy = PrefetchPolicy(window=250)
    batch(policy, 100, misses=100)
    assert [batch(policy, 100, misses=0) for _ in range(4)] == [True, True, True, False]


def test_it_ends_when_hardly_any_key_is_read():
    policy = PrefetchPolicy(prefetch_left=1_000)
    assert batch(policy, 100, misses=0, read=25)
    assert batch(policy, 100, misses=0, read=24)
    assert not batch(policy, 100, misses=0)


@pytest.mark.parametrize(
    ("encodes_early", "changed", "drafting"), [(True, 34, True), (True, 33, False), (False, 99, False)]
)
def test_changes_are_encoded_early_if_an_epoch_had_few_records_for_each_key(encodes_early, changed, drafting):
    policy = PrefetchPolicy(encodes_early=encodes_early)
    policy.begin_batch(100)
    policy.end_epoch(changed)
    assert (policy.drafting, policy.changed) == (drafting, changed)
    assert policy.drafts(2_048) is drafting
    assert not policy.drafts(2_047)
    assert not policy.in_strides


def test_an_epoch_that_turns_out_long_ends_it():
    policy = PrefetchPolicy(encodes_early=True, drafting=True, prefetch_left=1_000)
    assert policy.in_strides
    policy.begin_batch(300)
    policy.drafted(100)
    assert not policy.drafting
