from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from flott.common.config_text import format_list, format_map, parse_list, parse_map

# YAML has no line breaks and control characters in one line of flow style.
texts = st.text(st.characters(categories=("L", "M", "N", "P", "S", "Zs")))


@given(st.lists(st.text()))
def test_a_list_reads_back(items):
    assert parse_list(format_list(items)) == items


@given(st.dictionaries(st.text(), st.text()))
def test_a_map_reads_back(pairs):
    assert parse_map(format_map(pairs)) == pairs


@given(st.lists(texts), st.dictionaries(texts, texts))
def test_what_is_written_is_yaml_of_strings(items, pairs):
    assert yaml.safe_load(format_list(items)) == items
    assert yaml.safe_load(format_map(pairs)) == pairs


# What Flink answers for the same texts.
@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("a;b", ["a", "b"]),
        ("[a, b]", ["a", "b"]),
        ("a", ["a"]),
        ('"a;b";c', ["a;b", "c"]),
        ("a;'b;c'", ["a", "b;c"]),
        ("a;;b", ["a", "", "b"]),
        ("['a, b', c]", ["a, b", "c"]),
        ('["x", "y"]', ["x", "y"]),
        ("[]", []),
        ("a, b", ["a, b"]),
        ("{a: b, c: d}", ["{a: b, c: d}"]),
        ("'it''s';x", ["it's", "x"]),
        ("a: b;c", ["a: b", "c"]),
    ],
)
def test_reads_the_lists_flink_reads(text, items):
    assert parse_list(text) == items


def test_an_apostrophe_inside_a_word_is_no_quote():
    assert parse_list("it's;x") == ["it's", "x"]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("a:1", {"a": "1"}),
        ("a: 1, b: 2", {"a": "1", "b": "2"}),
        ('{a: 1, b: "x,y"}', {"a": "1", "b": "x,y"}),
        ("{}", {}),
        ("", {}),
        ("a:'b:c',d:e", {"a": "b:c", "d": "e"}),
        ("{a: {b: c}}", {"a": "{b: c}"}),
    ],
)
def test_reads_the_maps_flink_reads(text, pairs):
    assert parse_map(text) == pairs


@pytest.mark.parametrize("text", ["a", "a:1,b", "a:b:c"])
def test_refuses_the_maps_flink_refuses(text):
    with pytest.raises(ValueError, match="is no pair of a map"):
        parse_map(text)


def test_an_open_quote():
    with pytest.raises(ValueError, match="opened and not closed"):
        parse_list("'a;b")
