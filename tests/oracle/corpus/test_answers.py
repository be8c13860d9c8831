"""Flink still gives the answers that are recorded; `python -m tests.oracle.corpus.record` records them."""

from __future__ import annotations

import pytest
from tests.oracle.corpus.record import ask
from tests.table.corpus.answers import read

pytestmark = pytest.mark.oracle


def test_flink_gives_what_is_recorded(tmp_path):
    recorded = read()
    told = ask(tmp_path, set(recorded))
    changed = {question.title: (one, told[question]) for question, one in recorded.items() if told[question] != one}
    assert not changed
