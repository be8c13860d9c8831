from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.graph.drawing_labels import display_label, display_width


@given(st.text(), st.integers(3, 80))
def test_a_label_is_one_printable_line_within_the_limit(text, limit):
    label = display_label(text, limit)
    assert label.isprintable()
    assert len(label) <= limit


@given(st.text(alphabet="abc", max_size=64))
def test_a_plain_short_name_stays_as_it_is(text):
    assert display_label(text) == text


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("  two\n\twords ", "two words"),
        ("\x1b[31mred", "�[31mred"),
        ("x" * 40 + "y" * 40, "x" * 32 + "…" + "y" * 31),
        ("", ""),
    ],
)
def test_labels(text, label):
    assert display_label(text) == label


@pytest.mark.parametrize(("text", "width"), [("", 0), ("Map", 3), ("窓口", 4), ("e\u0301", 1)])
def test_width_counts_columns(text, width):
    assert display_width(text) == width
