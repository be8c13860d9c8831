from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common.typeinfo import Types
from flott.connectors.base import BATCH_SIZE
from flott.connectors.number_sequence import NumberSequenceSource
from flott.errors import GraphError


@given(start=st.integers(-1000, 1000), count=st.integers(1, 2000), parallelism=st.integers(1, 5))
def test_all_numbers_come_once_both_bounds_included(drain, start, count, parallelism):
    parts = drain(NumberSequenceSource(start, start + count - 1), parallelism, scales=[0.001] * 20)
    assert sorted(number for part in parts for number in part) == list(range(start, start + count))
    assert all(part == sorted(part) for part in parts)


def test_one_subtask_gives_them_in_order(drain):
    assert drain(NumberSequenceSource(1, 100_000)) == [list(range(1, 100_001))]


def test_batches_are_of_a_size_that_operators_like():
    source = NumberSequenceSource(0, 2 * BATCH_SIZE)
    [[read]] = source.create_enumerator(1).plan(1.0, 0).reads
    assert [len(batch) for batch in source.read(read)] == [BATCH_SIZE, BATCH_SIZE, 1]


def test_it_is_bounded_and_knows_its_type():
    source = NumberSequenceSource(5, 5)
    assert source.is_bounded()
    assert source.get_produced_type() == Types.LONG()


def test_bounds_are_checked():
    with pytest.raises(GraphError, match="greater"):
        NumberSequenceSource(2, 1)
    with pytest.raises(GraphError, match="whole numbers"):
        NumberSequenceSource(1, 2.5)
