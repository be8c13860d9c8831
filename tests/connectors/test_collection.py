from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.connectors.base import BATCH_SIZE
from flott.connectors.collection import CollectionSource
from flott.errors import GraphError


@given(elements=st.lists(st.one_of(st.integers(), st.text(), st.none(), st.binary())), parallelism=st.integers(1, 4))
def test_all_elements_come_once(drain, elements, parallelism):
    parts = drain(CollectionSource(elements), parallelism, scales=[1e-9] * 5)
    assert sorted(map(repr, (element for part in parts for element in part))) == sorted(map(repr, elements))
    if parallelism == 1:
        assert parts == [elements]


def test_order_is_kept_over_epochs_and_chunks(drain):
    elements = list(range(3 * BATCH_SIZE + 5))
    assert drain(CollectionSource(iter(elements)), scales=[0.1, 0.0001, 0.3]) == [elements]


def test_objects_are_those_of_the_moment_and_fresh_each_time():
    element = {"n": 1}
    source = CollectionSource([element])
    element["n"] = 2
    [[read]] = source.create_enumerator(1).plan(1.0, 0).reads
    [first] = source.read(read)
    first.values[0]["n"] = 3
    [second] = source.read(read)
    assert second.values == [{"n": 1}]


def test_objects_of_the_users_own_classes_travel():
    class Order:
        def __init__(self, amount):
            self.amount = amount

    source = CollectionSource([Order(3)])
    [[read]] = source.create_enumerator(1).plan(1.0, 0).reads
    [batch] = source.read(read)
    assert batch.values[0].amount == 3


def test_an_element_that_cannot_be_pickled_is_named():
    with pytest.raises(GraphError) as failure:
        CollectionSource([1, "two", threading.Lock()])
    message = str(failure.value)
    assert "element 2 of the collection" in message
    assert "type lock" in message
    assert "open()" in message


def test_an_empty_collection_ends_at_once(drain):
    assert drain(CollectionSource([]), 2) == [[], []]
    assert CollectionSource([]).is_bounded()
