"""make compare: what it concludes from ratios, and when it stops."""

from __future__ import annotations

import json
import math
import random
from itertools import product

import pytest
from benchmarks.compare import intervals, kept, report, stages, worker
from benchmarks.compare.intervals import FEWEST, Interval, Verdict, is_settled, mean_of, median_of, verdict
from benchmarks.compare.scenarios import SCENARIOS, named, touched
from benchmarks.compare.sides import Cost, SideFailed
from benchmarks.compare.stages import Subject


def ratios(seed, count, *, speed=1.0, spread=0.03):
    """Return ratios as disturbed pairs give them: most are close, one in ten is far off."""
    rng = random.Random(seed)
    return [speed * math.exp(rng.gauss(0, spread if rng.random() < 0.9 else 5 * spread)) for _ in range(count)]


def rank_sums(count):
    return [sum(rank for rank, sign in enumerate(signs, 1) if sign) for signs in product([0, 1], repeat=count)]


# ------------------------------------------------------------------------------------------------ the interval


@pytest.mark.parametrize("count", range(FEWEST, 13))
def test_the_means_left_out_are_as_many_as_the_distribution_of_rank_sums_allows(count):
    sums = rank_sums(count)
    out = intervals.left_out(count)
    assert sum(number <= out for number in sums) / len(sums) <= 0.025
    assert sum(number <= out + 1 for number in sums) / len(sums) > 0.025


@pytest.mark.parametrize("count", [FEWEST, 8, 12, 30])
def test_the_interval_holds_the_median_in_95_of_100_cases(count):
    found = [median_of(ratios(seed, count, speed=0.96)) for seed in range(400)]
    held = sum(one.low <= 0.96 <= one.high for one in found)
    assert 368 <= held <= 396


def test_outliers_move_it_little():
    usual = ratios(1, 20, spread=0.01)
    assert median_of([*usual, 0.2, 0.3]).low > 0.98


def test_too_few_ratios_say_nothing():
    found = median_of([0.5] * (FEWEST - 1))
    assert (found.low, found.high) == (0.0, math.inf)
    assert verdict(found) is Verdict.UNDECIDED
    assert not is_settled(found)


# ------------------------------------------------------------------------------------------------ the decision


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        (Interval(0.90, 0.93, 0.9699), Verdict.SLOWER),
        (Interval(0.90, 0.95, 0.97), Verdict.UNDECIDED),
        (Interval(0.9699, 1.0, 1.1), Verdict.UNDECIDED),
        (Interval(0.97, 0.98, 0.99), Verdict.OK),
        (Interval(1.2, 1.3, 1.4), Verdict.OK),
    ],
)
def test_a_scenario_is_slower_if_its_whole_interval_is_below_the_limit(interval, expected):
    assert verdict(interval) is expected


def test_it_is_settled_once_it_is_decided_and_narrow():
    assert is_settled(Interval(0.98, 1.0, 1.02))
    assert not is_settled(Interval(0.98, 1.05, 1.12))
    assert not is_settled(Interval(0.96, 0.98, 1.0))
    assert is_settled(Interval(0.80, 0.88, 0.96))


def measured_until_settled(seed, speed, most=60):
    subject = Subject(SCENARIOS[0], "in-process")
    for one in ratios(seed, most, speed=speed):
        subject.ratios.append(one)
        if subject.is_settled:
            break
    return subject


def test_the_same_speed_never_fails_and_is_mostly_decided():
    verdicts = [verdict(measured_until_settled(seed, 1.0).interval) for seed in range(80)]
    assert Verdict.SLOWER not in verdicts
    assert verdicts.count(Verdict.OK) > 76


def test_a_loss_of_five_percent_is_mostly_found_and_hardly_ever_passed():
    verdicts = [verdict(measured_until_settled(seed, 1 / 1.05).interval) for seed in range(80)]
    assert verdicts.count(Verdict.SLOWER) > 55
    assert verdicts.count(Verdict.OK) < 4


def test_the_mean_of_many_is_closer_than_each():
    mean = mean_of([Interval(0.95, 0.98, 1.01)] * 25)
    assert 0.97 < mean.low < mean.middle < mean.high < 0.99
    assert mean.middle == pytest.approx(0.98)


def test_the_mean_leaves_out_what_has_no_interval():
    known = Interval(0.95, 0.98, 1.01)
    assert mean_of([known, median_of([0.1])]) == mean_of([known])
    assert mean_of([median_of([0.1])]).low == 0.0


# ------------------------------------------------------------------------------------------------- the report


def subject_with(values, name="dicts", **changes):
    subject = Subject(named([name])[0], "in-process", **changes)
    subject.ratios = list(values)
    return subject


def test_it_fails_for_a_slower_scenario_and_not_for_an_undecided_one():
    slower, undecided = subject_with([0.9] * 8), subject_with([0.9, 1.1] * 4, "rows")
    assert report.failures([slower, undecided, *[subject_with([1.01] * 8, "join")] * 8]) == [
        "dicts: the whole interval is below 0.97"
    ]
    assert report.failures([undecided]) == []


def test_it_fails_for_a_mean_that_many_small_losses_make():
    some = [subject_with([0.972] * 8, scenario.name) for scenario in SCENARIOS]
    assert report.failures(some) == ["geometric mean 0.972: below 0.98"]


