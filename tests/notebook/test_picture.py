"""What a notebook shows of a job: as text, and as HTML in which nothing that users wrote is markup."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from flott.common import Row
from flott.notebook.cells import cells_of, columns_of
from flott.notebook.picture import OperatorLine, Picture

OPERATOR = OperatorLine("Map", 1_767_258_000_000, 12_345, 12, 3, 50.4, 0.6)
PICTURE = Picture("words", "running", 7, 50.4, ["word", "count"], [["to", "2"], ["be", "1"]], 9, [OPERATOR])


def test_a_job_that_runs():
    assert repr(PICTURE).splitlines() == [
        "words: running · epoch 7 · 50 records/s",
        "+------+-------+",
        "| word | count |",
        "+------+-------+",
        "|   to |     2 |",
        "|   be |     1 |",
        "+------+-------+",
        "2 of 9 rows",
        "+----------+---------------------+--------+-----+------+------+-------+",
        "| operator |           watermark |     in | out | late | in/s | out/s |",
        "+----------+---------------------+--------+-----+------+------+-------+",
        "|      Map | 2026-01-01 09:00:00 | 12,345 |  12 |    3 |   50 |     1 |",
        "+----------+---------------------+--------+-----+------+------+-------+",
    ]


def test_a_job_that_is_over_has_no_rates():
    over = repr(replace(PICTURE, status="finished", total=2))
    assert over.startswith("words: finished · epoch 7\n")
    assert "\n2 rows\n" in over
    assert "/s" not in over


def test_html_has_the_same_in_it():
    html = PICTURE._repr_html_()
    for part in ("<b>words</b>: running · epoch 7", "<td>to</td><td>2</td>", "2 of 9 rows", "<td>12,345</td>"):
        assert part in html


def test_nothing_that_users_wrote_is_markup():
    evil = "<script>alert('&')</script>"
    operator = replace(OPERATOR, name=evil)
    html = replace(PICTURE, name=evil, columns=[evil, "b"], rows=[[evil, ""]], operators=[operator])._repr_html_()
    assert "<script>" not in html
    assert html.count("&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;") == 4


@dataclass
class Visit:
    city: str
    count: int


@pytest.mark.parametrize(
    ("record", "columns", "cells"),
    [
        (Visit("Rome", 2), ["city", "count"], ["Rome", "2"]),
        (Row(city="Rome", count=2), ["city", "count"], ["Rome", "2"]),
        (Row("Rome", 2), ["0", "1"], ["Rome", "2"]),
        ({"city": "Rome", "count": None}, ["city", "count"], ["Rome", "None"]),
        (("Rome", 2), ["0", "1"], ["Rome", "2"]),
        ("Rome", ["value"], ["Rome"]),
    ],
)
def test_records_of_all_kinds_have_columns(record, columns, cells):
    assert columns_of(record) == columns
    assert cells_of(record, len(columns)) == cells


def test_a_record_that_does_not_fit_is_shown_as_it_is():
    assert cells_of(("Rome", 2), 3) == ["('Rome', 2)", "", ""]
