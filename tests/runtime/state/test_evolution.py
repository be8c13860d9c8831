"""Values of one schema become values of another, or it is said which part does not fit."""

from __future__ import annotations

from decimal import Decimal

import pytest

from flott.common import Row, RowKind, Types
from flott.common.typeinfo.schema import schema_of
from flott.runtime.state.evolution import IncompatibleSchemasError, converter

STRING, INT, LONG, DOUBLE = Types.STRING(), Types.INT(), Types.LONG(), Types.DOUBLE()
PERSON = Types.ROW_NAMED(["name", "age"], [STRING, INT])


def convert(before, after, value):
    change = converter(schema_of(before), schema_of(after))
    return value if change is None else change(value)


WHOLE = [Types.BYTE(), Types.SHORT(), Types.INT(), Types.LONG(), Types.BIG_INT()]


@pytest.mark.parametrize("after", range(5))
@pytest.mark.parametrize("before", range(5))
def test_whole_numbers_only_get_wider(before, after):
    if before <= after:
        assert converter(schema_of(WHOLE[before]), schema_of(WHOLE[after])) is None
    else:
        with pytest.raises(IncompatibleSchemasError, match=r"the value was \w+, and \w+ can't hold that"):
            converter(schema_of(WHOLE[before]), schema_of(WHOLE[after]))


@pytest.mark.parametrize(
    ("before", "after", "value", "expected"),
    [
        (INT, DOUBLE, 3, 3.0),
        (LONG, DOUBLE, None, None),
        (Types.SHORT(), Types.FLOAT(), 3, 3.0),
        (Types.FLOAT(), DOUBLE, 1.5, 1.5),
        (LONG, Types.BIG_DEC(), 3, Decimal(3)),
        (Types.CHAR(), STRING, "a", "a"),
        (Types.LIST(INT), Types.LIST(DOUBLE), [1, None], [1.0, None]),
        (Types.MAP(STRING, INT), Types.MAP(STRING, DOUBLE), {"a": 1}, {"a": 1.0}),
        (Types.TUPLE([STRING, INT]), Types.TUPLE([STRING, DOUBLE]), ("a", 1), ("a", 1.0)),
        (Types.PICKLED_BYTE_ARRAY(), PERSON, object, object),
        (PERSON, Types.PICKLED_BYTE_ARRAY(), 7, 7),
    ],
)
def test_single_values_and_collections_get_wider(before, after, value, expected):
    converted = convert(before, after, value)
    assert converted == expected
    assert type(converted) is type(expected)


@pytest.mark.parametrize(
    ("names", "types", "expected"),
    [
        (["name", "age"], [STRING, LONG], Row(name="Ann", age=7)),
        (["age", "name"], [INT, STRING], Row(age=7, name="Ann")),
        (["age"], [DOUBLE], Row(age=7.0)),
        (["city", "age", "zip"], [STRING, INT, INT], Row(city=None, age=7, zip=None)),
    ],
)
def test_fields_of_a_row_are_added_removed_moved_and_widened(names, types, expected):
    row = Row(name="Ann", age=7)
    row.set_row_kind(RowKind.UPDATE_AFTER)
    converted = convert(PERSON, Types.ROW_NAMED(names, types), row)
    assert converted.as_dict() == expected.as_dict()
    assert converted.get_row_kind() is RowKind.UPDATE_AFTER


def test_rows_may_be_tuples_or_dicts_and_a_row_without_names_goes_by_position():
    wider = Types.ROW_NAMED(["age", "city"], [DOUBLE, STRING])
    assert convert(PERSON, wider, ("Ann", 7)) == (7.0, None)
    assert convert(PERSON, wider, {"name": "Ann", "age": 7}) == {"age": 7.0, "city": None}
    assert convert(PERSON, wider, Row("Ann", 7)) == Row(age=7.0, city=None)
    assert convert(PERSON, wider, None) is None
    unnamed = Types.ROW([STRING, INT])
    assert convert(unnamed, Types.ROW([STRING, DOUBLE, LONG]), Row("Ann", 7)) == Row("Ann", 7.0, None)
    assert convert(unnamed, Types.ROW([STRING]), Row("Ann", 7)) == Row("Ann")


def test_rows_inside_of_others():
    before = Types.ROW_NAMED(["who", "scores"], [PERSON, Types.LIST(PERSON)])
    older = Types.ROW_NAMED(["name", "age"], [STRING, DOUBLE])
    after = Types.ROW_NAMED(["who", "scores"], [older, Types.LIST(older)])
    value = Row(who=Row(name="Ann", age=7), scores=[Row(name="Bob", age=8)])
    assert convert(before, after, value) == Row(who=Row(name="Ann", age=7.0), scores=[Row(name="Bob", age=8.0)])


@pytest.mark.parametrize(
    ("before", "after", "blamed"),
    [
        (STRING, INT, "the value was STRING"),
        (DOUBLE, LONG, "the value was DOUBLE"),
        (Types.BIG_INT(), DOUBLE, "the value was BIG_INT"),
        (PERSON, Types.ROW_NAMED(["name", "age"], [STRING, Types.SHORT()]), "field 'age' was INT"),
        (
            Types.ROW_NAMED(["who"], [PERSON]),
            Types.ROW_NAMED(["who"], [Types.ROW_NAMED(["age"], [STRING])]),
            "field 'age' of field 'who' was INT",
        ),
        (Types.TUPLE([INT]), Types.TUPLE([INT, INT]), "the value was"),
        (Types.MAP(INT, INT), Types.MAP(STRING, INT), "the key was INT"),
        (Types.MAP(INT, INT), Types.MAP(DOUBLE, INT), "the key was INT"),
        (Types.LIST(INT), Types.LIST(STRING), "an element was INT"),
        (Types.LIST(INT), INT, "the value was"),
        (Types.SQL_DATE(), Types.SQL_TIMESTAMP(), "the value was"),
    ],
)
def test_all_else_is_refused(before, after, blamed):
    with pytest.raises(IncompatibleSchemasError, match=blamed):
        converter(schema_of(before), schema_of(after))
