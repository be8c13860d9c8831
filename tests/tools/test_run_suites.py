from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import run_suites
from machine_use import Use
from run_suites import Budget, beyond, main, read_budget

ROOT = Path(__file__).parents[2]
BUDGET = Budget(
    minutes={"quick": 1.0, "long": 4.0},
    tiers={"test": ["quick"], "ci": ["quick", "long"]},
    limits={"test": 2.0, "ci": 10.0},
    reserved={"to-come": 5.0},
    loop_seconds=0.005,
)
QUIET_MINUTE = Use(code=0, wall=60.0, cpu=50.0, others=0.0, slowness=1.0, cores=2)


def minutes(number, **more):
    return replace(QUIET_MINUTE, wall=60.0 * number, **more)


@pytest.fixture
def machine(monkeypatch):
    """Runs no suite: each takes what is written down for it here."""
    uses = {}
    monkeypatch.setattr(run_suites, "read_budget", lambda: BUDGET)
    monkeypatch.setattr(run_suites, "measured", lambda command, _: uses[command[-1]])
    return uses


def test_a_suite_may_go_beyond_its_budget_by_half_and_no_further():
    assert beyond(BUDGET, {"quick": minutes(1.5), "long": minutes(6.1)}) == ["long"]


def test_what_others_had_of_the_machine_is_not_charged():
    stolen = minutes(3, others=2 * 120.0)
    assert stolen.quiet == 60.0
    slow = minutes(2, slowness=2.0)
    assert slow.quiet == 60.0
    assert beyond(BUDGET, {"quick": stolen, "long": slow}) == []


def test_a_faster_machine_and_wrong_counters_do_no_harm():
    assert minutes(1, slowness=0.5).quiet == 60.0
    assert minutes(1, others=1_000.0).quiet == 0.0


def test_beyond_the_budget_only_ci_fails(machine, capsys):
    machine |= {"quick": minutes(1), "long": minutes(7)}
    assert main(["--enforce", "ci"]) == 1
    assert "suite long used more than 1.5 times its budget" in capsys.readouterr().out
    assert main(["ci"]) == 0
    assert "suite long used more" in capsys.readouterr().out


def test_within_the_budget_ci_passes_and_prints_used_against_budget(machine, capsys):
    machine |= {"quick": minutes(1.2), "long": minutes(3)}
    assert main(["--enforce", "ci"]) == 0
    table = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in table[-4:]] == [
        ["quick", "1.2", "1"],
        ["long", "3.0", "4"],
        ["to-come", "-", "5"],
        ["total", "4.2", "10"],
    ]


def test_the_first_suite_that_fails_ends_the_run(machine, capsys):
    machine |= {"quick": minutes(1, code=2)}
    assert main(["--enforce", "ci"]) == 1
    out = capsys.readouterr().out
    assert "suite quick failed with exit code 2" in out
    assert "== long" not in out


def test_at_night_the_other_suites_run_after_one_that_failed(machine, capsys):
    machine |= {"quick": minutes(1, code=2), "long": minutes(3)}
    assert main(["--keep-going", "ci"]) == 1
    assert "== long" in capsys.readouterr().out


def test_an_unknown_tier_is_refused_with_those_that_exist(machine, capsys):
    with pytest.raises(SystemExit):
        main(["weekly"])
    assert "expected one of test, ci as tier, but got 'weekly'" in capsys.readouterr().err


# The budget of this repository


def test_every_suite_is_a_task_of_the_makefile_with_a_budget():
    budget = read_budget()
    tasks = set(re.findall(r"^\.PHONY: (\S+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    suites = {suite for suites in budget.tiers.values() for suite in suites}
    assert suites <= tasks
    assert suites == set(budget.minutes)
    assert not suites & set(budget.reserved)


def test_each_tier_stays_within_its_limit():
    budget = read_budget()
    assert set(budget.limits) == set(budget.tiers)
    assert all(budget.total(tier) <= limit for tier, limit in budget.limits.items())
    assert set(budget.tiers["test"]) <= set(budget.tiers["ci"])
    assert not set(budget.tiers["nightly"]) & set(budget.tiers["ci"]) - {"setup"}
