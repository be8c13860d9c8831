from __future__ import annotations

import xml.etree.ElementTree as ET
from types import SimpleNamespace

import pytest

from docs_site import ROOT, fenced, on_page_markdown, without_links_outside
from draw_states import draw

DIAGRAM = """\
stateDiagram-v2
    direction LR
    state "a" as s0
    state "b 0" as s1
    state "match" as s2
    [*] --> s0
    s0 --> s1 : TAKE if a < 1
    s1 --> s1 : IGNORE
    s1 --> s0 : PROCEED
    s0 --> s2 : TAKE
    s2 --> [*]
"""


def page(uri):
    return SimpleNamespace(file=SimpleNamespace(src_uri=uri))


def test_links_to_files_outside_of_the_docs_become_text():
    text = "[a](../examples/a.py) [b](sql.md#joins) ![c](images/c.png) [d](https://example.org)"
    assert without_links_outside(text, ROOT / "docs") == (
        "a [b](sql.md#joins) ![c](images/c.png) [d](https://example.org)"
    )


def test_the_changelog_is_the_file_with_links_that_work_on_the_site():
    text = on_page_markdown("", page=page("changelog.md"))
    assert "## [Unreleased]" in text
    assert "](docs/" not in text


def test_state_diagrams_are_drawn():
    text = on_page_markdown(f"Before.\n\n```mermaid\n{DIAGRAM}```\n\nAfter.\n", page=page("cep.md"))
    assert "mermaid" not in text
    assert text.startswith("Before.\n\n<div><svg ")


def test_a_drawing_has_every_state_and_every_arrow():
    root = ET.fromstring(draw(DIAGRAM))  # noqa: S314 - our own drawing
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text") if text.text]
    assert texts == ["TAKE if a < 1", "IGNORE", "PROCEED", "TAKE", "a", "b 0", "match"]
    assert len(list(root.iter("{http://www.w3.org/2000/svg}rect"))) == 3
    assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == 2


@pytest.mark.parametrize(
    ("docstring", "shown"),
    [
        ("Adds.", "Adds."),
        (">>> 1 + 1  # doctest: +SKIP\n2", "\n```pycon\n>>> 1 + 1\n2\n```"),
        ("Adds.\n\n>>> 1\n1\n\nMore.", "Adds.\n\n\n```pycon\n>>> 1\n1\n```\n\nMore."),
    ],
)
def test_examples_in_docstrings_are_code(docstring, shown):
    assert fenced(docstring) == shown
