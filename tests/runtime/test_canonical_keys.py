"""Equal keys are one key: in memory, as bytes, in every worker; what has no canonical form is refused by name."""

from __future__ import annotations

import datetime as dt
import pickle
import struct
from collections import namedtuple
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common import Row, RowKind
from flott.runtime.batch import Batch
from flott.runtime.canonical_keys import NAN, KeyTypeError, canonical_key, loaded_key
from flott.runtime.column_keys import GroupMemo, key_groups
from flott.runtime.keys import decode_key, encode_key, key_group_of
from flott.runtime.many_keys import canonical_keys, encode_keys, key_groups_of
from flott.runtime.partitioners import KeyGroupHash, Lane
from flott.runtime.state.addresses import Heads
from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits

Point = namedtuple("Point", "x y")  # noqa: PYI024 - without types, as programs have it


@dataclass(frozen=True)
class User:
    name: object
    age: object


class Color(Enum):
    RED = 1
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Word(str):
    __slots__ = ()


CET = dt.timezone(dt.timedelta(hours=1))
NOON = dt.datetime(2024, 5, 1, 12)  # noqa: DTZ001
NOON_UTC = dt.datetime(2024, 5, 1, 12, tzinfo=dt.timezone.utc)

ODD_NAN = struct.unpack(">d", b"\xff\xf8" + b"\1" * 6)[0]
TENTH = Decimal("0.1000000000000000055511151231257827021181583404541015625")
SAME = {
    "one": [
        1, True, 1.0, np.int64(1), np.uint8(1), np.bool_(True), np.float32(1), Decimal("1.0"), Fraction(1), Level.LOW,
    ],
    "zero": [0, -0.0, 0.0, False, Decimal("-0"), np.float64(-0.0)],
    "half": [0.5, Decimal("0.50"), Fraction(1, 2), np.float32(0.5), np.float16(0.5)],
    "a tenth, exactly": [Decimal("0.1"), Decimal("0.100"), Fraction(1, 10)],
    "a float's tenth": [0.1, np.float64(0.1), TENTH, Fraction(0.1)],
    "NaN": [float("nan"), NAN, -float("nan"), np.float32("nan"), Decimal("NaN"), ODD_NAN],
    "infinity": [float("inf"), Decimal("Infinity"), np.float32("inf")],
    "a string": ["red", Word("red"), np.str_("red"), str(b"red", "ascii")],
    "bytes": [b"x", bytearray(b"x"), memoryview(b"x"), np.bytes_(b"x")],
    "two": [("a", 1), ["a", 1.0], Point("a", True), (np.str_("a"), np.int8(1))],
    "a set": [frozenset({1, "a"}), {"a", 1.0}, frozenset([np.str_("a"), 1])],
    "noon": [NOON, pd.Timestamp(NOON), np.datetime64(NOON), np.datetime64("2024-05-01T12"), NOON.replace(fold=1)],
    "an instant": [NOON_UTC, NOON_UTC.astimezone(CET), pd.Timestamp(NOON_UTC).tz_convert("Asia/Tokyo")],
    "nanoseconds": [pd.Timestamp("2024-05-01T12:00:00.000000001"), np.datetime64("2024-05-01T12:00:00.000000001")],
    "no time": [pd.NaT, np.datetime64("NaT"), np.timedelta64("NaT")],
    "a time of day": [dt.time(12), dt.time(12, fold=1)],
    "a time of day in a zone": [dt.time(1, tzinfo=CET), dt.time(0, tzinfo=dt.timezone.utc)],
    "a span": [dt.timedelta(minutes=1), pd.Timedelta("60s"), np.timedelta64(60, "s")],
    "a row": [Row("a", 1), Row(str(b"a", "ascii"), np.int64(1))],
    "a named row": [Row(name="a", age=1), Row(age=1.0, name="a")],
    "an instance": [User("a", 1), User(str(b"a", "ascii"), True)],
}  # fmt: skip
"""Keys that are one key; those of two lists are two."""

