"""Each program of PyFlink's own examples, unmodified, on PyFlink and on Flott."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml
from tests.oracle.examples.play import cleaned, folder_of_examples, play, play_endless
from tests.oracle.examples.report import report, verdict_of

from pyflink_environment import ROOT

EXPECTED = yaml.safe_load(Path(__file__).with_name("expected.yaml").read_text(encoding="utf-8"))
PAGE = ROOT / "docs" / "pyflink-examples.md"


def those(verdict):
    return [name for name, expected in EXPECTED.items() if verdict_of(expected) == verdict]


@pytest.fixture(scope="session")
def examples():
    return folder_of_examples()


@pytest.mark.oracle
@pytest.mark.parametrize("name", those("same"))
def test_prints_what_pyflink_prints(name, examples, tmp_path):
    assert play("flott", examples / name, tmp_path) == play("pyflink", examples / name, tmp_path)


@pytest.mark.oracle
@pytest.mark.parametrize("name", those("runs"))
def test_runs(name, examples, tmp_path):
    entry = EXPECTED[name]
    run = play_endless(examples / name, tmp_path) if entry["runs"].startswith("endless") else None
    assert run or play("flott", examples / name, tmp_path)


@pytest.mark.oracle
@pytest.mark.parametrize("name", those("not yet"))
def test_does_not_run_yet(name, examples, tmp_path):
    """One that has begun to run belongs into another line of expected.yaml."""
    with pytest.raises(AssertionError):
        assert play("flott", examples / name, tmp_path) == play("pyflink", examples / name, tmp_path)


@pytest.mark.oracle
def test_every_example_is_listed(examples):
    assert {path.relative_to(examples).as_posix() for path in examples.rglob("*.py")} == set(EXPECTED)


def test_the_page_says_what_the_oracle_checks():
    assert PAGE.read_text(encoding="utf-8") == report(EXPECTED), "write it anew: python tests/oracle/examples"


def test_subtasks_widths_and_logs_do_not_count():
    printed = ["3> (a,1)", "+----+--+", "|  op | id |", "job 'x' (" + "0" * 32 + ") runs", ""]
    assert cleaned(printed) == Counter(["(a,1)", "|op|id|"])
