"""State that an earlier version saved in another form is refused, not overlooked."""

from __future__ import annotations

import pyarrow as pa
import pytest

from flott.errors import StateAccessError
from flott.runtime.state.schemas import Stored
from flott.table import DataTypes
from flott.table.expr import AggregateCall
from flott.table.runtime.append_join import AppendJoin
from flott.table.runtime.group_aggregate import GroupAggregate, GroupPlan
from flott.table.runtime.group_columns import GroupColumns
from flott.table.runtime.join import JoinPlan
from flott.testing.harness import KeyedOneInputOperatorHarness, TwoInputOperatorHarness

LONG = DataTypes.BIGINT()
TYPES = (pa.int64(),)


def adopt(harness, name, kind):
    backend = harness.operator.context.keyed("a test")
    backend.adopt({name: (Stored(0, 128, kind, ""),)})


def test_rows_of_a_join():
    plan = JoinPlan("INNER", ((0,), (0,)), (False,), None, (TYPES, TYPES), append_only=True, zone="UTC")
    with TwoInputOperatorHarness(AppendJoin(plan), keyed=True) as harness:
        adopt(harness, "left-rows", "row lists")
        with pytest.raises(StateAccessError, match="'left-rows' was saved as list state, and is now row lists"):
            adopt(harness, "left-rows", "list state")


def test_groups_whose_rows_are_taken_back():
    plan = GroupPlan((0,), (AggregateCall("COUNT", (), LONG),), (LONG,), retracting=True)
    with KeyedOneInputOperatorHarness(GroupAggregate(plan, bundle=False)) as harness:
        adopt(harness, "groups", "value state")
    with KeyedOneInputOperatorHarness(GroupColumns(plan)) as harness:
        adopt(harness, "groups", "sums of groups")
        with pytest.raises(StateAccessError, match="'groups' was saved as value state, and is now sums of groups"):
            adopt(harness, "groups", "value state")
