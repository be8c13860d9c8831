from __future__ import annotations

import pytest

from flott.runtime.state import kinds
from flott.runtime.state.kinds import COLUMNAR_SESSIONS, INTERNAL, KINDS, SESSIONS, Form, StateKind, form_of
from flott.state_processor.saved_entries import OF_KEYS, OF_KEYS_AND_WINDOWS


def test_the_table_has_all_kinds():
    assert set(KINDS.values()) == {one for one in vars(kinds).values() if isinstance(one, StateKind)} - {INTERNAL}


@pytest.mark.parametrize("form", sorted(Form, key=lambda form: form.name))
def test_every_form_can_be_read_by_tools_but_an_operators_own(form):
    assert (form in OF_KEYS) == (form not in {Form.OWN, Form.PANES})
    assert form not in OF_KEYS_AND_WINDOWS or form in OF_KEYS


def test_kinds_with_the_same_entries_restore_each_other():
    for kind in KINDS.values():
        if kind.same_as:
            assert kind.restores(kind.same_as)
            assert KINDS[kind.same_as].restores(kind.name)
            assert KINDS[kind.same_as].form is kind.form


def test_sessions_in_columns_are_read_only_by_their_operator():
    assert form_of(COLUMNAR_SESSIONS, SESSIONS.name) is Form.OWN
    assert form_of("sessions", SESSIONS.name) is Form.SESSIONS
