"""What is compiled does what the Python beside it does, to the byte."""

from __future__ import annotations

import math
import os
import pickle
import shutil
import sysconfig
from collections import deque
from decimal import Decimal
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.runtime import native
from flott.runtime.batch import Batch
from flott.runtime.keys import encode_key, key_group_of
from flott.runtime.many_keys import encode_keys, key_groups_of
from flott.runtime.partitioners import KeyGroupHash, Lane, TargetMemo, scatter
from flott.runtime.state import backend, points, slot_table
from flott.runtime.state.addresses import LONG_KEY
from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.point_log import PointLog
from flott.runtime.state.points import PointBatch, batch_of

entries = native.entries
CAN_COMPILE = shutil.which("cc") is not None and (Path(sysconfig.get_path("include")) / "Python.h").exists()
compiled = pytest.mark.skipif(entries is None, reason="not compiled")

plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
scalars = st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.floats(allow_nan=False)
keys = st.recursive(scalars, lambda some: st.tuples(some, some) | st.tuples(some) | st.just(()), max_leaves=12)
values = st.recursive(
    plain, lambda some: st.lists(some) | st.tuples(some) | st.tuples(some, some) | st.dictionaries(st.text(), some)
)


def same(one, other):
    # NaN is not equal to itself, 0.0 is equal to -0.0, and 1 to True.
    return repr(one) == repr(other)


def keyed_backend():
    return KeyedBackend("op", "op", range(128), 128, CacheLimits())


@pytest.mark.skipif(not CAN_COMPILE or os.environ.get("FLOTT_PURE") == "1", reason="no compiler, or not wanted")
def test_where_there_is_a_compiler_it_was_used():
    assert entries is not None, "make native"


def test_it_can_be_done_without(monkeypatch):
    monkeypatch.setattr(backend, "entries", None)
    assert keyed_backend().addresses(b"col1", [7]) == [keyed_backend().address(b"col1", 7)]


@compiled
@given(values)
def test_a_value_comes_back_from_either_pickle(value):
    ours, pickled = entries.dumps(value), pickle.dumps(value, 5)
    assert same(pickle.loads(ours), pickle.loads(pickled))
    assert same(entries.loads(ours), pickle.loads(pickled))
    assert same(entries.loads(pickled), pickle.loads(pickled))


@compiled
@pytest.mark.parametrize(
    "value",
    [0, 255, 256, 65_535, 65_536, -1, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**63 - 1, -(2**63), 2**63, 2**200,
     math.inf, -0.0, "x" * 255, "x" * 256, "é", "\udc80", b"x" * 255, b"x" * 256, b"x" * 70_000, (), [], [[1]],
     tuple(range(100)), ((((((((((1,),),),),),),),),),), deque([1]), Decimal("1.5"), {1, 2}],
    ids=lambda value: repr(value)[:20],
)  # fmt: skip
def test_values_at_the_edges(value):
    for data in (entries.dumps(value), pickle.dumps(value, 5), pickle.dumps(value, 4), pickle.dumps(value, 2)):
        assert pickle.loads(data) == value
        assert entries.loads(data) == value


@compiled
def test_one_object_twice_stays_one_object():
    inner = [1]
    one, other = entries.loads(entries.dumps([inner, inner]))
    assert one is other


@compiled
@given(values, st.data())
def test_half_a_pickle_is_refused(value, data):
    for whole in (entries.dumps(value), pickle.dumps(value, 5)):
        half = whole[: data.draw(st.integers(0, len(whole) - 1))]
        with pytest.raises((EOFError, pickle.UnpicklingError)):
            entries.loads(half)


@compiled
@given(st.lists(keys, max_size=30))
def test_addresses_are_those_of_python(some):
    fitting = [key for key in some if len(encode_key(key)) <= LONG_KEY]
    assert entries.addresses(fitting, b"col1", 128) == [keyed_backend().address(b"col1", key) for key in fitting]


