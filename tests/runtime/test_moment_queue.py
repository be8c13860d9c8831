from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.runtime.batch import MAX_WATERMARK
from flott.runtime.keys import key_group_of
from flott.runtime.moment_queue import MomentQueue
from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.changes import EpochChanges
from flott.runtime.timer_queue import NEVER
from flott.runtime.windowing.assigners import SlidingEventTimeWindows, TumblingEventTimeWindows
from flott.runtime.windowing.operator import WindowOperator
from flott.runtime.windowing.panes import PaneOwner, WindowBytes
from flott.runtime.windowing.spec import WindowSpec
from flott.runtime.windowing.triggers import EventTimeTrigger
from flott.runtime.windowing.windows import TimeWindow
from flott.testing.harness import KeyedOneInputOperatorHarness


class Store(dict):
    """What a backend asks of a store."""

    token = ""

    def reader(self, column):
        return self.get

    def scan(self, prefix):
        return iter([(key, self[key]) for key in sorted(self) if key.startswith(prefix)])


def queue_on(store):
    backend = KeyedBackend("operator", "operator 'windows'", range(128), 128, CacheLimits(1_000))
    backend.begin(store)
    return MomentQueue(backend, "moments", PaneOwner(WindowBytes()))


owners = st.tuples(st.sampled_from(["a", "b", 3, None, ("c", 1)]), st.builds(TimeWindow, st.just(0), st.integers(1, 3)))
moments = st.integers(-5, 9)
steps = st.one_of(
    st.tuples(st.just("add"), owners, moments),
    st.tuples(st.just("remove"), owners, moments),
    st.tuples(st.just("due"), st.none(), moments),
    st.tuples(st.just("epoch"), st.booleans(), st.none()),
)


@given(st.lists(steps, max_size=60))
def test_like_a_dict_of_sets(script):
    store, model = Store(), defaultdict(set)
    queue = queue_on(store)
    for step, what, time in script:
        if step == "add":
            queue.add(what, time)
            model[time].add(what)
        elif step == "remove":
            queue.remove(what, time)
            model[time].discard(what)
        elif step == "due":
            expected = [(moment, model.pop(moment)) for moment in sorted(model) if moment <= time]
            found = [(moment, list(owners)) for moment, owners in queue.due(time)]
            assert [(moment, set(some)) for moment, some in found] == [one for one in expected if one[1]]
            assert all(len(some) == len(set(some)) for _, some in found)
        else:
            index = queue.snapshot()
            changes = EpochChanges()
            queue.flush(changes)
            for key, value in changes.entries.items():
                if value is None:
                    del store[key]
                else:
                    store[key] = value
            queue = queue_on(store)
            queue.restore(index if what else None)
        left = {(time, owner) for time, some in model.items() for owner in some}
        assert set(queue.all()) == left
        assert queue.earliest() == min((time for time, _ in left), default=NEVER)


def test_timers_of_a_moment_are_few_entries_however_many_epochs_they_come_in():
    store = Store()
    queue = queue_on(store)
    written = 0
    for epoch in range(64):
        for number in range(20):
            queue.add((f"key-{epoch}-{number}", TimeWindow(0, 10)), 9)
        index = queue.snapshot()
        changes = EpochChanges()
        queue.flush(changes)
        written += sum(map(len, filter(None, changes.entries.values())))
        store.update(changes.entries)
        for key in [key for key, value in store.items() if value is None]:
            del store[key]
        assert len(index[0][9]) <= 7
    assert written < 10 * sum(map(len, store.values()))
    assert [(time, len(owners)) for time, owners in queue.due(9)] == [(9, 64 * 20)]


@pytest.mark.parametrize("assigner", [TumblingEventTimeWindows(10, 0), SlidingEventTimeWindows(10, 5, 0)])
@pytest.mark.parametrize("lateness", [0, 7])
@pytest.mark.parametrize("short_first", [True, False])
def test_a_job_may_come_back_with_the_other_kind_of_queue(assigner, lateness, short_first):
    """As when a trigger of the program's own takes the place of the usual one, or the other way round."""
    spec = WindowSpec(assigner, EventTimeTrigger(), reduce=Add(), allowed_lateness=lateness)
    operators = [spec.operator(by_key), WindowOperator(spec, by_key)]
    first, second = operators if short_first else operators[::-1]
    records = [((f"key-{number % 20}", 1), number % 30) for number in range(300)]
    expected = run([first], 2, records, [])
    assert run([first, second], 2, records, [1]) == expected
    assert sum(result.value[1] for result in expected) == 300 * (2 if type(assigner) is SlidingEventTimeWindows else 1)


class Add:
    def reduce(self, one, other):
        return (one[0], one[1] + other[1])


def by_key(record):
    return record[0]


def run(operators, parallelism, records, others):
    """Run records through subtasks of the first operator, and end with those of the last."""
    results = []
    harnesses = [
        KeyedOneInputOperatorHarness(operators[0], parallelism=parallelism, subtask=subtask)
        for subtask in range(parallelism)
    ]
    for harness in harnesses:
        harness.open()
        groups = harness.backend.groups
        mine = [(value, time) for value, time in records if key_group_of(value[0], 128) in groups]
        harness.process_batch([value for value, _ in mine], [time for _, time in mine])
        harness.process_watermark(12)
        results += harness.extract_output_records()
        harness.main.events.clear()
    for number in others:
        snapshots = [harness.snapshot() for harness in harnesses]
        for harness in harnesses:
            harness.close()
        harnesses = [KeyedOneInputOperatorHarness(operators[number], parallelism=1, subtask=0)]
        harnesses[0].restore(*snapshots)
        harnesses[0].process_watermark(12)
    for harness in harnesses:
        harness.process_watermark(MAX_WATERMARK)
        results += harness.extract_output_records()
        assert harness.num_event_time_timers() == 0
        assert harness.num_state_entries() == 0
        harness.close()
    return sorted(results, key=repr)
