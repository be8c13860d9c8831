"""What is under way survives the end of an epoch, a crash, and a change of parallelism: a match completes once."""

from __future__ import annotations

from collections import defaultdict
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.cep import AfterMatchSkipStrategy, Pattern, PatternProcessFunction
from flott.cep.compile_nfa import compile_nfa
from flott.cep.operator import CepOperator
from flott.cep.run_store import FEW_EVENTS
from flott.runtime.keys import DEFAULT_MAX_PARALLELISM, key_group_of, subtask_of_group
from flott.testing.harness import KeyedOneInputOperatorHarness

pytestmark = pytest.mark.job


class Show(PatternProcessFunction):
    def process_match(self, match, ctx):
        yield tuple(event for events in match.values() for event in events)


def has_letter(wanted, event):
    return event[1] == wanted


def key_of(event):
    return event[0]


def letter(wanted):
    return partial(has_letter, wanted)


def operator(pattern):
    return CepOperator(compile_nfa(pattern), Show(), key_of)


def loop(skip=None):
    start = Pattern.begin("a", skip).where(letter("a"))
    return start.followed_by("b").where(letter("b")).one_or_more().followed_by("c").where(letter("c")).within(20)


class Cluster:
    """All subtasks of the operator; can crash, and come back with another parallelism."""

    def __init__(self, pattern, parallelism=1, snapshots=()):
        self.pattern = pattern
        self.parallelism = parallelism
        self.found = defaultdict(list)
        self.tasks = [
            KeyedOneInputOperatorHarness(operator(pattern), parallelism=parallelism, subtask=subtask)
            for subtask in range(parallelism)
        ]
        for task in self.tasks:
            if snapshots:
                task.restore(*snapshots)
            else:
                task.open()

    def events(self, events):
        for event, stamp in events:
            group = key_group_of(key_of(event), DEFAULT_MAX_PARALLELISM)
            self.tasks[subtask_of_group(group, self.parallelism, DEFAULT_MAX_PARALLELISM)].process_element(event, stamp)

    def watermark(self, stamp):
        for task in self.tasks:
            task.process_watermark(stamp)
        self.collect()

    def collect(self):
        for task in self.tasks:
            for match in task.extract_output_values():
                self.found[match[0][0]].append(match)
            task.clear_output()

    def lose_memory(self):
        """End the epoch, and go on in workers that know nothing."""
        for task in self.tasks:
            task.end_epoch(new_worker=True)

    def rescale(self, parallelism):
        """Crash after a checkpoint, and come back with another parallelism."""
        snapshots = [task.snapshot() for task in self.tasks]
        self.close()
        again = Cluster(self.pattern, parallelism, snapshots)
        again.found = self.found
        return again

    def close(self):
        for task in self.tasks:
            task.close()


@pytest.mark.parametrize("parallelism", [1, 2, 3])
def test_a_match_completes_once_after_a_crash_with_another_parallelism(parallelism):
    cluster = Cluster(loop(), 2)
    keys = [f"{number}" for number in range(10)]
    cluster.events([(f"{key}a", 1) for key in keys])
    cluster.watermark(1)
    cluster.events([(f"{key}b", 2) for key in keys])
    # The checkpoint is taken while all wait for c, and b has not even been looked at.
    cluster = cluster.rescale(parallelism)
    cluster.events([(f"{key}c", 3) for key in keys])
    cluster.watermark(5)
    assert cluster.found == {key: [(f"{key}a", f"{key}b", f"{key}c")] for key in keys}
    cluster = cluster.rescale(1)
    cluster.watermark(1000)
    assert all(len(matches) == 1 for matches in cluster.found.values())
    assert cluster.tasks[0].num_state_entries() == 0
    cluster.close()


def test_a_partial_match_times_out_after_a_crash():
    cluster = Cluster(loop(), 1)
    cluster.events([("1a", 1), ("2a", 2)])
    cluster.watermark(5)
    cluster = cluster.rescale(2)
    cluster.watermark(100)
    assert sum(task.num_state_entries() for task in cluster.tasks) == 0
    cluster.close()


def test_a_long_match_is_stored_event_by_event():
    pattern = Pattern.begin("b").where(letter("b")).one_or_more().greedy().consecutive().next("c").where(letter("c"))
    cluster = Cluster(pattern)
    (task,) = cluster.tasks
    count = 3 * FEW_EVENTS
    for number in range(count):
        cluster.events([(f"1b{number}", number)])
        cluster.watermark(number)
        if number in {5, FEW_EVENTS + 5}:
            cluster.lose_memory()
    assert task.num_state_entries() == 1 + count
    cluster = cluster.rescale(1)
    cluster.events([("1c", count)])
    cluster.watermark(count)
    longest = cluster.found["1"][0]
    assert len(longest) == count + 1
    assert len(cluster.found["1"]) == count
    assert cluster.tasks[0].num_state_entries() == 0
    cluster.close()


def test_events_that_wait_are_written_once_and_removed_when_done():
    cluster = Cluster(loop())
    (task,) = cluster.tasks
    for number in range(20):
        cluster.events([(f"1x{number}", 10 * number)])
        cluster.watermark(10 * number - 50)
        cluster.lose_memory()
    # Five events wait, one for each of the last epochs, and a mark says that those before are done.
    assert 5 <= task.num_state_entries() <= 7
    cluster.watermark(1000)
    assert task.num_state_entries() == 0
    cluster.close()


STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("events"),
            st.lists(
                st.tuples(st.sampled_from("123"), st.sampled_from("abc"), st.integers(0, 9)), min_size=1, max_size=6
            ),
        ),
        st.tuples(st.just("watermark"), st.integers(0, 9)),
        st.tuples(st.just("lose_memory"), st.none()),
        st.tuples(st.just("rescale"), st.integers(1, 3)),
    ),
    max_size=10,
)
SKIPS = st.sampled_from([None, AfterMatchSkipStrategy.skip_past_last_event(), AfterMatchSkipStrategy.skip_to_next()])


@pytest.mark.job
@given(STEPS, SKIPS)
def test_whatever_happens_in_between_the_matches_are_the_same(steps, skip):
    calm, stormy = Cluster(loop(skip)), Cluster(loop(skip))
    now, number = 0, 0
    for step, argument in steps:
        if step == "events":
            events = []
            for key, name, late in argument:
                number += 1
                events.append((f"{key}{name}{number}", now + 1 + late))
            calm.events(events)
            stormy.events(events)
        elif step == "watermark":
            now += argument
            calm.watermark(now)
            stormy.watermark(now)
        elif step == "lose_memory":
            stormy.lose_memory()
        else:
            stormy = stormy.rescale(argument)
    for cluster in (calm, stormy):
        cluster.watermark(now + 1000)
        assert sum(task.num_state_entries() for task in cluster.tasks) == 0
        cluster.close()
    assert stormy.found == calm.found
