"""Columns of records read as what was written, in machine code and in Python, and only where nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.runtime import native, record_columns, tuples
from flott.runtime.record_columns import FEW, from_columns, to_columns

compiled = pytest.mark.skipif(native.records is None, reason="not compiled")

whole = st.integers(-(2**63), 2**63 - 1)
kinds = {"whole": whole, "small": st.integers(-200, 200), "real": st.floats(), "text": st.text(), "bool": st.booleans()}
columns = st.sampled_from(sorted(kinds))
rows = st.lists(columns, min_size=1, max_size=5).flatmap(
    lambda names: st.lists(st.tuples(*(kinds[name] for name in names)), min_size=1)
)
alike = rows | columns.flatmap(lambda name: st.lists(kinds[name], min_size=1))
anything = st.lists(
    st.none()
    | st.integers()
    | st.text(st.characters())
    | st.floats()
    | st.booleans()
    | st.lists(st.integers())
    | st.tuples()
    | st.tuples(st.integers(), st.text())
    | st.tuples(st.integers())
)


def read_by_both(data, monkeypatch):
    compiled_read = from_columns(data)
    with monkeypatch.context() as patch:
        patch.setattr(native, "records", None)
        return compiled_read, from_columns(data)


def same(one, other):
    # NaN is not equal to itself, 0.0 is equal to -0.0, and 1 to True.
    return repr(one) == repr(other)


@compiled
@given(values=alike)
def test_alike_records_come_back_as_they_were(values):
    written = native.records.to_columns(values)
    assert isinstance(written, bytes)
    with pytest.MonkeyPatch.context() as monkeypatch:
        for read in read_by_both(written, monkeypatch):
            assert same(read, values)


@compiled
@given(values=anything)
def test_whatever_can_be_columns_comes_back_and_the_rest_stays_as_it_is(values):
    written = native.records.to_columns(values)
    if written is not None:
        with pytest.MonkeyPatch.context() as monkeypatch:
            for read in read_by_both(written, monkeypatch):
                assert same(read, values)
                assert all(type(one) is type(other) for one, other in zip(read, values, strict=True))


@compiled
@pytest.mark.parametrize(
    "values",
    [
        [(1, "a"), (2, 3)],
        [(1, "a"), (2,)],
        [(1, 2), [1, 2]],
        [1, True],
        [1, 1.0],
        [1, None],
        [2**63],
        [1, -(2**63) - 1],
        ["half a character \ud800"],
        [()],
        [],
        [b"bytes"],
        [tuple(range(33))] * 20,
        [{"a": 1}],
    ],
    ids=repr,
)
def test_what_is_not_alike_is_left_alone(values):
    assert native.records.to_columns(values) is None
    assert to_columns(values * FEW) == values * FEW


@compiled
@pytest.mark.parametrize(
    ("largest", "width"), [(0, 1), (127, 1), (128, 2), (2**15 - 1, 2), (2**15, 4), (2**31 - 1, 4), (2**31, 8)]
)
def test_numbers_take_the_fewest_bytes_that_do(largest, width, monkeypatch):
    for values in ([0, largest], [-1 - largest, largest]):
        written = native.records.to_columns(values)
        assert len(written) == record_columns.HEAD.size + 1 + 2 * width
        assert read_by_both(written, monkeypatch) == (values, values)


@compiled
def test_what_is_cut_off_or_too_long_is_an_error_and_not_a_crash():
    written = native.records.to_columns([(number, str(number), number / 3) for number in range(50)])
    for end in range(len(written)):
        with pytest.raises(ValueError, match="column"):
            native.records.from_columns(written[:end])
    with pytest.raises(ValueError, match="longer"):
        native.records.from_columns(written + b"x")
    with pytest.raises(ValueError, match="no columns"):
        native.records.from_columns(b"\x01\x00\x00\x00\xff" + bytes(100))


def test_without_the_compiled_part_records_stay_as_they_are(monkeypatch):
    monkeypatch.setattr(native, "records", None)
    values = [(1, "a")] * 100
    assert to_columns(values) is values
    assert from_columns(values) is values


@given(values=st.lists(st.tuples() | st.tuples(st.integers(), st.text()) | st.text() | st.tuples(st.integers())))
def test_all_tuples_and_items_are_what_python_says(values):
    for size in range(3):
        assert tuples.all_tuples(values, size) is all(type(one) is tuple and len(one) == size for one in values)
        items = tuples.items_at(values, size)
        if items is not None:
            assert items == [one[size] for one in values]
        elif native.records is not None:
            assert any(type(one) is not tuple or len(one) <= size for one in values)
    assert tuples.items_at(values, -1) is None
