"""Groups in columns tell exactly the changes that groups tell row by row."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from flott.table import DataTypes
from flott.table.expr import AggregateCall
from flott.table.runtime.changes import GONE, INSERT, UPDATE_AFTER, pack
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


def is_retractable(call):
    return call.function not in {"MIN", "MAX"} and not call.distinct


def plan(calls, *, retracting=False):
    return GroupPlan((0,), tuple(calls), (LONG, LONG, SMALL, TRUTH, TEXT), retracting=retracting)


def changes(operator, batches, kinds=None):
    with KeyedOneInputOperatorHarness(operator) as harness:
        for number, batch in enumerate(batches):
            columns = [pa.array([row[place] for row in batch], kind) for place, kind in enumerate(TYPES)]
            harness.operator.process(pack(columns, kinds and np.array(kinds[number], np.int8)))
            harness.end_epoch(new_worker=True)
        return harness.extract_output_values()


@given(st.lists(st.lists(rows, min_size=1, max_size=12), max_size=3), st.sets(st.sampled_from(range(len(CALLS)))))
def test_the_same_changes(batches, chosen):
    calls = plan(CALLS[place] for place in sorted(chosen))
    assert fits_columns(calls)
    wanted = changes(GroupAggregate(calls, bundle=False), batches)
    assert changes(GroupColumns(calls), batches) == wanted


@st.composite
def changing(draw):
    """Return batches of rows, some of which are taken back later, and the kinds of the changes."""
    batches, kinds, there = [], [], []
    for _ in range(draw(st.integers(0, 3))):
        batches.append([])
        kinds.append([])
        for _ in range(draw(st.integers(1, 12))):
            back = bool(there) and draw(st.booleans())
            row = there.pop(draw(st.integers(0, len(there) - 1))) if back else draw(rows)
            # Perhaps one is taken back that was never there; its group might be.
            stray = not back and row[0] not in {one[0] for one in there} and draw(st.booleans())
            if not back and not stray:
                there.append(row)
            batches[-1].append(row)
            kinds[-1].append(draw(st.sampled_from(GONE if back or stray else (INSERT, UPDATE_AFTER))))
    return batches, kinds


@given(changing(), st.sets(st.sampled_from([place for place, call in enumerate(CALLS) if is_retractable(call)])))
def test_the_same_changes_where_rows_are_taken_back(some, chosen):
    batches, kinds = some
    calls = plan((CALLS[place] for place in sorted(chosen)), retracting=True)
    assert fits_columns(calls)
    wanted = changes(GroupAggregate(calls, bundle=False), batches, kinds)
    assert changes(GroupColumns(calls), batches, kinds) == wanted


def test_what_does_not_fit():
    number = DataTypes.DOUBLE()
    assert not fits_columns(GroupPlan((0,), (AggregateCall("SUM", (1,), number),), (LONG, number), retracting=False))
    for call in CALLS:
        assert fits_columns(plan([call], retracting=True)) == is_retractable(call)
