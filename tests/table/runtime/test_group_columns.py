"""Groups in columns tell exactly the changes that groups tell row by row."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from flott.table import DataTypes
from flott.table.expr import AggregateCall
from flott.table.runtime.changes import pack
from flott.table.runtime.group_aggregate import GroupAggregate, GroupPlan
from flott.table.runtime.group_columns import GroupColumns, fits_columns
from flott.testing.harness import KeyedOneInputOperatorHarness

LONG, SMALL, TRUTH = DataTypes.BIGINT(), DataTypes.SMALLINT(), DataTypes.BOOLEAN()
COUNT, TEXT = DataTypes.BIGINT().not_null(), DataTypes.STRING()
CALLS = (
    AggregateCall("COUNT", (), COUNT), AggregateCall("COUNT", (1,), COUNT, filter=3), AggregateCall("SUM", (1,), LONG),
    AggregateCall("AVG", (1,), LONG, filter=3), AggregateCall("MIN", (1,), LONG), AggregateCall("MAX", (2,), SMALL),
    AggregateCall("SUM", (2,), SMALL, filter=3), AggregateCall("COUNT", (1,), COUNT, distinct=True),
    AggregateCall("COUNT", (4,), COUNT, distinct=True, filter=3), AggregateCall("SUM", (1,), LONG, distinct=True),
    AggregateCall("MIN", (1,), LONG, distinct=True), AggregateCall("MAX", (4,), TEXT),
    AggregateCall("MIN", (4,), TEXT, filter=3),
)  # fmt: skip
TYPES = (pa.int64(), pa.int64(), pa.int16(), pa.bool_(), pa.string())
values = st.none() | st.integers(-9, 9)
shorts = st.none() | st.integers(-(2**15), 2**15 - 1)
texts = st.none() | st.sampled_from(["", "a", "b", "ab", "é", "😀"])
rows = st.tuples(st.none() | st.integers(0, 3), values, shorts, st.none() | st.booleans(), texts)


def plan(calls):
    return GroupPlan((0,), tuple(calls), (LONG, LONG, SMALL, TRUTH, TEXT), retracting=False)


def changes(operator, batches):
    with KeyedOneInputOperatorHarness(operator) as harness:
        for batch in batches:
            columns = [pa.array([row[place] for row in batch], kind) for place, kind in enumerate(TYPES)]
            harness.operator.process(pack(columns, None))
            harness.end_epoch(new_worker=True)
        return harness.extract_output_values()


@given(st.lists(st.lists(rows, min_size=1, max_size=12), max_size=3), st.sets(st.sampled_from(range(len(CALLS)))))
def test_the_same_changes(batches, chosen):
    calls = plan(CALLS[place] for place in sorted(chosen))
    assert fits_columns(calls)
    wanted = changes(GroupAggregate(calls, bundle=False), batches)
    assert changes(GroupColumns(calls), batches) == wanted


def test_what_does_not_fit():
    number = DataTypes.DOUBLE()
    assert not fits_columns(GroupPlan((0,), (AggregateCall("SUM", (1,), number),), (LONG, number), retracting=False))
    assert not fits_columns(GroupPlan((0,), (), (LONG,), retracting=True))
