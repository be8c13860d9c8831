from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.errors import FlottError
from flott.runtime.batch import Batch
from flott.runtime.keys import key_group_of
from flott.runtime.partitioners import (
    Broadcast,
    Custom,
    Forward,
    Global,
    KeyGroupHash,
    Lane,
    Rebalance,
    Rescale,
    Shuffle,
)


def spread(partitioner, values, downstream, *, subtask=0, upstream=1, epoch=0, batch=7):
    route = partitioner.router(Lane(subtask, upstream, downstream, 128, epoch))
    got = {}
    for start in range(0, len(values), batch):
        part = values[start : start + batch]
        for target, piece in route(Batch(part, list(part))):
            assert piece.stamps == piece.values
            got.setdefault(target, []).extend(piece.values)
    return got


@pytest.mark.parametrize("downstream", [1, 2, 3, 8, 9, 20])
@pytest.mark.parametrize("partitioner", [Rebalance(), Shuffle(), KeyGroupHash(lambda v: v % 50)])
def test_every_record_goes_to_one_subtask_in_order(partitioner, downstream):
    got = spread(partitioner, list(range(1000)), downstream)
    assert sorted(v for part in got.values() for v in part) == list(range(1000))
    assert all(part == sorted(part) for part in got.values())


@pytest.mark.parametrize("downstream", [2, 3, 10])
def test_rebalance_differs_by_at_most_one(downstream):
    sizes = [len(part) for part in spread(Rebalance(), list(range(1001)), downstream).values()]
    assert max(sizes) - min(sizes) <= 1


def test_shuffle_is_even_and_the_same_when_run_again():
    first = spread(Shuffle(), list(range(20_000)), 4, epoch=3)
    assert first == spread(Shuffle(), list(range(20_000)), 4, epoch=3)
    assert first != spread(Shuffle(), list(range(20_000)), 4, epoch=4)
    assert all(4_700 < len(part) < 5_300 for part in first.values())


@pytest.mark.parametrize("downstream", [1, 2, 7, 12])
def test_a_key_goes_to_the_owner_of_its_group(downstream):
    got = spread(KeyGroupHash(lambda v: v % 50), list(range(1000)), downstream)
    for target, values in got.items():
        assert {key_group_of(v % 50, 128) * downstream // 128 for v in values} == {target}


@given(st.integers(1, 12), st.integers(1, 12))
def test_rescale_pairs_everybody_and_shares_evenly(upstream, downstream):
    feeds = Counter()
    for subtask in range(upstream):
        targets = Rescale().targets(subtask, upstream, downstream)
        assert len(targets) >= 1
        feeds.update(targets)
    assert set(feeds) == set(range(downstream))
    assert max(feeds.values()) - min(feeds.values()) <= 1


def test_forward_global_and_broadcast():
    assert spread(Forward(), [1, 2], 3, subtask=1, upstream=3) == {1: [1, 2]}
    assert spread(Global(), [1, 2], 3) == {0: [1, 2]}
    assert spread(Broadcast(), [1, 2], 2) == {0: [1, 2], 1: [1, 2]}


def test_forward_between_different_parallelism_is_refused():
    with pytest.raises(FlottError, match="equal parallelism, got 2 and 3"):
        Forward().targets(0, 2, 3)


def test_custom_asks_the_user_and_checks_the_answer():
    assert spread(Custom(lambda key, n: key % n, lambda v: v), [1, 2, 3, 4], 2) == {1: [1, 3], 0: [2, 4]}
    with pytest.raises(FlottError, match="chose subtask 5; there are 2"):
        spread(Custom(lambda key, n: 5, lambda v: v), [1], 2)