ALONE = [
    None, "", b"", (), frozenset(), "1", b"1", ("a",), (("a", 1),), Color.RED, Color.BLUE, dt.date(2024, 5, 1),
    UUID(int=1),
    Row(), Row("a"), User("a", 2), Row.of_kind(RowKind.DELETE, "a", 1), Fraction(1, 3), Decimal("1e-400"), 2**70, 1e300,
    Decimal("12345678901234567890123456789.5"), dt.time(23, tzinfo=dt.timezone(-dt.timedelta(hours=5))),
]  # fmt: skip

plain = st.none() | st.integers() | st.text() | st.binary() | st.floats()
others = (
    st.booleans() | st.decimals() | st.fractions() | st.dates() | st.times() | st.timedeltas() | st.uuids()
    | st.datetimes() | st.datetimes(dt.datetime(2, 1, 1), dt.datetime(9998, 1, 1), timezones=st.timezones())  # noqa: DTZ001
    | st.integers(-(2**63), 2**63 - 1).map(np.int64) | st.floats(width=32).map(np.float32)
    | st.sampled_from([*Color, *Level]) | st.text().map(np.str_)
)  # fmt: skip
keys = st.recursive(
    plain | others,
    lambda inner: (
        st.tuples(inner, inner) | st.lists(inner, max_size=3) | st.builds(Point, inner, inner)
        | st.builds(User, inner, inner) | st.builds(Row, inner, inner)
        | st.builds(lambda a, b: Row(x=a, y=b), inner, inner) | st.frozensets(st.text() | st.integers(), max_size=4)
    ),
    max_leaves=6,
)  # fmt: skip


def shown(key):
    """Write a key; a set in order, for its own depends on the hash seed."""
    return repr(sorted(map(repr, key)) if isinstance(key, frozenset) else key)


@pytest.mark.parametrize("name", SAME)
def test_equal_keys_are_one(name):
    assert len({encode_key(key) for key in SAME[name]}) == 1
    assert len({canonical_key(key) for key in SAME[name]}) == 1
    assert len({shown(canonical_key(key)) for key in SAME[name]}) == 1


def test_different_keys_are_different():
    different = [several[0] for several in SAME.values()] + ALONE
    assert len(set(map(encode_key, different))) == len(set(map(canonical_key, different))) == len(different)


@given(keys)
def test_a_canonical_key_comes_back_from_its_bytes_and_from_a_pickle(key):
    canonical = canonical_key(key)
    encoded = encode_key(key)
    assert encode_key(canonical) == encoded
    # As dictionaries find it, so also with NaN inside.
    for again in (decode_key(encoded), canonical_key(canonical), loaded_key(pickle.loads(pickle.dumps(canonical, 5)))):
        assert {canonical: None}.keys() == {again: None}.keys()
        assert repr(again) == repr(canonical) or isinstance(canonical, frozenset) or "frozenset" in repr(canonical)
        assert type(again) is type(canonical)


@given(keys, keys)
def test_canonical_keys_are_equal_exactly_if_their_bytes_are(one, other):
    same = len({canonical_key(one), canonical_key(other)}) == 1
    assert same == (encode_key(one) == encode_key(other))


