from __future__ import annotations

import statistics

import pytest

from performance_page import BEGIN, CHARTED, END, Figure, chart, main, place, read_figures, table, with_table

FIGURES = [
    Figure("count", "Flott", 3_000_000, 3, "0.5", (1_000_000, 3_000_000, 4_000_000)),
    Figure("count", "PyFlink", 12_000, 1, "90", ()),
]


def test_the_page_and_the_chart_are_what_the_rounds_say(capsys):
    assert main(["--check"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("figure", [one for one in read_figures() if one.kept], ids=lambda one: one.scenario)
def test_a_median_is_that_of_its_rounds(figure):
    assert len(figure.kept) == figure.rounds
    assert statistics.median(figure.kept) == figure.median


def test_what_the_chart_shows_was_measured():
    measured = {figure.scenario for figure in read_figures()}
    assert set(CHARTED.values()) <= measured


def test_a_table_has_the_spread_and_the_ratio():
    lines = table(FIGURES).splitlines()
    assert lines[2] == "| **count** | Flott | 3,000,000 | 1,000,000 to 4,000,000 | 3 | 0.5 |  |"
    assert lines[3] == "|  | PyFlink | 12,000 | one round | 1 | 90 | 250 x |"


def test_bars_grow_by_the_logarithm():
    assert place(10**5) - place(10**4) == pytest.approx(place(10**4) - place(10**3))
    assert "2.81 M Flott" in chart(read_figures())


def test_only_the_table_of_a_page_changes():
    page = f"a\n{BEGIN}old\n{END}b\n"
    assert with_table(with_table(page, "old\n"), "new\n") == with_table(page, "new\n")
    assert with_table(page, "new\n").startswith("a\n<!--")
    assert with_table(page, "new\n").endswith("-->\nb\n")
