from __future__ import annotations

import pickle

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common import Row
from flott.common.fields import field
from flott.runtime.batch import Batch
from flott.runtime.blocks import ChannelReader, ChannelWriter
from flott.runtime.column_keys import key_groups
from flott.runtime.columns import ColumnBatch
from flott.runtime.keys import key_group_of
from flott.runtime.partitioners import KeyGroupHash, Lane

numbers = st.integers(-(2**63), 2**63 - 1)
near_powers = st.builds(
    lambda power, sign, step: max(-(2**63), min(2**63 - 1, sign * 10**power + step)),
    st.integers(0, 19),
    st.sampled_from([-1, 1]),
    st.integers(-1, 1),
)


@given(st.lists(st.one_of(numbers, near_powers)), st.sampled_from([1, 7, 128, 32768]))
def test_numbers_have_the_key_groups_they_have_one_by_one(keys, groups):
    assert key_groups(pa.array(keys, pa.int64()), groups).tolist() == [key_group_of(key, groups) for key in keys]


@given(st.lists(st.one_of(st.none(), st.text(st.characters(codec="utf-8")))), st.sampled_from([7, 128]))
def test_texts_have_the_key_groups_they_have_one_by_one(keys, groups):
    assert key_groups(pa.array(keys, pa.string()), groups).tolist() == [key_group_of(key, groups) for key in keys]


@given(st.lists(st.one_of(st.none(), numbers, st.booleans()), max_size=5))
def test_small_and_missing_keys_too(keys):
    for kind in (pa.int64(), pa.bool_()):
        own = [key for key in keys if key is None or isinstance(key, bool) == (kind == pa.bool_())]
        assert key_groups(pa.array(own, kind), 128).tolist() == [key_group_of(key, 128) for key in own]


def orders():
    return ColumnBatch.of({"user": ["ann", "bob", None, "ann"], "amount": [1, 2, None, 4]}, times=[10, 20, 30, 40])


def test_records_are_made_when_they_are_asked_for():
    batch = orders()
    assert len(batch) == 4
    assert batch.columnar
    assert list(batch)[2] == (Row(user=None, amount=None), 30)
    assert batch.values is batch.values
    assert ColumnBatch.of({"f0": [1], "f1": [2]}, tuples=True).values == [(1, 2)]
    assert ColumnBatch.of({"f0": [1]}).stamps is None


def test_it_travels_and_takes_only_its_own_rows_along():
    for batch in (orders(), ColumnBatch.of({"a": [1.5]}, tuples=True)):
        arrived = pickle.loads(pickle.dumps(batch))
        assert (arrived.values, arrived.stamps) == (batch.values, batch.stamps)
    large = ColumnBatch.of({"n": list(range(100_000))})
    slice_of_it = ColumnBatch((large.column("n").slice(5, 3),), large.shape)
    assert len(pickle.dumps(slice_of_it)) < 2_000


def test_it_is_dealt_out_as_its_records_would_be():
    keys = [f"user-{number}" for number in range(100)]
    batch = ColumnBatch.of({"user": keys, "n": list(range(100))}, times=list(range(100)))
    route = KeyGroupHash(field("user")).router(Lane(0, 1, 3, 128))
    in_columns = {target: (part.values, part.stamps) for target, part in route(batch)}
    by_rows = {target: (part.values, part.stamps) for target, part in route(Batch(batch.values, batch.stamps))}
    assert in_columns == by_rows
    assert len(in_columns) == 3


@pytest.mark.parametrize("size", [3, 40_000])
def test_blocks_keep_columns_records_and_watermarks_in_order(size):
    blocks = []
    writer = ChannelWriter(lambda _, data: blocks.append(data), ValueError)
    columns = ColumnBatch.of({"n": list(range(size))}, times=list(range(size)))
    writer.add(Batch(["a"], [1]))
    writer.add(columns)
    writer.watermark(7)
    writer.add(columns)
    writer.add(Batch(["b"]))
    writer.close(1, "token")
    reader = ChannelReader("channel")
    for number, data in enumerate(blocks):
        reader.add(number, data)
    reader.complete(1)
    seen = []
    for segment in reader.segments():
        values = segment.values
        if values:
            seen.append(values if type(values) is list else len(values))
        if segment.watermark is not None:
            seen.append(segment.watermark)
    assert seen == [["a"], size, 7, size, ["b"]]