@given(st.lists(keys, min_size=1, max_size=8))
def test_all_ways_from_a_key_to_its_group_agree(several):
    groups = [key_group_of(key, 128) for key in several]
    canonical = canonical_keys(several)
    encoded = list(map(encode_key, several))
    heads = Heads(128)
    filled = Heads(128)
    filled.fill(canonical)
    backend = KeyedBackend("operator", "test", range(128), 128, CacheLimits())
    assert encode_keys(several) == encode_keys(canonical) == encoded
    assert key_groups_of(several, 128).tolist() == key_groups_of(canonical, 128).tolist() == groups
    assert GroupMemo(128).of_all(several).tolist() == groups
    assert [int.from_bytes(heads[key][0], "big") for key in canonical] == groups
    assert [filled[key] for key in canonical] == [heads[key] for key in canonical]
    assert backend.addresses(b"col1", canonical) == [backend.address(b"col1", key) for key in canonical]
    route = KeyGroupHash(_itself).router(Lane(0, 1, 4, 128))
    dealt = {id(value): target for target, batch in route(Batch(several)) for value in batch.values}  # noqa: PD011
    assert [dealt[id(key)] for key in several] == [group * 4 // 128 for group in groups]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, None, -5], pa.int32()), ([True, False], pa.bool_()), ([0.5, float("nan"), -0.0, 0.0, 2.0], pa.float64()),
        ([0.1, 3.0], pa.float32()), (["a", None], pa.string()), ([b"a"], pa.binary()),
        ([Decimal("2.50")], pa.decimal128(9, 2)),
        ([NOON], pa.timestamp("us")), ([NOON_UTC], pa.timestamp("us", "UTC")), ([dt.date(2024, 5, 1)], pa.date32()),
        ([["a", "b"], []], pa.list_(pa.string())), ([dt.time(1)], pa.time64("us")), ([2**63, 5], pa.uint64()),
    ],
)  # fmt: skip
def test_keys_in_columns_have_the_groups_that_they_have_alone(values, kind):
    column = pa.array(values, kind)
    assert key_groups(column, 128).tolist() == [key_group_of(key, 128) for key in column.to_pylist()]


# What has no canonical form


class Own:
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


class Plain:
    pass


@dataclass
class Mutable:
    x: int


@dataclass(frozen=True, eq=False)
class Identity:
    x: int


@dataclass(frozen=True)
class Partly:
    x: int
    y: int = field(compare=False)


@dataclass(frozen=True)
class OwnEquality:
    x: int

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


class OwnString(str):
    __slots__ = ()

    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


def _local():
    @dataclass(frozen=True)
    class Local:
        x: int

    return Local(1)


REFUSED = {
    "a class with an equality of its own": (Own(), r"Own, whose __eq__ only it knows"),
    "a plain class": (Plain(), r"Plain, which has no canonical form, so no state can be kept for it. Return a string"),
    "a dataclass that may change": (Mutable(1), r"Mutable, .*@dataclass\(frozen=True\)"),
    "a dataclass without equality": (Identity(1), r"Identity, a dataclass whose equality is not that of all"),
    "a dataclass that leaves out a field": (Partly(1, 2), r"Partly, a dataclass whose equality"),
    "a dataclass with an equality of its own": (OwnEquality(1), r"OwnEquality, a dataclass whose equality"),
    "a string with an equality of its own": (OwnString("a"), r"OwnString, whose __eq__"),
    "a class of a function": (_local(), r"Local, a class that another worker can't import"),
    "a dict": ({"a": 1}, r"dict, .*Return one of its values"),
    "an array": (np.array([1]), r"ndarray, .*tuple\(key.tolist\(\)\)"),
    "a complex number": (1j, r"complex, .*\(key.real, key.imag\)"),
    "something inside": (("a", [Row({})]), r"dict, "),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_canonical_form_is_refused(name):
    key, message = REFUSED[name]
    for refuse in (encode_key, canonical_key, lambda one: canonical_keys([one]), lambda one: encode_keys([one])):
        with pytest.raises(KeyTypeError, match=message):
            refuse(key)


# The bytes that are in saved state


def _encoded_by_0_1_0(key):
    """Encode a key as commit 733b7db did, of the types whose encoding stays."""
    if key is None:
        return b"n"
    if type(key) is str:
        return b"s" + key.encode("utf-8", "surrogatepass")
    if type(key) is bytes:
        return b"b" + key
    if type(key) is tuple:
        parts = map(_encoded_by_0_1_0, key)
        return b"t" + b"".join(struct.pack(">I", len(part)) + part for part in parts)
    if isinstance(key, bool | int) or key.is_integer():
        return b"i%d" % int(key)
    return b"f" + struct.pack(">d", key)


unchanged = st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.floats(allow_nan=False)


@given(st.lists(st.recursive(unchanged, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=5)))
def test_plain_keys_have_the_bytes_that_they_always_had(several):
    wanted = list(map(_encoded_by_0_1_0, several))
    assert list(map(encode_key, several)) == encode_keys(several) == wanted


def _itself(key):
    return key
