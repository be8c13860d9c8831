from __future__ import annotations

import copy
import pickle

import cloudpickle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common import Row, RowKind
from flott.common.types import _MOST_SHARED_NAMES, _SHARED_NAMES

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
values = st.recursive(scalars, lambda inner: st.tuples(inner, inner), max_leaves=4)
names = st.lists(st.from_regex(r"[a-z][a-z0-9]{0,5}", fullmatch=True), min_size=1, max_size=5, unique=True)
kinds = st.sampled_from(RowKind)


@st.composite
def rows(draw):
    if draw(st.booleans()):
        row = Row(*draw(st.lists(values, max_size=5)))
    else:
        row = Row(**{name: draw(values) for name in draw(names)})
    row.set_row_kind(draw(kinds))
    return row


@given(rows())
def test_a_row_survives_pickling_and_copying(row):
    for again in (
        pickle.loads(pickle.dumps(row)),
        pickle.loads(pickle.dumps(row, 2)),
        cloudpickle.loads(cloudpickle.dumps(row)),
        copy.copy(row),
        copy.deepcopy(row),
    ):
        assert again == row
        assert hash(again) == hash(row)
        assert repr(again) == repr(row)
        assert again.get_row_kind() is row.get_row_kind()


@given(names, st.data())
def test_named_rows_are_equal_in_any_order_of_fields_and_so_are_their_hashes(fields, data):
    content = {name: data.draw(values) for name in fields}
    shuffled = {name: content[name] for name in data.draw(st.permutations(fields))}
    assert Row(**content) == Row(**shuffled)
    assert hash(Row(**content)) == hash(Row(**shuffled))
    assert Row(**content).as_dict() == content


@given(names, st.data())
def test_a_template_makes_the_same_rows_as_keywords(fields, data):
    content = [data.draw(values) for _ in fields]
    row = Row(*fields)(*content)
    assert row == Row(**dict(zip(fields, content, strict=True)))
    assert [row[name] for name in fields] == content
    assert [getattr(row, name) for name in fields] == content
    assert row.get_fields_by_names(list(reversed(fields))) == content[::-1]


def test_fields_by_position_name_and_attribute():
    row = Row(name="Alice", age=11)
    assert (row[0], row["age"], row.name, row[-1], row[0:1]) == ("Alice", 11, "Alice", 11, ["Alice"])
    assert list(row) == ["Alice", 11]
    assert len(row) == 2
    assert "name" in row
    assert "Alice" not in row


def test_without_names_membership_looks_at_the_values():
    assert "Alice" in Row("Alice", 11)


def test_fields_are_set_by_position_and_name_but_not_by_attribute():
    row = Row(name="Alice", age=11)
    row[0] = "Bob"
    row["age"] = 12
    assert row == Row(name="Bob", age=12)
    with pytest.raises(AttributeError):
        row.name = "Carol"
    row.set_field("name", "Carol")
    assert row.get_field(0) == "Carol"
    assert row.get_arity() == 2


def test_a_field_that_is_not_there():
    with pytest.raises(ValueError, match=r"fields \['name'\] has no 'age'"):
        Row(name="Alice")["age"]
    with pytest.raises(ValueError, match="has no 'age'"):
        Row(name="Alice")["age"] = 1
    with pytest.raises(AttributeError, match="no field 'age'"):
        _ = Row(name="Alice").age
    with pytest.raises(AttributeError, match="has no field names"):
        Row("Alice")["name"]
    with pytest.raises(AttributeError, match=r"'name': this Row has no field names, use a position, or Row\(name="):
        _ = Row("Alice").name
    with pytest.raises(KeyError, match="has no field names"):
        Row("Alice")["name"] = 1
    with pytest.raises(ValueError, match=r"has no \['age'\]"):
        Row(name="Alice").get_fields_by_names(["name", "age"])
    with pytest.raises(IndexError):
        Row(1)[1]


def test_values_by_position_or_by_name_but_not_both():
    with pytest.raises(ValueError, match="either by position or by name"):
        Row(1, age=2)


def test_rows_differ_by_kind_names_and_class():
    assert Row(1) != Row.of_kind(RowKind.DELETE, 1)
    assert Row(a=1) != Row(1)
    assert Row(a=1) != Row(b=1)
    assert Row(1, 2) != (1, 2)
    assert Row(1, 2) != Row(2, 1)


def test_names_given_later():
    row = Row("Alice", 11)
    assert row.get_field_names() is None
    row.set_field_names(["name", "age"])
    assert row == Row(name="Alice", age=11)
    assert row.get_field_names() == ["name", "age"]


def test_a_template_fills_from_the_left_and_refuses_too_many():
    template = Row("name", "age")
    assert repr(template) == "<Row('name', 'age')>"
    assert repr(template("Alice")) == "Row(name='Alice')"
    with pytest.raises(ValueError, match="rows of 2 values, not 3"):
        template(1, 2, 3)
    with pytest.raises(TypeError, match="can't be called"):
        Row([1], 2)(3)


def test_a_template_hands_on_its_kind():
    template = Row.of_kind(RowKind.UPDATE_AFTER, "a")
    assert template(1).get_row_kind() is RowKind.UPDATE_AFTER


def test_as_dict_goes_into_rows_lists_and_dicts():
    row = Row(a=Row(b=1), c=[Row(d=2)], e={"f": Row(g=3)})
    assert row.as_dict() == {"a": Row(b=1), "c": [Row(d=2)], "e": {"f": Row(g=3)}}
    assert row.as_dict(recursive=True) == {"a": {"b": 1}, "c": [{"d": 2}], "e": {"f": {"g": 3}}}
    with pytest.raises(TypeError, match="without field names"):
        Row(1, 2).as_dict()


def test_kinds():
    assert [str(kind) for kind in RowKind] == ["+I", "-U", "+U", "-D"]
    assert [kind.value for kind in RowKind] == [0, 1, 2, 3]
    assert RowKind.DELETE.short_string() == "-D"
    retracting = {kind for kind in RowKind if Row.of_kind(kind)._is_retract_msg()}
    assert retracting == {RowKind.UPDATE_BEFORE, RowKind.DELETE}
    assert all(Row.of_kind(kind)._is_retract_msg() is not Row.of_kind(kind)._is_accumulate_msg() for kind in RowKind)


def test_rows_of_a_subclass_stay_what_they_are():
    again = pickle.loads(pickle.dumps(_Point(1, 2)))
    assert type(again) is _Point
    assert again == _Point(1, 2)
    assert again != Row(1, 2)


class _Point(Row):
    pass


def test_names_are_written_once_for_many_rows():
    one, many = ([Row(quite_a_long_field_name=1) for _ in range(count)] for count in (1, 100))
    assert len(pickle.dumps(many)) - len(pickle.dumps(one)) < 99 * len("quite_a_long_field_name")


def test_names_made_from_data_do_not_pile_up():
    for number in range(2 * _MOST_SHARED_NAMES):
        Row(**{f"field_{number}": 1})
    assert len(_SHARED_NAMES) <= _MOST_SHARED_NAMES
