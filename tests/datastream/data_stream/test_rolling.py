from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common import Row, RowKind
from flott.datastream.data_stream.rolling import RollingBest, RollingField, add, larger, smaller
from flott.errors import GraphError


class Point(NamedTuple):
    x: Any
    y: Any


KINDS = {
    "tuple": lambda a, b: (a, b),
    "list": lambda a, b: [a, b],
    "row": Row,
    "named row": lambda a, b: Row(x=a, y=b),
    "named tuple": Point,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "combine", "expected"), [("sum", add, 3), ("min", smaller, 1), ("max", larger, 2)])
def test_one_field_is_combined_the_others_stay_as_in_the_first(kind, name, combine, expected):
    make = KINDS[kind]
    first, second = make("a", 2), make("b", 1)
    result = RollingField(name, 1, combine).reduce(first, second)
    assert result == make("a", expected)
    assert type(result) is type(first)


@pytest.mark.parametrize("kind", KINDS)
def test_what_came_in_is_not_changed(kind):
    make = KINDS[kind]
    first, second = make("a", 2), make("b", 1)
    result = RollingField("sum", 1, add).reduce(first, second)
    assert result is not first
    assert (first, second) == (make("a", 2), make("b", 1))


def test_a_field_of_a_row_by_its_name_and_the_kind_of_the_row():
    first = Row.of_kind(RowKind.UPDATE_AFTER, x="a", y=2)
    result = RollingField("sum", "y", add).reduce(first, Row(x="b", y=1))
    assert (result.x, result.y, result.get_row_kind()) == ("a", 3, RowKind.UPDATE_AFTER)


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_record_is_kept_whole_and_of_equal_ones_the_first(kind):
    make = KINDS[kind]
    records = [make("a", 2), make("b", 1), make("c", 2), make("d", 1)]
    assert reduce(RollingBest("min_by", 1, smaller).reduce, records) == make("b", 1)
    assert reduce(RollingBest("max_by", 1, larger).reduce, records) == make("a", 2)


@given(st.lists(st.integers(), min_size=1))
def test_single_values_are_their_own_field(numbers):
    assert reduce(RollingField("sum", 0, add).reduce, numbers) == sum(numbers)
    assert reduce(RollingField("min", 0, smaller).reduce, numbers) == min(numbers)
    assert reduce(RollingBest("max_by", 0, larger).reduce, numbers) == max(numbers)


@pytest.mark.parametrize("function", [RollingField("sum", 1, add), RollingBest("sum", "y", larger)])
def test_a_single_value_has_no_other_field(function):
    with pytest.raises(TypeError, match=r"7 is a single value, of which only sum\(0\)"):
        function.reduce(5, 7)


@pytest.mark.parametrize("field", [1.0, None, True, (1,)])
def test_a_field_is_a_position_or_a_name(field):
    for kind in (RollingField, RollingBest):
        with pytest.raises(GraphError, match="a position or a name"):
            kind("max", field, larger)