def test_it_fails_for_a_scenario_that_a_revision_cannot_run():
    failed = subject_with([], error="ValueError: no")
    assert report.failures([failed]) == ["dicts failed: ValueError: no"]
    assert "FAILED  ValueError: no" in report.table([failed])


def test_the_table_and_the_summary_name_what_is_undecided():
    some = [subject_with([1.0] * 8), subject_with([0.9, 1.1] * 4, "rows"), subject_with([], "join")]
    lines = report.table(some).splitlines()
    assert lines[1].split() == ["dicts", "1.000", "1.000", "..", "1.000", "8", "ok"]
    assert lines[2].split()[-1] == "undecided"
    assert lines[3].endswith("not measured")
    assert report.summary(some).endswith("of 2; 1 undecided, 1 not measured")


def test_it_warns_of_all_that_nobody_knows_the_speed_of():
    decided, failed = subject_with([1.0] * 8), subject_with([], error="ValueError: no")
    few, wide, none = subject_with([1.0] * 3, "rows"), subject_with([0.9, 1.1] * 4, "cep"), subject_with([], "join")
    assert report.too_busy([decided, failed]) == ""
    assert report.too_busy([decided, few, wide, none, failed]) == (
        "WARNING: 3 of 4 undecided: the machine was too busy; give it more time with MINUTES=…"
    )


# ---------------------------------------------------------------------------------------------------- the stages


class Sides:
    """Two revisions, the new one of some speed."""

    def __init__(self, speed, error=None):
        self.speed, self.error, self.asked = speed, error, []

    def run(self, scenario, records, rounds):
        self.asked.append((scenario.name, records))
        if self.error:
            raise SideFailed(self.error)
        return [(Cost(cpu=1.0, seconds=2.0), Cost(cpu=1.0 / self.speed, seconds=4.0))] * rounds

    def close(self):
        pass


def test_a_stage_goes_on_until_its_scenarios_are_settled(monkeypatch):
    sides = Sides(0.9)
    monkeypatch.setattr(stages, "Sides", lambda *_, **__: sides)
    subjects = [Subject(one, "in-process") for one in SCENARIOS[:3]]
    stages.first_stage(subjects, None, None, math.inf, lambda _: None)
    assert [len(one.ratios) for one in subjects] == [FEWEST + stages.MORE] * 3
    assert {verdict(one.interval) for one in subjects} == {Verdict.SLOWER}


def test_a_stage_ends_when_the_time_is_up(monkeypatch):
    monkeypatch.setattr(stages, "Sides", lambda *_, **__: Sides(1.0))
    subject = Subject(SCENARIOS[0], "in-process")
    stages.first_stage([subject], None, None, -math.inf, lambda _: None)
    assert subject.ratios == []


def test_a_scenario_that_fails_is_not_tried_again(monkeypatch):
    sides = Sides(1.0, "ValueError: no")
    monkeypatch.setattr(stages, "Sides", lambda *_, **__: sides)
    subjects = [Subject(SCENARIOS[0], "in-process"), Subject(SCENARIOS[0], "in-process", pure=True)]
    stages.first_stage(subjects, None, None, math.inf, lambda _: None)
    assert [one.error for one in subjects] == ["ValueError: no"] * 2
    assert len(sides.asked) == 2


def test_after_a_failure_the_others_go_on_in_new_processes(monkeypatch):
    started = []

    def start(*_, **__):
        started.append(Sides(1.0, None if started else "ValueError: no"))
        return started[-1]

    monkeypatch.setattr(stages, "Sides", start)
    monkeypatch.setattr(stages, "processors", lambda: [0])
    failing, other = (Subject(one, "in-process") for one in SCENARIOS[:2])
    stages.first_stage([failing, other], None, None, math.inf, lambda _: None)
    assert failing.error is not None
    assert other.is_settled
    assert [bool(one.asked) for one in started[:2]] == [True, True]
    assert {name for one in started[1:] for name, _ in one.asked} == {other.scenario.name}


def test_on_spark_the_rate_counts_and_what_was_found_is_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(stages, "Sides", lambda *_, **__: Sides(1.0))
    path = tmp_path / "results.json"
    subject = Subject(SCENARIOS[0], "spark")
    stages.second_stage([subject], None, None, 60, lambda one: kept.save(path, one))
    assert set(subject.ratios) == {0.5}
    again = Subject(SCENARIOS[0], "spark")
    kept.load(path, [again])
    assert again.ratios == subject.ratios
    assert again.is_settled
    assert list(json.loads(path.read_text())) == [f"{SCENARIOS[0].name} (spark)"]


# ------------------------------------------------------------------------------------------------- the scenarios


def test_scenarios_are_chosen_by_name_or_pattern():
    assert [one.name for one in named(["rows", "q?"])] == ["rows", "q4", "q5", "q7", "q9"]
    with pytest.raises(SystemExit, match="no scenario 'row'; expected keyed-count"):
        named(["row"])


def test_a_change_touches_the_scenarios_that_cover_its_folder():
    assert {one.name for one in touched(["src/flott/cep/nfa.py"])} == {"cep", "cep-columns"}
    assert touched(["docs/cep.md"]) == []
    assert touched(["src/flott/runtime/task.py"]) == list(SCENARIOS)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
@pytest.mark.job
def test_each_scenario_runs(scenario, monkeypatch, tmp_path):
    monkeypatch.setenv("FLOTT_COMPARE_CACHE", str(tmp_path))
    assert worker.run(scenario, "in-process", 200)["cpu"] > 0
