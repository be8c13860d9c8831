from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

import numpy as np
import pytest

from flott.common import Row, RowKind, Types
from flott.datastream._typed_values import can_misfit, conform, declared, misfit, shape_of
from flott.errors import GraphError

WORD = Types.ROW_NAMED(["word", "count"], [Types.STRING(), Types.LONG()])


class Word:
    def __init__(self):
        self.word = "be"
        self.count = 2


def test_what_a_user_declares():
    assert declared("map(...)", None) == Types.PICKLED_BYTE_ARRAY()
    assert declared("map(...)", [Types.STRING()]) == Types.ROW([Types.STRING()])
    assert declared("map(...)", WORD) is WORD
    with pytest.raises(GraphError, match="with parentheses"):
        declared("map(...)", Types.STRING)


@pytest.mark.parametrize(
    "value", [("be", 2), ["be", 2], {"count": 2, "word": "be"}, Word(), Row("be", 2), Row(count=2, word="be")]
)
def test_anything_with_the_fields_becomes_the_row(value):
    row = shape_of(WORD)(value)
    assert (row.word, row["count"], row.get_field_names()) == ("be", 2, ["word", "count"])


def test_a_row_that_fits_is_not_copied():
    row = Row(word="be", count=2)
    assert shape_of(WORD)(row) is row


def test_the_kind_of_a_row_stays():
    assert shape_of(WORD)(Row.of_kind(RowKind.DELETE, "be", 2)).get_row_kind() is RowKind.DELETE


def test_fields_without_names_get_flinks():
    assert shape_of(Types.ROW([Types.STRING()]))(("be",)) == Row(f0="be")


def test_tuples():
    shape = shape_of(Types.TUPLE([Types.STRING(), Types.LONG()]))
    pair = ("be", 2)
    assert shape(pair) is pair
    assert shape(["be", 2]) == pair
    assert shape(Row("be", 2)) == pair
    with pytest.raises(ValueError, match="2 fields, but the value has 3"):
        shape(("be", 2, 3))


def test_inside_out():
    shape = shape_of(Types.TUPLE([Types.LIST(WORD), Types.MAP(Types.STRING(), WORD)]))
    first, second = shape(([("be", 2)], {"x": ("or", 1)}))
    assert first[0].word == "be"
    assert second["x"].word == "or"


@pytest.mark.parametrize("type_info", [Types.LONG(), Types.LIST(Types.LONG()), Types.PICKLED_BYTE_ARRAY()])
def test_what_needs_no_shape_costs_nothing(type_info):
    assert shape_of(type_info) is None


def test_nothing_stays_nothing():
    for type_info in (WORD, Types.TUPLE([WORD]), Types.LIST(WORD), Types.MAP(Types.STRING(), WORD)):
        assert shape_of(type_info)(None) is None
        assert conform(None, type_info) is None


def test_what_has_no_fields_is_no_row():
    with pytest.raises(TypeError, match="7 is no row"):
        shape_of(WORD)(7)


@pytest.mark.parametrize(
    ("value", "type_info", "expected"),
    [
        ("a", Types.STRING(), "a"),
        (1, Types.DOUBLE(), 1.0),
        (1, Types.BIG_DEC(), Decimal(1)),
        (True, Types.BOOLEAN(), True),
        (2**63 - 1, Types.LONG(), 2**63 - 1),
        (2**70, Types.BIG_INT(), 2**70),
        (dt.date(2024, 1, 2), Types.SQL_DATE(), dt.date(2024, 1, 2)),
        (("be", 2), WORD, Row(word="be", count=2)),
        ((1,), Types.TUPLE([Types.DOUBLE()]), (1.0,)),
        ((1, 2), Types.LIST(Types.DOUBLE()), [1.0, 2.0]),
        ({"a": 1}, Types.MAP(Types.STRING(), Types.DOUBLE()), {"a": 1.0}),
    ],
)
def test_known_elements_are_brought_into_form(value, type_info, expected):
    conformed = conform(value, type_info)
    assert conformed == expected
    assert type(conformed) is type(expected)


@pytest.mark.parametrize(
    ("value", "type_info", "message"),
    [
        ("1", Types.LONG(), "'1' is no Long"),
        (1, Types.STRING(), "1 is no String"),
        (True, Types.LONG(), "True is no Long"),
        (1, Types.BOOLEAN(), "1 is no Boolean"),
        (128, Types.BYTE(), "does not fit in a Byte of 8 bits"),
        (2**31, Types.INT(), "does not fit in a Integer of 32 bits"),
        (("be", "2"), WORD, "'2' is no Long"),
        (("be",), WORD, "2 fields, but the value has 1"),
    ],
)
def test_elements_that_do_not_fit_are_refused(value, type_info, message):
    with pytest.raises(ValueError, match=message):
        conform(value, type_info)


def test_conforming_leaves_the_users_row_alone():
    row = Row(f0=1)
    assert conform(row, Types.ROW([Types.DOUBLE()])) is not row
    assert type(row[0]) is int


@pytest.mark.parametrize(
    ("value", "type_info", "wrong"),
    [
        ("x", Types.LONG(), "'x' is no Long"),
        (7, Types.STRING(), "7 is no String"),
        ((1, 2), Types.DOUBLE(), r"\(1, 2\) is no Double"),
        (Row(word="be", count="2"), WORD, "'2' is no Long"),
        (("be", ("x",)), Types.TUPLE([Types.STRING(), Types.TUPLE([Types.INT()])]), "'x' is no Integer"),
    ],
)
def test_what_plainly_is_of_another_type(value, type_info, wrong):
    assert can_misfit(type_info)
    assert re.fullmatch(wrong, misfit(value, type_info))


@pytest.mark.parametrize(
    ("value", "type_info"),
    [
        (None, Types.LONG()),
        (np.int64(7), Types.LONG()),
        (np.float32(1), Types.DOUBLE()),
        (7, Types.FLOAT()),
        (Decimal(7), Types.BIG_DEC()),
        (1, Types.BOOLEAN()),
        (object(), Types.PICKLED_BYTE_ARRAY()),
        ((None, 1), Types.TUPLE([Types.STRING(), Types.LONG()])),
    ],
)
def test_what_may_be_of_a_type(value, type_info):
    assert misfit(value, type_info) is None
