"""What Arrow does with columns of texts is what is done row by row."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flott.table.functions.quick_texts import extracted, split_part
from flott.table.functions.regular import _extract
from flott.table.functions.text import _split

letters = st.text("ab&=/é\n", max_size=8)
columns = st.lists(st.none() | letters, min_size=1, max_size=6)
simple = st.sampled_from(
    ["a", "b", "&", "=", "^", "[ab]", "[^&]", "[^a-b]", "(a)", "(a|b)", "(a|^)", "(b*)", "([^&]*)"]
)
atoms = st.sampled_from(["a", "b", "&", "=", "[ab]", "[^&]", "[^a-b]"])
patterns = st.lists(
    st.builds(str.__add__, simple, st.sampled_from(["", "", "*", "+", "?", "*?", "++"])) | st.just("|"), max_size=5
).map("".join)


def row_by_row(function, column, *rest):
    return [None if text is None else function(text, *rest) for text in column]


@settings(max_examples=300)
@given(columns, patterns | patterns.map(lambda inner: f"({inner})"), st.integers(-1, 3))
def test_regular_expressions(column, pattern, group):
    made = extracted(pa.array(column, pa.string()), pattern, group)
    if made is not None:
        assert made.to_pylist() == row_by_row(_extract, column, pattern, group)


@given(columns, st.lists(st.builds(str.__add__, atoms, st.sampled_from(["", "*", "+", "?"])), max_size=5).map("".join))
def test_expressions_without_choices_and_inner_groups_are_quick(column, pattern):
    made = extracted(pa.array(column, pa.string()), f"({pattern})", 1)
    assert made.to_pylist() == row_by_row(_extract, column, f"({pattern})", 1)


def test_the_usual_ones_are_quick():
    column = pa.array(["x&channel_id=7&y", "channel_id=", None, "no"])
    assert extracted(column, "(&|^)channel_id=([^&]*)", 2).to_pylist() == ["7", "", None, None]
    assert extracted(column, "channel_id=[^&]*", 0).to_pylist() == ["channel_id=7", "channel_id=", None, None]
    assert extracted(column, "a)(b", 0) is None


@pytest.mark.parametrize("pattern", [r"\d+", "a.b", "a$", "(?i)a", "a{2}", "(a)|b", "(a)?", "((a))b", "[]a]", "ä"])
def test_others_are_left_to_python(pattern):
    assert extracted(pa.array(["a"]), pattern, min(re.compile(pattern).groups, 2)) is None


@given(columns, st.sampled_from(["a", "/", "&=", "é", "\n"]), st.integers(-1, 4))
def test_split(column, separator, index):
    made = split_part(pa.array(column, pa.string()), separator, index)
    assert made.to_pylist() == row_by_row(_split, column, separator, index)
    # A part of a column, as after a filter.
    assert split_part(pa.array(["a/b", *column], pa.string()).slice(1), separator, index).equals(made)
