"""What was emitted stays as it was, whatever a function does with the object, wherever epochs and batches are cut."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.values import emitters, in_place
from tests.values.changing_objects import SHAPES, after
from tests.values.cut_source import Cuts
from tests.values.drawn_cuts import failing_cuts
from tests.values.emitters import EMITTERS, IN_STATE
from tests.values.fingerprints import fingerprint
from tests.values.known_failures import EMISSIONS, known
from tests.values.profile import examples
from tests.values.runs import UNCUT, Run

pytestmark = pytest.mark.values


@pytest.mark.parametrize("shape", SHAPES)
def test_objects_of_each_shape_do_not_change(runners, shape):
    """The property below draws only some of them."""
    check(runners, "value state", shape, 3, UNCUT)


@pytest.mark.parametrize("emitter", known(EMITTERS, EMISSIONS))
@given(shape=st.sampled_from(sorted(SHAPES)), count=st.integers(2, 12), cuts=failing_cuts)
@example(shape="dict of lists", count=6, cuts=UNCUT)
@example(shape="dict of lists", count=12, cuts=Cuts((3, 6, 9), 2, failure=9))
@examples(0.3)
def test_emitted_records_do_not_change(runners, emitter, shape, count, cuts):
    check(runners, emitter, shape, count, cuts if emitter in IN_STATE else replace(cuts, failure=None))


def test_windows_keep_what_was_changed_until_a_late_record_comes(runners):
    shape, count = "dict of lists", 12
    records = [(shape, number) for number in range(1, count + 1)]
    run = Run(f"{in_place.__name__}:late_window_in_place", records, Cuts((1, 4, 8), 1, failure=9))
    expected = Counter(fingerprint(after(shape, times)) for times in range(1, count))
    for runner, outcome in runners.items():
        assert Counter(value for [value] in outcome(run)) == expected, runner


def check(runners, emitter, shape, count, cuts):
    run = Run(f"{emitters.__name__}:emitting:{emitter}", [(shape, number) for number in range(1, count + 1)], cuts)
    expected = Counter(fingerprint(after(shape, times)) for times in range(1, count + 1))
    for runner, outcome in runners.items():
        found = Counter(value for [value] in outcome(run))
        assert found == expected, f"{runner}: emitted more often: {found - expected}, not: {expected - found}"
