"""Window transcripts on Spark: some of each file in every run, all of them at night.

tests/transcripts/test_whole_jobs.py plays every case with the same tasks and blocks, without Spark.
"""

from __future__ import annotations

import pytest
from tests.transcripts.whole_job import FILES, cases_of, moves_the_clock, play_and_check

from flott.spark.submit import submit

pytestmark = pytest.mark.spark

CASES = [[case for case in cases_of(path) if not moves_the_clock(case)] for path in FILES]
CLOCK_CASES = [case for path in FILES for case in cases_of(path) if moves_the_clock(case)]
SOME = 2


def test_some_cases_of_each_file_in_one_job():
    play_and_check([case for cases in CASES for case in cases[:SOME]], submit)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "cases", [pytest.param(cases, id=path.stem) for path, cases in zip(FILES, CASES, strict=True) if cases]
)
def test_all_cases_of_a_file_in_one_job(cases):
    play_and_check(cases, submit)


SELDOM = [pytest.param(case, marks=pytest.mark.nightly) for case in CLOCK_CASES[SOME:]]


@pytest.mark.parametrize("case", [*CLOCK_CASES[:SOME], *SELDOM], ids=lambda case: case.name)
def test_a_case_that_moves_the_clock(case):
    play_and_check([case], submit)
