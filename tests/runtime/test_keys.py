from __future__ import annotations

from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.runtime.column_keys import GroupMemo
from flott.runtime.keys import decode_key, encode_key, groups_of_subtask, key_group_of, subtask_of_group
from flott.runtime.many_keys import encode_keys, key_groups_of

scalars = st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.floats(allow_nan=False)
keys = st.recursive(scalars, lambda inner: st.tuples(inner, inner) | st.tuples(inner), max_leaves=5)


@given(keys)
def test_a_key_comes_back_from_its_bytes(key):
    assert decode_key(encode_key(key)) == key


@given(st.lists(keys) | st.lists(st.tuples(scalars, st.integers() | st.tuples(st.text(), scalars))))
def test_many_keys_have_the_bytes_that_each_has(several):
    assert encode_keys(several) == [encode_key(key) for key in several]
    assert key_groups_of(several, 128).tolist() == [key_group_of(key, 128) for key in several]


@given(st.lists(keys, unique=True), st.lists(keys, unique=True))
def test_a_memo_knows_the_groups_of_many_keys(before, after):
    memo = GroupMemo(128)
    for several in (before, after):
        assert memo.of_all(several).tolist() == [key_group_of(key, 128) for key in several]


@given(keys, keys)
def test_bytes_are_equal_exactly_when_keys_are(one, other):
    assert (encode_key(one) == encode_key(other)) == (one == other)


@pytest.mark.parametrize("same", [(1, 1.0, True, Decimal(1)), (0, 0.0, -0.0, False), (("a", 2), ("a", 2.0))])
def test_keys_that_python_holds_equal_land_in_one_group(same):
    assert len({key_group_of(key, 128) for key in same}) == 1
    assert len({encode_key(key) for key in same}) == 1


@pytest.mark.job
@pytest.mark.parametrize("make", [int, str, lambda i: ("user", i), lambda i: f"user-{i:08d}", lambda i: i * 128])
def test_groups_are_filled_evenly(make):
    counts = Counter(key_group_of(make(i), 128) for i in range(64_000))
    assert len(counts) == 128
    assert max(counts.values()) < 1.3 * 500
    assert min(counts.values()) > 0.7 * 500


@given(st.integers(1, 200).flatmap(lambda top: st.tuples(st.just(top), st.integers(1, top))))
def test_every_group_has_exactly_one_owner(sizes):
    max_parallelism, parallelism = sizes
    owners = [subtask_of_group(group, parallelism, max_parallelism) for group in range(max_parallelism)]
    for subtask in range(parallelism):
        mine = groups_of_subtask(subtask, parallelism, max_parallelism)
        assert len(mine) >= 1
        assert [group for group, owner in enumerate(owners) if owner == subtask] == list(mine)
