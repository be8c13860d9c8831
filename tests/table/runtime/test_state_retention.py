"""State that was not touched for a time is forgotten."""

from __future__ import annotations

from datetime import timedelta

import pyarrow as pa
import pytest

from flott.common import Configuration
from flott.table import DataTypes, TableConfig
from flott.table.errors import TableError
from flott.table.expr import AggregateCall
from flott.table.plan.nodes import SortKey
from flott.table.runtime.changes import pack
from flott.table.runtime.deduplicate import Deduplicate
from flott.table.runtime.group_aggregate import GroupAggregate, GroupPlan
from flott.table.runtime.join import Join, JoinPlan
from flott.table.runtime.rank import Rank, RankPlan
from flott.testing.harness import KeyedOneInputOperatorHarness, TwoInputOperatorHarness

KINDS = ("+I", "-U", "+U", "-D")
KEY, NUMBER = DataTypes.STRING(), DataTypes.BIGINT()
TYPES = (pa.string(), pa.int64())


def changes(harness):
    found = [(KINDS[row[-1]], *row[:-1]) for row in harness.extract_output_values()]
    harness.clear_output()
    return found


def rows(*some):
    return pack(
        [pa.array(list(column), kind) for column, kind in zip(zip(*some, strict=True), TYPES, strict=True)], None
    )


def test_a_group_that_was_idle_starts_anew():
    calls = (AggregateCall("SUM", (1,), NUMBER), AggregateCall("COUNT", (1,), NUMBER, distinct=True))
    plan = GroupPlan((0,), calls, (KEY, NUMBER), retracting=False)
    with KeyedOneInputOperatorHarness(GroupAggregate(plan, bundle=False, ttl=100)) as harness:
        harness.operator.process(rows(("a", 5)))
        harness.set_processing_time(99)
        harness.operator.process(rows(("a", 5)))
        assert changes(harness) == [("+I", "a", 5, 1), ("-U", "a", 5, 1), ("+U", "a", 10, 1)]
        harness.end_epoch(new_worker=True)
        harness.set_processing_time(199)
        harness.operator.process(rows(("a", 5)))
        assert changes(harness) == [("+I", "a", 5, 1)]


def test_groups_that_are_idle_leave_the_store():
    plan = GroupPlan((0,), (AggregateCall("SUM", (1,), NUMBER),), (KEY, NUMBER), retracting=False)
    with KeyedOneInputOperatorHarness(GroupAggregate(plan, bundle=False, ttl=100)) as harness:
        harness.operator.process(rows(*((str(number), 1) for number in range(50))))
        harness.end_epoch()
        assert harness.num_state_entries() == 50
        harness.set_processing_time(100)
        for _ in range(3):
            harness.operator.process(rows(("a", 1)))
            harness.end_epoch()
        assert harness.num_state_entries() == 1


def test_a_row_of_a_join_finds_no_partner_that_is_too_old():
    plan = JoinPlan("INNER", ((0,), (0,)), (False,), None, (TYPES, TYPES), True, "UTC", (100, 0))
    with TwoInputOperatorHarness(Join(plan), keyed=True) as harness:
        harness.operator.process(rows(("a", 1)))
        harness.operator.process_input(1, rows(("a", 7)))
        harness.set_processing_time(100)
        harness.operator.process_input(1, rows(("a", 8)))
        harness.operator.process(rows(("a", 2)))
        assert harness.extract_output_values() == [("a", 1, "a", 7), ("a", 2, "a", 7), ("a", 2, "a", 8)]


def test_first_rows_that_were_idle_are_forgotten():
    plan = RankPlan((0,), (SortKey(1),), 0, 1, number=False, retracting=False, types=TYPES)
    with KeyedOneInputOperatorHarness(Rank(plan, ttl=100)) as harness:
        harness.operator.process(rows(("a", 1)))
        harness.set_processing_time(100)
        harness.operator.process(rows(("a", 2)))
        assert changes(harness) == [("+I", "a", 1), ("+I", "a", 2)]


def test_a_row_is_the_first_again_after_a_time():
    with KeyedOneInputOperatorHarness(Deduplicate((0,), 1, TYPES, last=False, ttl=100)) as harness:
        harness.operator.process(rows(("a", 1), ("a", 2)))
        harness.set_processing_time(100)
        harness.operator.process(rows(("a", 3)))
        assert changes(harness) == [("+I", "a", 1), ("+I", "a", 3)]


def test_the_option():
    config = TableConfig(Configuration())
    assert config.state_ttl() == 0
    config.set_idle_state_retention(timedelta(hours=1))
    assert config.get("table.exec.state.ttl", "") == "3600000 ms"
    assert config.get_idle_state_retention() == timedelta(hours=1)
    with pytest.raises(TableError, match=r"'table\.exec\.state\.ttl'"):
        config.set("table.exec.state.ttl", "soon").state_ttl()
