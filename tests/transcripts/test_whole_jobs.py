"""Every window transcript as a job in this process: the same tasks, blocks and barriers as on Spark."""

from __future__ import annotations

import pytest
from tests.transcripts.whole_job import FILES, cases_of, moves_the_clock, play_and_check

from flott.testing.cluster import submit

pytestmark = pytest.mark.job


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_all_cases_of_a_file_in_one_job(path):
    cases = [case for case in cases_of(path) if not moves_the_clock(case)]
    if not cases:
        pytest.skip("all cases of this file move the clock: they run one by one")
    play_and_check(cases, submit)


CLOCK_CASES = [case for path in FILES for case in cases_of(path) if moves_the_clock(case)]


@pytest.mark.parametrize("case", CLOCK_CASES, ids=lambda case: case.name)
def test_a_case_that_moves_the_clock(case):
    play_and_check([case], submit)
