from __future__ import annotations

import datetime as dt
from types import SimpleNamespace

import pytest

from flott.common import Row, RowKind, Types

PERSON = Types.ROW_NAMED(["name", "age"], [Types.STRING(), Types.INT()])


@pytest.mark.parametrize(
    "record",
    [
        Row("Alice", 11),
        Row(name="Alice", age=11),
        Row(age=11, name="Alice"),
        ("Alice", 11),
        ["Alice", 11],
        {"age": 11, "name": "Alice", "more": 1},
        SimpleNamespace(age=11, name="Alice"),
    ],
)
def test_a_row_is_given_in_many_forms(record):
    assert PERSON.to_internal_type(record) == (0, "Alice", 11)


def test_the_kind_of_a_row_is_kept():
    internal = PERSON.to_internal_type(Row.of_kind(RowKind.UPDATE_BEFORE, "Alice", 11))
    assert internal == (1, "Alice", 11)
    assert PERSON.from_internal_type(internal) == Row.of_kind(RowKind.UPDATE_BEFORE, name="Alice", age=11)


def test_fields_are_converted_inside():
    birthdays = Types.ROW([Types.STRING(), Types.TUPLE([Types.SQL_DATE()])])
    internal = birthdays.to_internal_type(Row("Alice", (dt.date(1970, 1, 2),)))
    assert internal == (0, "Alice", (1,))
    assert birthdays.from_internal_type(internal) == Row("Alice", (dt.date(1970, 1, 2),))


def test_a_missing_entry_of_a_dict_is_none():
    assert PERSON.to_internal_type({"name": "Alice"}) == (0, "Alice", None)


def test_a_record_of_another_length_is_refused():
    with pytest.raises(ValueError, match="has 2 fields, but the record has 3"):
        PERSON.to_internal_type(("Alice", 11, True))
    with pytest.raises(ValueError, match="has 1 fields, but the record has 2"):
        Types.TUPLE([Types.INT()]).to_internal_type((1, 2))
    with pytest.raises(ValueError, match=r"has no \['age'\]"):
        PERSON.to_internal_type(Row(name="Alice", size=3))


def test_what_is_no_record():
    with pytest.raises(ValueError, match="5 is no row"):
        PERSON.to_internal_type(5)
    with pytest.raises(ValueError, match="'ab' is no tuple"):
        Types.TUPLE([Types.STRING(), Types.STRING()]).to_internal_type("ab")


def test_names_do_not_count_for_equality():
    assert Types.ROW([Types.STRING(), Types.INT()]) == PERSON
    assert hash(Types.ROW([Types.STRING(), Types.INT()])) == hash(PERSON)
    assert Types.ROW([Types.INT()]) != Types.TUPLE([Types.INT()])


def test_names_and_positions():
    assert PERSON.get_field_names() == ["name", "age"]
    assert PERSON.get_field_index("age") == 1
    with pytest.raises(ValueError, match="has no field 'size'"):
        PERSON.get_field_index("size")
    unnamed = Types.ROW([Types.INT(), Types.INT()])
    assert unnamed.get_field_names() == ["f0", "f1"]
    assert unnamed.get_field_index("f1") == 1
    assert unnamed.get_field_index("age") == -1
    assert repr(unnamed) == "RowTypeInfo(Integer, Integer)"
    assert PERSON.get_field_types() == [Types.STRING(), Types.INT()]


def test_wrong_types_of_rows():
    with pytest.raises(ValueError, match="1 names and 2 types"):
        Types.ROW_NAMED(["a"], [Types.INT(), Types.INT()])
    with pytest.raises(ValueError, match="names of a row type differ"):
        Types.ROW_NAMED(["a", "a"], [Types.INT(), Types.INT()])
    with pytest.raises(TypeError, match=r"field 1 is .*with parentheses"):
        Types.ROW([Types.INT(), Types.STRING])
