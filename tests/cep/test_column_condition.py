from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.cep import MalformedPatternError, Pattern, col
from flott.common import Row
from flott.runtime.columns import ColumnBatch

NUMBERS = st.one_of(st.none(), st.integers(-3, 3))
WORDS = st.one_of(st.none(), st.sampled_from(["x", "y", "z"]))


@st.composite
def conditions(draw, depth=2):
    if depth and draw(st.booleans()):
        left, right = draw(conditions(depth=depth - 1)), draw(conditions(depth=depth - 1))
        return draw(st.sampled_from([lambda: left & right, lambda: left | right, lambda: ~left]))()
    value = draw(st.integers(-3, 3))
    number = draw(st.sampled_from([col("a"), col("b"), col("a") + col("b"), col("a") - 1, col("b") * 2]))
    return draw(
        st.sampled_from(
            [
                number < value,
                number <= value,
                number > value,
                number >= col("a"),
                number == value,
                number != value,
                number.is_in([value, 0]),
                number.is_null(),
                col("word") == "x",
                col("word").is_in(["x", "y"]),
            ]
        )
    )


@given(conditions(), st.lists(st.tuples(NUMBERS, NUMBERS, WORDS), min_size=1, max_size=5))
def test_a_condition_says_the_same_of_columns_and_of_records(condition, records):
    # A last record without nulls, so that each column has a type.
    records = [*records, (1, 2, "x")]
    a, b, word = zip(*records, strict=True)
    batch = ColumnBatch.of({"a": list(a), "b": list(b), "word": list(word)})
    expected = [condition.of_record(record) for record in batch.values]
    assert condition.of_columns(batch).to_pylist() == expected
    assert [condition.filter(record) for record in batch.values] == [answer is True for answer in expected]


def test_a_field_is_found_in_whatever_a_record_is():
    class Thing:
        amount = 7

    condition = col("amount") > 5
    assert condition.filter({"amount": 6})
    assert condition.filter(Row(amount=6))
    assert condition.filter(Thing())
    assert (col(1) == "b").filter(("a", "b"))


def test_a_condition_shows_itself():
    condition = (col("amount") * 2 >= 10) & ~(col("country").is_in(["DE"]) | col("country").is_null())
    assert str(condition) == "(((amount * 2) >= 10) and not ((country in ['DE']) or (country is null)))"
    assert "TAKE if (amount < 3)" in Pattern.begin("a").where(col("amount") < 3).explain()


def test_mistakes_are_told():
    with pytest.raises(MalformedPatternError, match="combine conditions with &"):
        (col("a") < 1) and (col("b") < 2)
    with pytest.raises(MalformedPatternError, match="is_null"):
        col("a") == None  # noqa: B015, E711
    with pytest.raises(TypeError, match="a name or a position"):
        col(1.5)
