from __future__ import annotations

import pickle
from datetime import timedelta
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common import Duration, MemorySize
from flott.common import config_types as types


class Colour(Enum):
    RED = 1
    GREEN = 2


@given(st.booleans())
def test_booleans_read_back(value):
    assert types.BOOLEAN.parse(types.render(value)) is value


@given(st.integers(-(2**63), 2**63 - 1))
def test_whole_numbers_read_back(value):
    assert types.LONG.parse(types.render(value)) == value


@given(st.floats(allow_nan=False))
def test_floats_read_back(value):
    assert types.DOUBLE.parse(types.render(value)) == value


@given(st.binary())
def test_bytes_read_back(value):
    assert types.BYTES.parse(types.render(value)) == value
    assert types.BYTES.parse(bytearray(value)) == value


@given(st.integers(-(2**70), 2**70))
def test_durations_read_back(nanos):
    assert types.DURATION.parse(types.render(Duration(nanos))) == Duration(nanos)


@given(st.integers(0, 2**63 - 1))
def test_memory_sizes_read_back(size):
    assert types.MEMORY.parse(types.render(MemorySize(size))) == MemorySize(size)


@given(st.lists(st.integers(-(2**31), 2**31 - 1)))
def test_lists_read_back(items):
    assert types.list_of(types.INT).parse(types.render(items)) == items


def test_other_values_are_written_in_a_readable_way():
    assert types.render(timedelta(minutes=2)) == "2 min"
    assert types.render(Colour.RED) == "RED"
    assert types.render({"b": True, "a": 1.5}) == "{a: '1.5', b: 'true'}"
    assert types.render(("x", 1)) == "[x, '1']"
    assert types.render(float("inf")) == ".inf"


def test_typed_values_are_taken_as_they_are():
    assert types.DURATION.parse(Duration.of_days(1)) == Duration.of_days(1)
    assert types.DURATION.parse(timedelta(days=1)) == Duration.of_days(1)
    assert types.DURATION.parse(10) == Duration.of_millis(10)
    assert types.MEMORY.parse(MemorySize(1)) == MemorySize(1)
    assert types.DOUBLE.parse(5) == 5.0
    assert types.MAP.parse({"a": 1}) == {"a": "1"}
    assert types.enum_of(Colour).parse(Colour.RED) is Colour.RED


@pytest.mark.parametrize("text", ["1", "yes", "no", "0", ""])
def test_only_true_and_false_are_booleans(text):
    with pytest.raises(ValueError, match="write true or false"):
        types.BOOLEAN.parse(text)


@pytest.mark.parametrize("text", [" 4 ", "1_000", "1.0", "abc", "", "٣"])
def test_what_is_no_whole_number(text):
    with pytest.raises(ValueError, match="write a whole number"):
        types.LONG.parse(text)


def test_numbers_have_their_range():
    assert types.INT.parse("2147483647") == 2**31 - 1
    with pytest.raises(ValueError, match="from -2147483648 to 2147483647"):
        types.INT.parse("2147483648")
    with pytest.raises(ValueError, match="to 9223372036854775807"):
        types.LONG.parse("9223372036854775808")
    with pytest.raises(ValueError, match="write a number"):
        types.DOUBLE.parse("abc")


def test_words_of_a_choice_in_any_case():
    assert types.one_of("STREAMING", "BATCH").parse("Batch") == "BATCH"
    assert types.enum_of(Colour).parse("green") is Colour.GREEN
    with pytest.raises(ValueError, match="write one of STREAMING, BATCH"):
        types.one_of("STREAMING", "BATCH").parse("x")
    with pytest.raises(ValueError, match="write one of RED, GREEN"):
        types.enum_of(Colour).parse("blue")


def test_bytes_are_no_text():
    with pytest.raises(ValueError, match="set_bytearray"):
        types.BYTES.parse("text")


def test_types_can_be_pickled():
    for value_type in (types.LONG, types.list_of(types.DURATION), types.one_of("a"), types.enum_of(Colour)):
        assert pickle.loads(pickle.dumps(value_type)).name == value_type.name
