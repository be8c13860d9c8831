"""What is marshalled arrives as it was, in type and value; all else is pickled."""

from __future__ import annotations

import array
import enum
import marshal
import re
from collections import Counter, OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from types import CodeType
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common import Row
from flott.errors import FlottError
from flott.runtime import native
from flott.runtime.batch import Batch
from flott.runtime.blocks import ChannelReader, ChannelWriter, Segment, decode_block, encode_block
from flott.runtime.plain_data import is_plain

Point = namedtuple("Point", "x y")  # noqa: PYI024 - this kind is meant


class Colour(enum.IntEnum):
    RED = 1


class Name(str, enum.Enum):
    ANN = "ann"


class Count(int):
    pass


class Ratio(float):
    pass


class Text(str):
    __slots__ = ()


class Blob(bytes):
    pass


class Pair(tuple):  # noqa: SLOT001
    pass


class Many(list):
    pass


class Table(dict):
    pass


@dataclass
class Order:
    amount: int


CHANGED_BY_MARSHAL = [
    np.float64(1.5), np.float32(1.5), np.float16(1.5), np.longdouble(1.5), np.int64(5), np.int8(-5), np.uint64(2**63),
    np.bool_(True), np.str_("text"), np.bytes_(b"bytes"), np.complex128(1j), np.datetime64("2026-01-01"),
    np.timedelta64(5, "s"), np.float64("nan"),
    bytearray(b"bytes"), array.array("i", [1, 2]), Blob(b"blob"),
]  # fmt: skip
REFUSED_BY_MARSHAL = [
    Colour.RED, Name.ANN, Count(5), Ratio(0.5), Text("text"), Pair((1, 2)), Many([1]), Table(a=1), Point(1, 2),
    Row(a=1, b="x"), Row(1, 2), Order(3), Decimal("1.50"), Fraction(1, 3), UUID(int=5), OrderedDict(a=1),
    Counter("aab"), defaultdict(int, a=1), datetime(2026, 1, 1, tzinfo=timezone.utc), pd.Timestamp("2026-01-01"),
    range(3), slice(1, 2),
]  # fmt: skip
KEPT_BY_MARSHAL = [
    None, True, False, 0, -1, 2**63, 10**400, 0.0, -0.0, float("inf"), 1j, "", "text", "\ud800", b"", b"bytes", ...,
    (), (1,), [], [1, [2, [3]]], {}, {"a": {"b": (1,)}}, {1, 2}, frozenset({1}), (None, [True]),
]  # fmt: skip
WRAPPED = {
    "alone": lambda value: value,
    "in a tuple": lambda value: ("key", value),
    "in a list": lambda value: [value],
    "as a dict's value": lambda value: {"key": value},
    "deep inside": lambda value: ("key", [{"list": [(1, value)]}]),
}


def unpicklable(error):
    return FlottError(f"can't be sent: {error}")


def travelled(values, stamps=None):
    """Send values through a channel."""
    blocks = []
    writer = ChannelWriter(lambda sequence, data: blocks.append((sequence, data)), unpicklable)
    writer.add(Batch(values, stamps))
    writer.close(1, "token")
    reader = ChannelReader("a channel")
    for sequence, data in blocks:
        reader.add(sequence, data)
    reader.complete(1)
    return list(chain.from_iterable(values for values, *_ in reader.segments()))


def shown(value):
    """Return a value and the types of all that it holds, as text: NaN equals NaN, and 1 is not True."""
    if isinstance(value, dict):
        return type(value), [(shown(key), shown(one)) for key, one in value.items()]
    if isinstance(value, (tuple, list)):
        return type(value), [shown(one) for one in value]
    return type(value), repr(value)


@pytest.fixture(params=["compiled", "pure"])
def twin(request, monkeypatch):
    if request.param == "pure":
        monkeypatch.setattr(native, "records", None)
    elif native.records is None:
        pytest.skip("not compiled")


def name_of(value):
    """Return a name that is the same in every process: without addresses."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


@pytest.mark.usefixtures("twin")
@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
@pytest.mark.parametrize("value", [*CHANGED_BY_MARSHAL, *REFUSED_BY_MARSHAL, *KEPT_BY_MARSHAL], ids=name_of)
def test_a_value_arrives_at_the_other_side_of_an_exchange_as_it_was(value, wrap):
    sent = [wrap(value)] * 20
    assert list(map(shown, travelled(sent))) == list(map(shown, sent))


@pytest.mark.usefixtures("twin")
def test_arrays_arrive_as_arrays():
    [arrived] = travelled([{"weights": np.arange(6.0).reshape(2, 3)}])
    np.testing.assert_array_equal(arrived["weights"], np.arange(6.0).reshape(2, 3), strict=True)


@pytest.mark.usefixtures("twin")
def test_a_set_of_numpy_numbers_and_keys_of_a_dict_keep_their_types():
    [(numbers, table)] = travelled([({np.int64(5)}, {np.int32(3): 1})])
    assert [*map(type, numbers)] == [np.int64]
    assert [*map(type, table)] == [np.int32]


@pytest.mark.usefixtures("twin")
def test_timestamps_of_numpy_do_not_become_bytes():
    block = encode_block([Segment(["a"], [np.int64(5)], np.int64(7))], None, unpicklable)
    [segment] = decode_block(block)
    assert (segment.stamps, segment.watermark) == ([5], 7)


@pytest.mark.usefixtures("twin")
def test_what_has_a_buffer_and_cannot_be_pickled_is_refused():
    with pytest.raises(FlottError, match="memoryview"):
        travelled([("key", memoryview(b"bytes"))])


@pytest.mark.usefixtures("twin")
@pytest.mark.parametrize("value", CHANGED_BY_MARSHAL + REFUSED_BY_MARSHAL, ids=name_of)
@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
def test_what_marshal_would_change_is_not_plain(value, wrap):
    assert not is_plain([wrap(value)])


@pytest.mark.usefixtures("twin")
@pytest.mark.parametrize("value", [*KEPT_BY_MARSHAL, is_plain.__code__], ids=name_of)
def test_what_marshal_keeps_is_plain(value):
    assert is_plain([("key", value)])
    read = marshal.loads(marshal.dumps(value))  # noqa: S302 - what this test wrote
    assert type(read) is type(value)
    assert isinstance(value, CodeType) or shown(read) == shown(value)


@pytest.mark.usefixtures("twin")
def test_references_inside_a_record_stay_shared():
    shared = [1]
    looped = {"self": None}
    looped["self"] = looped
    [(one, other), back] = travelled([(shared, shared), looped])
    assert one is other
    assert back["self"] is back


@pytest.mark.usefixtures("twin")
def test_a_value_that_is_referenced_very_often_is_looked_at_once():
    # As a tree it would have 2**60 leaves.
    value = (1,)
    table = {"leaf": 1}
    for _ in range(60):
        value, table = (value, value), {"left": table, "right": table}
    assert is_plain([value, table])
    assert not is_plain([(value, np.int64(1))])


@pytest.mark.usefixtures("twin")
def test_deep_nesting_is_no_reason_to_crash():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(FlottError, match="recursion"):
        travelled([deep])


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=8,
)
other = st.sampled_from([*CHANGED_BY_MARSHAL, *REFUSED_BY_MARSHAL])
mixed = st.recursive(
    st.none() | st.integers() | st.text() | other,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=8,
)


@pytest.mark.skipif(native.records is None, reason="not compiled")
@given(values=st.lists(plain) | st.lists(mixed))
def test_compiled_code_and_python_agree(values):
    compiled = is_plain(values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "records", None)
        assert is_plain(values) is compiled
