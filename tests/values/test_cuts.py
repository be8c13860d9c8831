"""Where epochs and batches are cut, which runner and how many subtasks: none of them shows in results."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.values import numbered_jobs
from tests.values.cut_source import Cuts
from tests.values.drawn_cuts import MOST, cuts, failing_cuts, parallelisms
from tests.values.exempt_operators import EXEMPT
from tests.values.ordered_operators import ORDERED
from tests.values.profile import examples
from tests.values.runs import Run

pytestmark = pytest.mark.values

records = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 20)), min_size=10, max_size=MOST)
EACH_ALONE = Cuts(tuple(range(1, MOST)), 1)
SOME = [("ab"[number % 2], number % 7) for number in range(24)]


@given(records=records, cuts=cuts | failing_cuts, parallelism=parallelisms)
@examples(0.5)
def test_results_of_each_key_are_the_same_in_the_same_order(runners, records, cuts, parallelism):
    whole = Run(numbered_jobs.ALL_ORDERED, records, ordered=True)
    cut = Run(numbered_jobs.ALL_ORDERED, records, cuts, parallelism, ordered=True)
    [*_, reference] = runners.values()
    expected = reference(whole)
    for runner, outcome in runners.items():
        found = outcome(cut)
        different = [line for line in found if line not in expected], [line for line in expected if line not in found]
        assert found == expected, f"on {runner}; only when cut, and only in one piece: {different}"


def test_what_a_key_has_is_kept_while_others_have_their_turn(runners):
    """One record of a key, then epochs with none of it, a failure, and a restore from its checkpoint."""
    records = [("a", 0), *(("b", number) for number in range(18))]
    whole = Run(numbered_jobs.ALL_ORDERED, records, ordered=True)
    [*_, reference] = runners.values()
    expected = reference(whole)
    for runner, outcome in runners.items():
        assert outcome(replace(whole, cuts=Cuts((4, 8, 12, 16), failure=13))) == expected, runner


def test_every_operator_emits_something():
    """Otherwise the property above would say nothing of it."""
    run = Run(numbered_jobs.ALL_ORDERED, SOME, ordered=True)
    assert {operator for operator, *_ in run.outcome()} == set(ORDERED)


@pytest.mark.parametrize("name", EXEMPT)
def test_an_operator_that_is_exempt_depends_on_more_than_order_and_event_time(name):
    job = f"{numbered_jobs.__name__}:exempt:{name}"
    whole, alone = (Run(job, SOME, cut, ordered=True).outcome() for cut in (Cuts(), EACH_ALONE))
    assert whole != alone, f"{EXEMPT[name].reason}: not so any more; test it with the others"
    if EXEMPT[name].same_records:
        assert sorted((key, value) for _, key, _, value in whole) == sorted((key, value) for _, key, _, value in alone)
