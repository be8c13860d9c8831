"""Hypothesis strategies for records: whatever a Python program may hold, alone, nested and shared."""

from __future__ import annotations

import array
import math
from collections import OrderedDict, defaultdict, deque
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from tests.values import own_types as own

from flott.common import Row, RowKind

ZONES = [UTC, timezone(timedelta(hours=-3, minutes=-30)), ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")]
NUMPY_SCALARS = [
    np.int8(-1), np.int16(300), np.int32(7), np.int64(-(2**63)), np.uint8(255), np.uint64(2**64 - 1), np.bool_(True),
    np.float16(0.5), np.float32(0.1), np.float64(1.5), np.float64("nan"), np.float64("-0.0"), np.complex128(1 - 2j),
    np.str_("ü"), np.bytes_(b"ab"), np.datetime64("2024-02-29T12:00:00.000000001", "ns"), np.datetime64("NaT"),
    np.timedelta64(5, "s"), np.longdouble(0.1),
]  # fmt: skip
ARRAYS = [
    np.arange(6, dtype=np.int32), np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(4).reshape(2, 2)),
    np.array(3.5), np.array([], dtype=np.float32), np.array(["a", "bc"]), np.array([1, "a", None], dtype=object),
    np.array([(1, 2.0)], dtype=[("n", "i4"), ("x", "f8")]), np.array([True, False]), np.arange(10)[::3],
    np.array(["2024-01-01", "NaT"], dtype="datetime64[D]"),
]  # fmt: skip
BUFFERS = [bytearray(b""), bytearray(b"abc"), array.array("d", [1.0, math.nan]), array.array("i", [1, 2])]
PANDAS = [
    pd.NaT, pd.NA, pd.Timestamp("2024-03-31 02:30:00.123456789"), pd.Timestamp("2024-10-27 04:30", tz="Europe/Berlin"),
    pd.Timedelta(days=1, nanoseconds=7), pd.Interval(1, 2), pd.Period("2024-03"),
]  # fmt: skip
OF_CLASSES = [
    own.Color.RED, own.Color.BLUE, own.Level.HIGH, own.Name.ANN, own.Rights.READ | own.Rights.WRITE, own.Count(5),
    own.Ratio(0.5), own.Label("label"), own.Digest(b"d"),
]  # fmt: skip
STRINGS = ["", "ann", "\x00", "ü€😀", "\ud800", "a" * 300]
NUMBERS = [0, 1, -1, 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**40]

times = st.times() | st.builds(time, st.integers(0, 23), fold=st.integers(0, 1), tzinfo=st.sampled_from(ZONES[:2]))
datetimes = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)) | st.datetimes(  # noqa: DTZ001 - with no zone
    datetime(1970, 1, 2),  # noqa: DTZ001
    datetime(2037, 1, 1),  # noqa: DTZ001
    timezones=st.sampled_from(ZONES),
)
plain = {
    "none": st.none(),
    "boolean": st.booleans(),
    "integer": st.integers() | st.sampled_from(NUMBERS),
    "float": st.floats(),
    "complex": st.complex_numbers(),
    "string": st.text(max_size=8) | st.sampled_from(STRINGS),
    "bytes": st.binary(max_size=8),
    "ellipsis": st.just(...),
}
others = {
    "decimal": st.decimals() | st.sampled_from([Decimal("0.50"), Decimal("1E+30"), Decimal("-0")]),
    "fraction": st.fractions() | st.just(Fraction(1, 3)),
    "date": st.dates() | st.just(date.min),
    "time": times,
    "datetime": datetimes,
    "timedelta": st.timedeltas(),
    "uuid": st.builds(UUID, int=st.integers(0, 2**128 - 1)),
    "range": st.builds(range, st.integers(-5, 5), st.integers(-5, 5)),
    "numpy scalar": st.sampled_from(NUMPY_SCALARS),
    "numpy array": st.sampled_from(ARRAYS).map(np.copy) | st.sampled_from(ARRAYS),
    "buffer": st.sampled_from(BUFFERS),
    "pandas": st.sampled_from(PANDAS),
    "of a class": st.sampled_from(OF_CLASSES),
}
leaves = {**plain, **others}
leaf = st.one_of(*leaves.values())
hashable = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=4), st.binary(max_size=4), st.dates())
FIELDS = ["user", "n", "f0"]


def named_rows(inner):
    return st.dictionaries(st.sampled_from(FIELDS), inner, min_size=1).map(lambda values: Row(**values))


def plain_rows(inner):
    return st.lists(inner, min_size=1, max_size=3).map(lambda values: Row(*values))


def changes(inner):
    return st.builds(Row.of_kind, st.sampled_from(RowKind), inner, inner)


def shared(inner):
    """One object in two places."""
    return inner.map(lambda one: [one, {"again": one}, (one,)])


def containers(inner):
    few = st.lists(inner, max_size=4)
    mapping = st.dictionaries(hashable, inner, max_size=3)
    return st.one_of(
        few, few.map(tuple), mapping, shared(inner), named_rows(inner), plain_rows(inner), changes(inner),
        st.sets(hashable, max_size=4), st.frozensets(hashable, max_size=4), few.map(deque), mapping.map(OrderedDict),
        mapping.map(lambda values: defaultdict(list, values)),
        st.builds(own.Order, inner, few), st.builds(own.Place, inner, inner), st.builds(own.Slotted, inner),
        st.builds(own.Point, inner, inner), st.builds(own.Visit, inner, inner), few.map(own.Pair),
        few.map(own.Basket), mapping.map(own.Settings), st.sets(hashable, max_size=3).map(own.Tags),
    )  # fmt: skip


values = st.recursive(leaf, containers, max_leaves=6)


one_of_each = st.tuples(*leaves.values()).map(list)
nested = st.lists(containers(leaf) | values, min_size=8, max_size=20)
of_all_kinds = st.builds(lambda some, more: some + more, one_of_each, nested).flatmap(st.permutations)
"""Records of one input: each kind is there."""
alike = st.sampled_from(sorted(leaves)).flatmap(lambda kind: st.lists(leaves[kind], min_size=5, max_size=20))
"""Records of one kind: exchanges write columns of one type in another way."""
columns = st.lists(st.tuples(plain["string"], plain["integer"], plain["float"]), min_size=5, max_size=20)
batches = st.one_of(of_all_kinds, of_all_kinds, alike, columns)
