"""Operator state goes to the right subtasks: RESC-02 to RESC-04."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.errors import StateAccessError
from flott.runtime.state.carried import Carried
from flott.runtime.state.operator_state import CarriedStates, OperatorStates
from flott.runtime.state.redistribute import (
    copies_of,
    redistribute,
    redistribute_carried,
    split_evenly,
    union_of,
    with_unions,
)

lists = st.lists(st.lists(st.integers(), max_size=9), min_size=1, max_size=7)
parallelisms = st.integers(1, 7)
subtasks = st.lists(
    st.builds(
        OperatorStates,
        st.dictionaries(st.sampled_from("abc"), st.lists(st.integers(), max_size=5)),
        st.dictionaries(st.sampled_from("uvw"), st.lists(st.integers(), max_size=5)),
        st.dictionaries(st.sampled_from("xyz"), st.dictionaries(st.text(max_size=2), st.integers(), max_size=3)),
    ),
    min_size=1,
    max_size=7,
)


def flat(nested):
    return [element for one in nested for element in one]


@given(lists, parallelisms, st.integers(0, 6))
def test_elements_are_spread_evenly_and_none_is_lost_or_doubled(before, parallelism, start):
    start %= parallelism
    dealt, following = split_evenly(before, parallelism, start)
    assert len(dealt) == parallelism
    assert flat(dealt[start:] + dealt[:start]) == flat(before)
    sizes = list(map(len, dealt))
    assert max(sizes) - min(sizes) <= 1
    assert 0 <= following < parallelism


@given(st.lists(lists, min_size=1, max_size=5), parallelisms)
def test_several_states_together_are_spread_evenly_too(states, parallelism):
    totals = [0] * parallelism
    start = 0
    for before in states:
        dealt, start = split_evenly(before, parallelism, start)
        totals = [total + len(own) for total, own in zip(totals, dealt, strict=True)]
    assert max(totals) - min(totals) <= 1


@given(lists, parallelisms)
def test_of_a_union_everybody_gets_all_and_owns_a_share(before, parallelism):
    carried = [CarriedStates(OperatorStates(union={"u": own}).pack("x"), unions=b"") for own in before]
    after = redistribute_carried(carried, parallelism, "x")
    assert [pickle.loads(one.unions) for one in after] == [{"u": flat(before)}] * parallelism
    assert flat([OperatorStates.unpack(one.states).union["u"] for one in after]) == flat(before)


@given(lists)
def test_subtasks_hear_of_the_union_lists_of_each_other_as_often_as_one_likes(before):
    carried = [
        Carried({"a": CarriedStates(OperatorStates(union={"u": own}).pack("x"), unions=b"")}, gate="b").pack()
        for own in before
    ]
    once = with_unions([*carried, b""])
    assert with_unions(once) == once
    for one, own in zip(once, before, strict=False):
        found = Carried.unpack(one)
        assert pickle.loads(found.operators["a"].unions) == {"u": flat(before)}
        assert OperatorStates.unpack(found.operators["a"].states).union == {"u": own}
        assert found.gate == "b"


def test_without_union_lists_nothing_is_touched():
    carried = [Carried({"a": CarriedStates(OperatorStates(split={"s": [1]}).pack("x"))}).pack(), b""]
    assert with_unions(carried) == carried


@given(parallelisms, parallelisms)
def test_broadcast_state_is_copied_in_turn(before, parallelism):
    copies = copies_of([{"from": subtask} for subtask in range(before)], parallelism)
    assert [copy["from"] for copy in copies] == [subtask % before for subtask in range(parallelism)]


@given(subtasks, parallelisms)
def test_all_modes_together(before, parallelism):
    after = redistribute(before, parallelism)
    assert len(after) == parallelism
    for name in "abc":
        mine = sorted(flat([states.split.get(name, []) for states in after]))
        assert mine == sorted(flat([states.split.get(name, []) for states in before]))
    for name in {name for states in before for name in states.union}:
        assert union_of(after)[name] == flat([one.union.get(name, []) for one in before])
    for name in {name for states in before for name in states.broadcast}:
        known = [one.broadcast[name] for one in before if name in one.broadcast]
        assert all(states.broadcast[name] in known for states in after)


@given(subtasks)
def test_with_the_same_parallelism_everybody_keeps_the_own_elements(before):
    for states, own in zip(redistribute(before, len(before)), before, strict=True):
        assert {name: elements for name, elements in states.split.items() if elements} == {
            name: elements for name, elements in own.split.items() if elements
        }


def test_what_operators_carry_is_dealt_out_level_by_level():
    inner = CarriedStates(OperatorStates(broadcast={"rules": {"a": 1}}).pack("x"), rest="watermarks")
    outer = CarriedStates(OperatorStates(split={"buffer": [1, 2, 3]}).pack("x"), rest=inner, number=7)
    after = redistribute_carried([outer, None], 3, "x")
    assert [OperatorStates.unpack(one.states).split for one in after] == [
        {"buffer": [1]},
        {"buffer": [2]},
        {"buffer": [3]},
    ]
    assert {one.number for one in after} == {7}
    assert all(OperatorStates.unpack(one.rest.states).broadcast == {"rules": {"a": 1}} for one in after)
    assert all(one.rest.rest is None for one in after)
    assert redistribute_carried(["something", None], 2, "x") == [None, None]


def test_what_cannot_be_stored_is_named():
    with pytest.raises(StateAccessError, match=r"operator 'x'.*can't be stored"):
        OperatorStates(split={"a": [lambda: 1]}).pack("operator 'x'")
