"""Equal keys are one key: one group, one state, one timer, one partner; and functions see one form of it."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.values import key_positions
from tests.values.cut_source import Cuts
from tests.values.drawn_cuts import cuts, failing_cuts, parallelisms
from tests.values.equal_keys import KINDS, REFUSED, records_apart
from tests.values.key_positions import POSITIONS
from tests.values.known_failures import KEYS, known
from tests.values.profile import examples
from tests.values.runs import Run

from flott.errors import FlottError

pytestmark = pytest.mark.values


def records_of(kind):
    """Strategy: each key of a kind at least once, with the number of the line that it is on, in any order."""
    all_of_it = [(str(family), key) for family, equal in enumerate(KINDS[kind]) for key in equal]
    more = st.lists(st.sampled_from(all_of_it), max_size=6)
    return more.flatmap(lambda some: st.permutations([*all_of_it, *some]))


@pytest.mark.parametrize("kind", known(KINDS, KEYS))
@given(data=st.data())
@examples(0.1)
def test_equal_keys_are_one_key_in_every_position(runners, kind, data):
    records = data.draw(records_of(kind))
    run = Run(key_positions.JOB, records, data.draw(cuts | failing_cuts), data.draw(parallelisms))
    for runner, outcome in runners.items():
        check(run, outcome(run), runner)


def test_equal_keys_of_many_kinds_are_one_key_after_a_failure(runners):
    """The property above draws few of the ways to spread and to cut."""
    records = records_apart()
    half = len(records) // 2
    run = Run(key_positions.JOB, records, Cuts((half // 2, half, half + half // 2), 5, failure=half + 1), parallelism=4)
    for runner, outcome in runners.items():
        check(run, outcome(run), runner)


def check(run, outcome, runner):
    counts, seen = defaultdict(list), defaultdict(set)
    for position, family, count, key in outcome:
        counts[position, family].append(int(count))
        if "NoneType" not in key:
            seen[family].add(key)
    families = Counter(family for family, _ in run.values)
    together = counts.pop(("connected, together", "any"))
    assert sorted(together) == sorted(2 * count for count in families.values()), runner
    expected = {
        (position, family): shown
        for position, (_, show) in POSITIONS.items()
        for family, count in families.items()
        if (shown := show(count))
    }
    assert {place: sorted(found) for place, found in counts.items()} == expected, runner
    seen.pop("any")
    assert {family: keys for family, keys in seen.items() if len(keys) > 1} == {}, runner


@pytest.mark.parametrize("name", known(REFUSED, KEYS))
def test_a_key_without_a_canonical_form_is_refused_by_name(name):
    with pytest.raises(FlottError, match=rf"\b{name}\b"):
        Run(key_positions.JOB, [("0", REFUSED[name])]).outcome()
