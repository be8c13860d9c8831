from __future__ import annotations

from types import SimpleNamespace

import pytest

from flott.coordination.version import JobVersion
from flott.errors import StateAccessError
from flott.runtime.state.lineage import Lineage
from flott.runtime.state.savepoint_file import StateColumn


class Ledger:
    """Knows two subtasks."""

    tasks = {(0, 0): SimpleNamespace(lineage=Lineage()), (1, 0): SimpleNamespace(lineage=Lineage())}  # noqa: RUF012

    def accept(self, reports):
        pass


def report(vertex, column, operator, name):
    columns = {column: StateColumn(operator, name, "value", "")}
    return SimpleNamespace(vertex=vertex, subtask=0, lineage=Lineage(), columns=columns, counts={}, next_wakeup=None)


def test_two_states_with_one_address_are_refused():
    version = JobVersion(SimpleNamespace(vertices=(), edges=()), {})
    version.ledger = Ledger()
    version.accept([report(0, b"1234", "first", "count"), report(1, b"5678", "second", "total")])
    version.accept([report(0, b"1234", "first", "count")])
    with pytest.raises(StateAccessError, match="state 'sum' of operator third and state 'count' of operator first"):
        version.accept([report(1, b"1234", "third", "sum")])
