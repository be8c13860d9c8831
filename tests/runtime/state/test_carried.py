from __future__ import annotations

import pickle

import pytest

from flott.errors import StateStoreError
from flott.runtime.state.carried import VERSION, Carried
from flott.runtime.state.operator_state import CarriedStates, OperatorStates

WHOLE = Carried(
    {"a": CarriedStates(OperatorStates(split={"s": [1]}).pack("a")), "b": 7},
    {"a": (5, True), "b": (None, False)},
    {0: (3, True)},
    ended=True,
    schemas={},
    metrics={"a": {"records": 3}},
)
OF_VERSION_0_1_0 = {
    **WHOLE.operators, "output/a": (5, True), "output/b": (None, False), "gate": {0: (3, True)}, "finished": True,
    "schemas": {}, "metrics": {"a": {"records": 3}},
}  # fmt: skip


def test_what_is_packed_is_unpacked():
    assert Carried.unpack(WHOLE.pack()) == WHOLE


def test_what_version_0_1_0_packed_is_unpacked():
    assert Carried.unpack(pickle.dumps(OF_VERSION_0_1_0, 5)) == WHOLE


def test_a_subtask_that_nobody_told_about_schemas_is_not_one_without_states():
    assert Carried.unpack(pickle.dumps({"gate": None}, 5)).schemas is None
    assert Carried.unpack(b"") == Carried()


def test_an_operator_may_have_any_id():
    named_as_ours = Carried({"gate": 1, "schemas": 2}, {"finished": (3, True)})
    assert Carried.unpack(named_as_ours.pack()) == named_as_ours


def test_a_form_of_a_later_version_is_refused():
    with pytest.raises(StateStoreError, match=f"form {VERSION + 1}"):
        Carried.unpack(pickle.dumps((VERSION + 1, {}), 5))
