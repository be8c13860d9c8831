"""Operators that work on whole batches tell what they would tell row by row."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flott.table.plan.nodes import SortKey
from flott.table.runtime.append_join import AppendJoin
from flott.table.runtime.changes import DELETE, INSERT, UPDATE_AFTER, UPDATE_BEFORE, pack
from flott.table.runtime.deduplicate import Deduplicate
from flott.table.runtime.join import Join, JoinPlan
from flott.table.runtime.key_codes import key_codes
from flott.table.runtime.rank import Rank, RankPlan
from flott.testing.harness import KeyedOneInputOperatorHarness, TwoInputOperatorHarness

TYPES = (pa.int64(), pa.int64(), pa.string())
TYPED = (st.none() | st.integers(0, 2), st.integers(0, 5), st.sampled_from(["a", "b", "c"]))
rows = st.tuples(*TYPED)
changed = st.tuples(*TYPED, st.sampled_from([INSERT, INSERT, DELETE]))
batches = st.lists(st.lists(rows, min_size=1, max_size=10), max_size=3)


def columns(batch):
    return [pa.array([row[place] for row in batch], kind) for place, kind in enumerate(TYPES)]


def changes(operator, some):
    with KeyedOneInputOperatorHarness(operator) as harness:
        for batch in some:
            kinds = np.array([row[-1] for row in batch], np.int8) if len(batch[0]) > len(TYPES) else None
            harness.operator.process(pack(columns(batch), kinds))
            harness.end_epoch(new_worker=True)
        return harness.extract_output_values()


def ranked(some, first, last, descending):
    """Row by row, all rows kept: the numbered changes."""
    held, told = {}, []
    for *row, kind in [row for batch in some for row in batch]:
        rows = held.setdefault(row[0], [])
        before = rows[first:last]
        if kind == INSERT:
            rows.append(tuple(row))
        elif tuple(row) in rows:
            rows.remove(tuple(row))
        rows.sort(key=lambda one: (-one[1] if descending else one[1], one[2]))
        after = rows[first:last]
        for place in range(max(len(before), len(after))):
            old, new = (side[place] if place < len(side) else None for side in (before, after))
            if old != new:
                kinds = (INSERT if old is None else UPDATE_AFTER, DELETE if new is None else UPDATE_BEFORE)
                told += [(*old, first + place + 1, kinds[1])] if old else []
                told += [(*new, first + place + 1, kinds[0])] if new else []
    return told


@settings(max_examples=15)
@given(
    st.lists(st.lists(changed, min_size=1, max_size=8), max_size=3),
    st.integers(1, 3), st.integers(0, 1), st.booleans(), st.booleans(),
)  # fmt: skip
def test_first_rows(some, last, first, descending, retracting):
    first = min(first, last - 1)
    if not retracting:
        some = [[(*row, INSERT) for *row, _ in batch] for batch in some]
    plan = RankPlan((0,), (SortKey(1, descending), SortKey(2)), first, last, True, retracting, TYPES)
    numbered = changes(Rank(plan), some)
    assert numbered == ranked(some, first, last, descending)
    plain = Counter()
    for *row, kind in changes(Rank(replace(plan, number=False)), some):
        plain[tuple(row)] += 1 if kind == INSERT else -1
    left = Counter()
    for *row, _, kind in numbered:
        left[tuple(row)] += 1 if kind in {INSERT, UPDATE_AFTER} else -1
    assert +plain == +left


@settings(max_examples=15)
@given(batches, st.booleans())
def test_first_or_last_row_by_time(some, last):
    held, wanted = {}, []
    for row in [row for batch in some for row in batch]:
        before = held.get(row[0])
        if before is None:
            wanted.append((*row, INSERT))
        elif row[1] >= before[1] if last else row[1] < before[1]:
            wanted += [(*before, UPDATE_BEFORE), (*row, UPDATE_AFTER)]
        else:
            continue
        held[row[0]] = row
    assert changes(Deduplicate((0,), 1, TYPES, last=last), some) == wanted


@settings(max_examples=15)
@given(st.lists(st.tuples(st.booleans(), st.lists(rows, min_size=1, max_size=6)), max_size=5), st.booleans())
def test_joins(some, nulls_match):
    plan = JoinPlan("INNER", ((0,), (0,)), (nulls_match,), None, (TYPES, TYPES), append_only=True, zone="UTC")
    found = []
    for operator in (AppendJoin(plan), Join(plan)):
        with TwoInputOperatorHarness(operator, keyed=True) as harness:
            for left, batch in some:
                harness.operator.process_input(0 if left else 1, pack(columns(batch), None))
                harness.end_epoch(new_worker=True)
            found.append(Counter(harness.extract_output_values()))
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64()])
def test_numbers_of_keys(kind):
    keys, codes = key_codes([pa.array([2, None, 2, 1], kind), pa.array(["x", "x", "x", None])], (0, 1), 4)
    assert keys == [(2, "x"), (None, "x"), (1, None)]
    assert codes.tolist() == [0, 1, 0, 2]