@compiled
@pytest.mark.parametrize("length", [LONG_KEY - 2, LONG_KEY - 1, LONG_KEY, LONG_KEY + 1])
@pytest.mark.parametrize("letter", ["x", "é"])
def test_keys_that_are_too_long_for_an_address(length, letter):
    key = letter * (length // len(letter.encode()))
    (address,) = entries.addresses([key], b"col1", 128)
    fits = len(encode_key(key)) <= LONG_KEY
    assert (address is not None) == fits
    assert keyed_backend().addresses(b"col1", [key]) == [keyed_backend().address(b"col1", key)]


@compiled
@pytest.mark.parametrize(
    "last", [7, -(2**63), 2**80, "abc", "é", None, True, 2.5, b"x", (), (1, None), ((("a",),),)], ids=repr
)
@pytest.mark.parametrize("beyond", range(-3, 4))
def test_tuples_that_just_fit_and_just_do_not(last, beyond):
    rest = len(encode_key(("", last)))
    key = ("x" * (LONG_KEY - rest + beyond), last)
    assert len(encode_key(key)) == LONG_KEY + beyond
    (address,) = entries.addresses([key], b"col1", 128)
    assert (address is not None) == (beyond <= 0)
    assert keyed_backend().addresses(b"col1", [key]) == [keyed_backend().address(b"col1", key)]
    assert encode_keys([key]) == [encode_key(key)]
    assert key_groups_of([key], 128).tolist() == [key_group_of(key, 128)]


@compiled
@pytest.mark.parametrize("depth", [1, 7, 8, 9, 30, 100])
def test_tuples_in_tuples(depth):
    key = "deep"
    for _ in range(depth):
        key = (key, depth)
    assert encode_keys([key]) == [encode_key(key)]
    assert key_groups_of([key], 128).tolist() == [key_group_of(key, 128)]


@compiled
@given(st.lists(keys | st.text(min_size=350, max_size=370), max_size=50), st.integers(1, 12), st.booleans())
def test_records_are_dealt_out_as_python_does(some, parallelism, stamped):
    batch = Batch(list(enumerate(some)), list(range(len(some))) if stamped else None)
    memo = TargetMemo(128, parallelism)
    expected = {to: (part.values, part.stamps) for to, part in scatter(batch, [memo[key] for key in some], parallelism)}
    dealt, stamps = entries.scatter(some, 128, parallelism, batch.values, batch.stamps)
    found = {to: (part, stamps[to] if stamped else None) for to, part in enumerate(dealt) if part}
    assert found == expected


@compiled
def test_keys_of_several_kinds_go_where_they_belong():
    route = KeyGroupHash(lambda value: value).router(Lane(0, 1, 7, 128))
    some = [1, "a", 2.5, True, None, ("a", 1), 2**80, "é"]
    for target, part in route(Batch(some, None)):
        assert all(key_group_of(key, 128) * 7 // 128 == target for key in part.values)


@compiled
@given(st.dictionaries(keys | st.text(min_size=355, max_size=365), st.none() | plain, max_size=40), st.integers(1, 9))
def test_entries_are_laid_out_as_python_does(written, most):
    batches, too_long = entries.lay_out(written, b"col1", 128, most)
    assert all(len(starts) <= 8 * most for starts, _ in batches)
    found = [
        entry for starts, data in batches for entry in PointBatch(np.frombuffer(starts, np.uint64), data).entries()
    ]
    python = keyed_backend()
    expected = {python.address(b"col1", key): value for key, value in written.items() if key not in too_long}
    assert all(len(encode_key(key)) > LONG_KEY for key in too_long)
    assert [address for address, _ in found] == list(expected)
    for (_, data), value in zip(found, expected.values(), strict=True):
        assert data is None if value is None else same(pickle.loads(data), value)


@compiled
def test_values_that_have_no_pickle_raise_what_pickle_raises():
    with pytest.raises((pickle.PicklingError, AttributeError)):
        entries.lay_out({1: lambda: None}, b"col1", 128, 10)


@compiled
@given(st.lists(st.dictionaries(st.integers(0, 400), st.none() | st.binary(max_size=12), max_size=60), max_size=6))
def test_what_is_fetched_is_what_was_written(tmp_path_factory, epochs):
    log, model = PointLog(tmp_path_factory.mktemp("log")), {}
    for epoch in epochs:
        batches, _ = entries.lay_out(epoch, b"col1", 128, 16)
        for starts, data in batches:
            log.append(PointBatch(np.frombuffer(starts, np.uint64), data))
        model.update(epoch)
        read, written = {0: "kept"}, {1: "newer"}
        asked = [*range(401), 7, 7]
        assert log.fetch(b"col1", asked, 128, read, written) == []
        assert read == {0: "kept", **{key: model.get(key) for key in range(2, 401)}}
        addresses = entries.addresses(asked, b"col1", 128)
        assert [None if one is None else pickle.loads(one) for one in log.get_many(addresses)] == list(
            map(model.get, asked)
        )


@compiled
def test_values_of_the_same_size_are_changed_in_their_place(tmp_path):
    log = PointLog(tmp_path)
    log.append(batch_of([b"\0\0col1\0\1a", b"\0\0col1\0\1b"], [b"one", b"two"]))
    before = log.head
    log.append(batch_of([b"\0\0col1\0\1b"], [b"TWO"]))
    assert log.head == before
    log.append(batch_of([b"\0\0col1\0\1a", b"\0\0col1\0\1b"], [b"longer", b"too"]))
    assert log.head.waste == points.HEADER.size + 9 + 3
    assert dict(log.entries()) == {b"\0\0col1\0\1a": b"longer", b"\0\0col1\0\1b": b"too"}


@compiled
@given(st.lists(st.binary(min_size=8, max_size=30), unique=True, max_size=200))
def test_slots_are_those_of_python(addresses):
    batch = batch_of(addresses, [b"v"] * len(addresses))
    view = slot_table.LogView(b"\0" * 8 + bytes(batch.data), 8 + len(batch.data))
    places = batch.starts + np.uint64(8)
    ours, theirs = (np.zeros(1 << slot_table.bits_for(len(addresses)), np.uint64) for _ in range(2))
    assert len(slot_table.insert(ours, view, places)) == 0
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(slot_table, "entries", None)
        slot_table.insert(theirs, view, places)
        assert slot_table.find(ours, view, addresses).tolist() == places.tolist()
    assert np.sort(ours).tolist() == np.sort(theirs).tolist()
    assert slot_table.insert(ours, view, places).tolist() == places.tolist()


@compiled
@given(st.binary(max_size=100))
def test_marks_are_those_of_zlib(key):
    starts = np.frombuffer(entries.lay_out({key: 1}, b"col1", 128, 1)[0][0][0], np.uint64)
    data = entries.lay_out({key: 1}, b"col1", 128, 1)[0][0][1]
    _, mark, length = points.HEADER.unpack_from(data, int(starts[0]))
    assert mark == crc32(data[points.HEADER.size : points.HEADER.size + length])
