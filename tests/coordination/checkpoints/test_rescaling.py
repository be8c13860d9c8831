"""From p subtasks to q: nothing of any state is lost, nothing doubled, and all of it is where its key is."""

from __future__ import annotations

import itertools
import pickle
from collections import Counter
from pathlib import Path

import pytest

from flott.coordination.checkpoints.assignment import assign
from flott.coordination.checkpoints.metadata import CheckpointMetadata, JobState, OperatorTitle, VertexState
from flott.runtime.keys import groups_of_subtask, key_group_of, subtask_of_group
from flott.runtime.operator import Operator
from flott.runtime.plan import ChainedOperator, EpochPlan, LevelSpec, VertexSpec
from flott.runtime.reports import TaskOrder
from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.carried import Carried
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.compaction import write_file, write_snapshot
from flott.runtime.state.kinds import AGGREGATING_STATE, LIST_STATE, MAP_STATE, REDUCING_STATE, VALUE_STATE
from flott.runtime.state.lineage import Lineage
from flott.runtime.state.lists import ListState
from flott.runtime.state.maps import MapState
from flott.runtime.state.operator_state import CarriedStates, OperatorStates
from flott.runtime.state.store import StateStore
from flott.runtime.state.values import AggregatingState, ReducingState, ValueState
from flott.runtime.storage import open_storage

pytestmark = pytest.mark.job

OPERATOR = "0123456789abcdef0123456789abcdef"
KEYS = [*range(12), "a", "b", ("t", 1), "long " * 100]


class Longest:
    def create_accumulator(self):
        return ()

    def add(self, value, accumulator):
        return (*accumulator, value)

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


def states(backend):
    return {
        "value": backend.part("value", VALUE_STATE, lambda: ValueState(backend, "value")),
        "list": backend.part("list", LIST_STATE, lambda: ListState(backend, "list")),
        "map": backend.part("map", MAP_STATE, lambda: MapState(backend, "map")),
        "sum": backend.part("sum", REDUCING_STATE, lambda: ReducingState(backend, "sum", lambda a, b: a + b)),
        "all": backend.part("all", AGGREGATING_STATE, lambda: AggregatingState(backend, "all", Longest())),
    }


def backend_of(subtask, parallelism, most):
    groups = groups_of_subtask(subtask, parallelism, most)
    return KeyedBackend(OPERATOR, "operator 'op'", groups, most, CacheLimits(1_000))


def write(backend, key):
    backend.scope.key = key
    kinds = states(backend)
    kinds["value"].update(f"value of {key}")
    kinds["list"].add_all([key, 1, 2])
    kinds["map"].put("k", key)
    kinds["map"].put(7, None)
    kinds["sum"].add(3)
    kinds["sum"].add(4)
    kinds["all"].add(key)


def read(backend, key):
    backend.scope.key = key
    kinds = states(backend)
    return (
        kinds["value"].value(),
        list(kinds["list"].get() or ()),
        dict(kinds["map"].items()),
        kinds["sum"].get(),
        kinds["all"].get(),
    )


def expected(key):
    return (f"value of {key}", [key, 1, 2], {"k": key, 7: None}, 7, (key,))


def save(place, parallelism, most):
    """Write the state of all subtasks, each as a snapshot and deltas, and return it as a checkpoint has it."""
    storage = open_storage(str(place / "files"))
    tasks, columns = [], {}
    for subtask in range(parallelism):
        store = StateStore(place / f"store-{subtask}", map_size=2**24)
        backend = backend_of(subtask, parallelism, most)
        lineage = Lineage()
        mine = [key for key in KEYS if key_group_of(key, most) in backend.groups]
        for number, some in enumerate((mine[::2], mine[1::2])):
            store.bring_to(lineage, storage)
            backend.begin(store)
            for key in some:
                write(backend, key)
            changes = EpochChanges()
            backend.flush(changes)
            token = f"t{subtask}-{number}"
            if changes.count() and not lineage.files:
                lineage = Lineage(write_snapshot(storage, f"s/{token}", [changes], token))
            elif changes.count():
                lineage = Lineage((*lineage.files, write_file(storage, f"s/{token}", changes, token)))
            backend.reached(lineage.token)
        columns.update(backend.state_columns())
        lists = OperatorStates(
            split={"split": [f"{subtask}-{n}" for n in range(subtask + 1)]},
            union={"union": [subtask]},
            broadcast={"rules": {"rule": 1}},
        )
        carried = Carried({OPERATOR: CarriedStates(lists.pack("op"))}).pack()
        tasks.append(TaskOrder(carried=carried, lineage=lineage))
        store.close()
    titles = (OperatorTitle(OPERATOR, "uid", "op"),)
    state = JobState(3, (VertexState(titles, parallelism, most, tuple(tasks)),), {}, columns=columns)
    return CheckpointMetadata(1, "checkpoint", 0, "a" * 32, "job", state), storage


def plan_of(parallelism, most):
    chain = (ChainedOperator(Operator(), OPERATOR, "op", "uid"),)
    vertex = VertexSpec(0, "op", chain, parallelism, most, 0, 0)
    return EpochPlan("job", (vertex,), (), (LevelSpec(0, (0,), parallelism),))


@pytest.mark.parametrize("most", [128, 10])
@pytest.mark.parametrize("before", range(1, 8))
def test_every_kind_of_state_from_p_to_q(before, most, tmp_path):
    metadata, storage = save(tmp_path, before, most)
    for after in range(1, 8):
        check(tmp_path / f"to-{after}", metadata, storage, after, most)


def check(place, metadata, storage, after, most):
    state = assign(plan_of(after, most), metadata, None, f"r{after}", allow_non_restored=False)
    found = Counter()
    elements, unions = [], []
    for subtask, task in enumerate(state.vertices[0].subtasks):
        store = StateStore(Path(place) / f"store-{subtask}", map_size=2**24)
        store.bring_to(task.lineage, storage)
        backend = backend_of(subtask, after, most)
        backend.begin(store)
        for key in KEYS:
            if subtask_of_group(key_group_of(key, most), after, most) == subtask:
                assert read(backend, key) == expected(key)
                found[key] += 1
        groups = {int.from_bytes(address[:2], "big") for address, _ in store.entries()}
        assert groups <= set(backend.groups)
        store.close()
        kept = Carried.unpack(task.carried).operators[OPERATOR]
        lists = OperatorStates.unpack(kept.states)
        elements.append(lists.split["split"])
        unions.append(sorted(pickle.loads(kept.unions)["union"] if kept.unions else lists.union["union"]))
        assert lists.broadcast["rules"] == {"rule": 1}
    former = metadata.state.vertices[0].parallelism
    assert found == Counter(KEYS)
    assert sorted(itertools.chain(*elements)) == sorted(f"{s}-{n}" for s in range(former) for n in range(s + 1))
    sizes = [len(some) for some in elements]
    assert former == after or max(sizes) - min(sizes) <= 1
    assert former == after or unions == [list(range(former))] * after
