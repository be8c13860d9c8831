"""What is emitted stays as it is then; what can't change costs nothing. Compiled and in Python."""

from __future__ import annotations

import copy
import enum
import threading
import weakref
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common import Row
from flott.common.types import RowKind
from flott.datastream import OutputTag
from flott.runtime import emission as emission_module
from flott.runtime import native
from flott.runtime.emission import copies, emission, owned
from flott.runtime.windowing.windows import TimeWindow

Pair = namedtuple("Pair", "first second")  # noqa: PYI024 - this kind is meant


class Colour(enum.Enum):
    RED = 1


class Point(NamedTuple):
    x: int
    y: Any


@dataclass
class Order:
    user: str
    items: Any = None


@dataclass(slots=True)
class Slotted:
    user: str
    items: Any = None


@dataclass(frozen=True)
class Frozen:
    user: str
    items: Any = None


@dataclass(frozen=True, slots=True)
class FrozenSlotted:
    user: str
    items: Any = None


class Plain:
    def __init__(self, items):
        self.items = items


class Base:
    __slots__ = ("first",)


class Inherited(Base):
    __slots__ = ("items", "never_set")

    def __init__(self, items):
        self.first = 1
        self.items = items


class Text(str):  # noqa: SLOT000 - it has attributes
    pass


class Numbers(list):
    pass


class OwnCopy:
    def __init__(self, items):
        self.items = items

    def __deepcopy__(self, memo):
        return OwnCopy([*self.items, "copied"])


class OwnState:
    def __init__(self, items):
        self.items = items

    def __getstate__(self):
        return {"items": list(self.items)}


class Refusing:
    def __reduce_ex__(self, protocol):
        raise TypeError("it holds a socket")


IMMUTABLE = [
    None, True, 5, 10**30, 1.5, 1j, "text", b"bytes", ..., range(3), date(2026, 1, 1), time(1), timedelta(1),
    datetime(2026, 1, 1, tzinfo=timezone.utc), Decimal("1.5"), Fraction(1, 3), UUID(int=5), Colour.RED,
    RowKind.INSERT, np.float64(1.5), np.int32(3), np.str_("x"), np.datetime64("2026-01-01"), pd.Timestamp("2026-01-01"),
    pd.NaT, (), (1, "a", None), ((1, (2, 3)), "x"), frozenset({1, (2,)}), Pair(1, "x"), Point(1, (2,)), len, Order,
    Frozen("ann", 3), FrozenSlotted("ann", ("x",)), PurePosixPath("/a"), TimeWindow(0, 5), OutputTag("late"), Colour,
]  # fmt: skip

MUTABLE = {
    "list": lambda: [1, 2],
    "dict": lambda: {"a": 1},
    "set": lambda: {1, 2},
    "Row": lambda: Row(a=1, b="x"),
    "Row without names": lambda: Row(1, "x"),
    "Row of a kind": lambda: Row.of_kind(RowKind.DELETE, 1),
    "Row in a Row": lambda: Row(a=Row(b=[1])),
    "tuple with a list": lambda: ("a", [1]),
    "named tuple with a list": lambda: Point(1, [2]),
    "dict of lists": lambda: {"a": [1], "b": [2]},
    "list of dicts": lambda: [{"a": 1}, {"b": {"c": 2}}],
    "dict with a tuple as key": lambda: {(1, "a"): {"x"}},
    "frozen with a list": lambda: Frozen("ann", [1]),
    "frozen, slots, with a list": lambda: FrozenSlotted("ann", [1]),
    "dataclass": lambda: Order("ann", 3),
    "dataclass with a list": lambda: Order("ann", [1, {"x": 2}]),
    "dataclass with slots": lambda: Slotted("ann", [1]),
    "plain class": lambda: Plain({"a": [1]}),
    "slots of a base": lambda: Inherited([1]),
    "subclass of str": lambda: Text("text"),
    "subclass of list": lambda: Numbers([1, 2]),
    "OrderedDict": lambda: OrderedDict(a=1, b=[2]),
    "defaultdict": lambda: defaultdict(list, a=[1]),
    "Counter": lambda: Counter("aab"),
    "deque": lambda: deque([1, 2], maxlen=5),
    "bytearray": lambda: bytearray(b"bytes"),
    "own state": lambda: OwnState([1]),
}


