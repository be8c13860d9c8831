from __future__ import annotations

import pytest

from flott.cep import Pattern


def is_a(event):
    return event == "a"


def test_the_automaton_as_text():
    pattern = (
        Pattern.begin("a").where(is_a).followed_by("b").where(lambda e: e == "b").one_or_more().greedy()
        .not_followed_by("n").next("c").within(60)
    )  # fmt: skip
    assert pattern.explain().splitlines() == [
        "NFA of 7 states, within 60 ms, no_skip()",
        "a (Start)",
        "  TAKE if is_a → b:1",
        "b:1 (Normal)",
        "  TAKE if b → b",
        "  IGNORE if not b → b:1",
        "b (Normal)",
        "  PROCEED → c",
        "  TAKE if b → b",
        "  PROCEED → n",
        "  IGNORE if not b → b:0",
        "c (Normal)",
        "  TAKE if not b → $endState$",
        "  PROCEED if not b → n",
        "n (Stop)",
        "  TAKE → n",
        "b:0 (Normal)",
        "  TAKE if b → b",
        "  IGNORE if not b → b:0",
        "  PROCEED → n",
        "$endState$ (Final)",
    ]


def test_the_automaton_as_a_picture():
    pattern = Pattern.begin("a").where(is_a).next("b").optional()
    assert pattern.explain("mermaid").splitlines() == [
        "stateDiagram-v2",
        "    direction LR",
        '    state "a" as s0',
        '    state "b" as s1',
        '    state "match" as s2',
        "    [*] --> s0",
        "    s0 --> s1 : TAKE if is_a",
        "    s1 --> s2 : TAKE",
        "    s1 --> s2 : PROCEED",
        "    s2 --> [*]",
    ]


def test_an_unknown_format_is_refused():
    with pytest.raises(ValueError, match="'text' and 'mermaid'"):
        Pattern.begin("a").explain("svg")
