from __future__ import annotations

import json
import re
from types import ModuleType

import pytest

import support_table
from flott.datastream._not_yet import not_yet
from pyflink_listing import read
from support_reasons import INNER, JAVA, UNKNOWN
from support_table import API, DOCUMENT, Finding, accepts, compare, extract, main, not_there_yet, render


@pytest.fixture
def place(monkeypatch):
    """A module that stands for all of Flott's."""
    module = ModuleType("flott.common.time")
    monkeypatch.setattr(support_table, "_module", lambda name: module if "absent" not in name else None)
    return module


def reasons(text):
    findings, _ = compare(read(f"### pyflink.common.time\n{text}\n"))
    return {finding.name: finding.reason for finding in findings}


class Clock:
    zone: str

    def __init__(self, start):
        self.start = start

    def now(self, unit, *, exact=False):
        return self.start

    def later(self, unit):
        """Refuses."""
        if unit is None:
            raise ValueError(unit)
        raise not_yet("later(...)", "wait")

    def maybe(self, unit):
        if unit is None:
            raise not_yet("maybe(None)", "give a unit")
        return unit


class Hand(Clock):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


def test_a_listing_is_read_with_nested_classes_enumerations_and_functions():
    text = """
### pyflink.common.a  (`__all__`: 1)
`__all__` = Out
- **Out**(ABC) @Public: ctor(j_x, y=None); go*(a, sep=';'); LIMIT [attr]
  - **Out.In**(Enum) enum{A, B}: size()
    - **In.Deep**: end()
- functions: f(x)

## Something else
- **Other**: x()
"""
    assert read(text) == {
        "pyflink.common.a": {
            "Out": {"__init__": "j_x, y=None", "go": "a, sep=';'", "LIMIT": None},
            "Out.In": {"A": None, "B": None, "size": ""},
            "Out.In.Deep": {"end": ""},
            "": {"f": "x"},
        }
    }


def test_only_the_packages_of_the_table_are_taken():
    text = "### pyflink.common.a\n- **A**: x()\n### pyflink.table.b\n- **B**: x()\n"
    assert list(extract(text)) == ["pyflink.common.a"]


def test_names_are_found_or_missing(place):
    place.Clock = Clock
    assert reasons(
        "- **Clock**: ctor(start); now(unit); zone [attr]; gone(); get_java_clock()\n- functions: tick()"
    ) == {
        "Clock": None,
        "Clock.__init__": None,
        "Clock.now": None,
        "Clock.zone": None,
        "Clock.gone": UNKNOWN,
        "Clock.get_java_clock": JAVA,
        "tick": UNKNOWN,
    }


def test_a_missing_class_lacks_all_its_members(place):
    assert reasons("- **Watch**: wind()") == {"Watch": UNKNOWN, "Watch.wind": UNKNOWN}


def test_a_constructor_of_java_objects_does_not_count(place):
    place.Clock = Clock
    assert reasons("- **Clock**: ctor(j_clock=None)") == {"Clock": None}


def test_what_says_that_it_is_not_there_yet_is_missing(place):
    place.Clock = Clock
    found = reasons("- **Clock**: later(unit); maybe(unit)")
    assert found["Clock.later"] == "not there yet; wait"
    assert found["Clock.maybe"] is None
    assert not_there_yet(len) is None


def test_other_arguments_are_told(place):
    place.Clock = Clock
    assert reasons("- **Clock**: now(size)")["Clock.now"] == f"arguments differ: size; {UNKNOWN}"


def test_operators_count_if_the_class_or_every_subclass_has_its_own(place):
    place.Hand, place.Clock, place.Plain = Hand, Clock, type("Plain", (), {})
    operators = "__eq__(other); __ne__(other); __hash__()"
    found = reasons(f"- **Hand**: {operators}\n- **Clock**: {operators}\n- **Plain**: {operators}")
    assert {name for name, reason in found.items() if reason} == {"Plain.__eq__", "Plain.__ne__", "Plain.__hash__"}


def test_a_connector_module_that_is_absent_is_only_counted(place):
    text = "### pyflink.datastream.connectors.absent\n- **Sink**: ctor(j_sink); write(value)\n"
    assert compare(read(text)) == ([], {"pyflink.datastream.connectors.absent": 2})


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        (lambda a, b=1: 0, ["a", "b=2"], True),
        (lambda a, b: 0, ["a", "b=2"], False),  # what was optional no longer is
        (lambda a, extra: 0, ["a"], False),
        (lambda a, extra=None: 0, ["a"], True),
        (lambda a: 0, ["a", "b"], False),
        (lambda b, a: 0, ["a", "b"], False),
        (lambda *anything: 0, ["a", "*rest"], True),
        (lambda a: 0, ["*rest"], False),
    ],
)
def test_arguments(function, arguments, expected):
    assert accepts(function, arguments) is expected


def test_the_page_has_both_percentages_and_every_missing_name_with_its_reason():
    module = "pyflink.common.time"
    findings = [
        Finding(module, "A"),
        Finding(module, "B", JAVA),
        Finding(module, "C", INNER),
        Finding(module, "D", "why"),
    ]
    page = render(findings, {"pyflink.datastream.connectors.kafka": 74})
    assert "| `pyflink.common.time` | 4 | 1 | 25.0 % | 50.0 % |" in page
    assert f"- `B`: {JAVA}\n- `C`: {INNER}\n- `D`: why" in page
    assert "- `pyflink.datastream.connectors.kafka`: 74 names" in page


@pytest.mark.job
def test_every_missing_name_has_a_reason_and_the_page_is_up_to_date(tmp_path, capsys):
    assert main([str(tmp_path / "support.md")]) == 0
    page = (tmp_path / "support.md").read_text(encoding="utf-8")
    assert UNKNOWN not in page
    assert page == DOCUMENT.read_text(encoding="utf-8"), "run `make support`"
    share = re.search(r"both, connectors aside.* ([\d.]+) % \|$", capsys.readouterr().out, flags=re.MULTILINE)
    assert float(share[1]) >= 95


def test_the_list_holds_both_packages():
    listing = json.loads(API.read_text(encoding="utf-8"))
    assert "map" in listing["pyflink.datastream.data_stream"]["DataStream"]
    assert "Types" in listing["pyflink.common.typeinfo"]


def test_wrong_arguments_are_refused(capsys):
    assert main(["one", "two", "three"]) == 2
    assert "usage" in capsys.readouterr().err