def as_plain(value):
    """Return a value as something that can be compared, types included."""
    cls = type(value)
    if isinstance(value, dict):
        return cls, [(as_plain(key), as_plain(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple, deque)):
        return cls, [as_plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return cls, sorted(map(repr, value))
    if isinstance(value, Row):
        return cls, value.get_row_kind(), value.get_field_names(), [as_plain(item) for item in value]
    state = {name: getattr(value, name) for name in ("user", "items", "first") if hasattr(value, name)}
    return cls, as_plain(state) if state else repr(value)


@pytest.fixture(params=["compiled", "pure"], autouse=True)
def twin(request, monkeypatch):
    if request.param == "pure":
        monkeypatch.setattr(native, "emission", None)
    elif native.emission is None:
        pytest.skip("not compiled")
    return request.param


def emitted(value):
    return emission(object_reuse=False).one(value)


@pytest.mark.parametrize("value", IMMUTABLE, ids=repr)
def test_what_cannot_change_is_emitted_as_it_is(value):
    assert emitted(value) is value
    assert copies([value, value])[0] is value


@pytest.mark.parametrize("make", MUTABLE.values(), ids=MUTABLE)
def test_what_can_change_is_copied_with_all_that_is_in_it(make):
    value = make()
    made = emitted(value)
    assert made is not value
    assert as_plain(made) == as_plain(value) == as_plain(make())


@pytest.mark.parametrize("make", MUTABLE.values(), ids=MUTABLE)
def test_nothing_that_can_change_is_in_both(make):
    value = make()
    mine = set(map(id, parts_that_change(value)))
    assert mine
    assert not mine & set(map(id, parts_that_change(emitted(value))))


def parts_that_change(value):
    if isinstance(value, dict):
        inside = [*value, *value.values()]
    elif isinstance(value, (list, tuple, Row, deque)):
        inside = list(value)
    else:
        inside = [value.items] if hasattr(value, "items") else []
    found = [value] if isinstance(value, (list, dict, set, Row, deque, bytearray, Text, Order, Slotted, Plain)) else []
    if isinstance(value, (Base, OwnState)):
        found.append(value)
    return [*found, *(part for one in inside for part in parts_that_change(one))]


def test_a_class_says_itself_how_it_is_copied():
    assert emitted([OwnCopy([1])])[0].items == [1, "copied"]


def test_arrays_are_copied():
    numbers = np.arange(4)
    made = emitted(("key", numbers))
    numbers[0] = 9
    np.testing.assert_array_equal(made[1], [0, 1, 2, 3])


def test_arrays_of_objects_are_copied_with_the_objects():
    cells = np.array([{"a": 1}, None], dtype=object)
    made = emitted(cells)
    cells[0]["a"] = 2
    assert made[0] == {"a": 1}


def test_references_inside_a_record_stay_shared():
    shared = [1]
    record = {"one": shared, "other": shared, "pair": (shared,)}
    record["self"] = record
    made = emitted(record)
    assert made["one"] is made["other"] is made["pair"][0]
    assert made["one"] is not shared
    assert made["self"] is made


def test_a_tuple_that_contains_itself():
    inner = []
    record = (inner, 1)
    inner.append(record)
    made = emitted(record)
    assert made[0][0] is made
    assert made[0] is not inner


def test_objects_that_refer_to_each_other():
    parent, child = Plain(None), Plain(None)
    parent.items, child.items = child, parent
    made = emitted(parent)
    assert made is not parent
    assert made.items is not child
    assert made.items.items is made


def test_very_many_references_to_the_same_are_followed_once():
    value = [1]
    for _ in range(60):
        value = (value, value)
    frozen = (1,)
    for _ in range(60):
        frozen = (frozen, frozen)
    made = emitted([value, frozen])
    assert made[1] is frozen
    assert made[0] is not value


def test_what_is_too_deep_is_refused():
    value = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(Exception, match="recursion"):
        emitted(value)


def kind_of(value):
    return type(value).__name__


@pytest.mark.parametrize("value", [threading.Lock(), (n for n in "ab"), memoryview(b"x"), Refusing()], ids=kind_of)
def test_what_cannot_be_copied_is_refused(value):
    with pytest.raises(ValueError, match=r"type \w+ can't be copied: .*object-reuse"):
        emitted(("key", value))


def test_with_object_reuse_everything_is_handed_on_as_it_is():
    record = {"a": [1]}
    assert emission(object_reuse=True).one(record) is record


def test_lists_of_records_are_copied_only_where_something_can_change():
    plain = [1, "a", (2, "b")]
    assert copies(plain) is plain
    mixed = [1, {"a": 1}, (2, "b"), {"b": 2}]
    made = copies(mixed)
    assert made == mixed
    assert [one is other for one, other in zip(made, mixed, strict=True)] == [True, False, True, False]


def test_records_that_come_twice_become_two():
    record = {"a": 1}
    made = owned([record, record, {"b": 2}])
    made[0]["a"] = 5
    assert made == [{"a": 5}, {"a": 1}, {"b": 2}]
    assert record == {"a": 1}


COMPILED = native.emission
compiled = pytest.mark.skipif(COMPILED is None, reason="not compiled")
FRESH = {
    "dict": lambda: {"a": 1, "b": (1, 2)},
    "dict of lists": lambda: {"a": [1], "b": {"c": {2}}},
    "tuple with a list": lambda: ("a", [1]),
    "Row": lambda: Row(a=1, b=[2]),
    "dataclass": lambda: Order("ann", [1]),
    "slots": lambda: Slotted("ann", [1]),
    "array": lambda: np.zeros(3),
}


@compiled
@pytest.mark.parametrize("make", FRESH.values(), ids=FRESH)
def test_what_nobody_else_refers_to_is_not_copied(make):
    assert not_copied(make)


def not_copied(make):
    """Tell by the place in memory: a copy is made while the original is still there."""
    places = []

    def made():
        value = make()
        places.append(id(value))
        return value

    return id(COMPILED.emitted(made())) == places[0]


@compiled
def test_what_somebody_refers_to_in_any_way_is_copied():
    kept = []

    def keep(value, what):
        kept.append(what(value))
        return value

    def remembers(make, what):
        return not not_copied(lambda: keep(make(), what))

    assert remembers(lambda: {"a": 1}, lambda value: value)
    assert remembers(lambda: {"a": [1]}, lambda value: value["a"])
    assert remembers(lambda: ("a", [1]), lambda value: value[1])
    assert remembers(lambda: ("a", [1]), lambda value: value)
    assert remembers(lambda: Row(a=1), lambda value: value._values)
    assert remembers(lambda: Order("ann"), weakref.ref)
    assert remembers(lambda: Order("ann"), vars)
    assert remembers(lambda: Order("ann", [1]), lambda value: value.items)
    assert remembers(lambda: np.zeros(3), weakref.ref)
    assert remembers(lambda: np.zeros(3), memoryview)
    assert remembers(lambda: np.zeros(9)[:3], lambda value: value.base)


leaves = st.none() | st.integers() | st.text() | st.floats(allow_nan=False) | st.just(Decimal(1)) | st.just(Colour.RED)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(), inner)
        | st.tuples(inner, inner)
        | st.builds(Row, inner, inner)
        | st.builds(Order, st.text(), inner)
        | st.builds(Frozen, st.text(), inner)
        | st.builds(Point, st.integers(), inner)
        | st.sets(st.integers())
    ),
    max_leaves=10,
)


@given(value=values)
def test_a_copy_is_what_deepcopy_makes(value):
    expected = as_plain(copy.deepcopy(value))
    assert as_plain(emission_module.copied(value)) == expected
    assert as_plain(emission(object_reuse=False).one(value)) == expected
