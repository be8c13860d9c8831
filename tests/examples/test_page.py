"""The page of examples shows what they print; and every example is on it."""

from __future__ import annotations

import ast
import doctest

import pytest

import examples_page

pytestmark = pytest.mark.job

NOT_ON_THE_PAGE = {"sample_data", "drawing", "orders_demo"}


@pytest.mark.parametrize("name", examples_page.NAMES)
def test_the_page_shows_what_an_example_prints(name):
    page = examples_page.PAGE.read_text(encoding="utf-8")
    assert examples_page.section(name, examples_page.output_of(name)) in page


def test_every_example_is_on_the_page():
    there = {path.stem for path in examples_page.EXAMPLES.glob("*.py")}
    assert there - NOT_ON_THE_PAGE == set(examples_page.NAMES)


@pytest.mark.parametrize("name", examples_page.NAMES)
def test_an_example_is_short_and_names_its_command(name):
    source = (examples_page.EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    assert source.count("\n") <= 150
    assert f"examples/{name}.py" in ast.get_docstring(ast.parse(source))


def test_tables_and_bars_are_drawn_as_they_say(example):
    tried = doctest.testmod(example("drawing"))
    assert tried.attempted > 0
    assert tried.failed == 0
