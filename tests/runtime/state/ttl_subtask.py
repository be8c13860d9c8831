"""A subtask whose states have a time to live, with workers that take turns on its store."""

from __future__ import annotations

import tempfile
from pathlib import Path

from flott.runtime.clock import ManualClock
from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.compaction import next_lineage, write_file
from flott.runtime.state.kinds import AGGREGATING_STATE, LIST_STATE, MAP_STATE, REDUCING_STATE, VALUE_STATE
from flott.runtime.state.lineage import Lineage
from flott.runtime.state.lists import ListState
from flott.runtime.state.maps import MapState
from flott.runtime.state.store import StateStore
from flott.runtime.state.ttl import Expiry
from flott.runtime.state.values import AggregatingState, ReducingState, ValueState
from flott.runtime.storage import LocalStorage

TTL = 10


def add(a, b):
    return a + b


class Sum:
    def create_accumulator(self):
        return []

    def add(self, value, accumulator):
        return [*accumulator, value]

    def get_result(self, accumulator):
        return sum(accumulator)

    def merge(self, a, b):
        return a + b


class Worker:
    """One process: its own live objects over the shared store; with or without a time to live."""

    def __init__(self, clock, lifetime):
        self.backend = backend = KeyedBackend("op", "operator 'x'", range(128), 128, CacheLimits(1_000))
        part = backend.part

        def expiry():
            return None if lifetime is None else Expiry(lifetime, clock)

        self.value = part("v", VALUE_STATE, lambda: ValueState(backend, "v", expiry=expiry()))
        self.list = part("l", LIST_STATE, lambda: ListState(backend, "l", expiry=expiry()))
        self.map = part("m", MAP_STATE, lambda: MapState(backend, "m", expiry=expiry()))
        self.sum = part("r", REDUCING_STATE, lambda: ReducingState(backend, "r", add, expiry=expiry()))
        self.total = part("a", AGGREGATING_STATE, lambda: AggregatingState(backend, "a", Sum(), expiry=expiry()))


class Subtask:
    """A store, and workers that take turns on it."""

    def __init__(self, lifetime):
        self.folder = tempfile.TemporaryDirectory()
        root = Path(self.folder.name)
        self.storage = LocalStorage(root / "files")
        self.store = StateStore(root / "store", map_size=2**26)
        self.lineage = Lineage()
        self.epoch = 0
        self.clock = ManualClock(100)
        self.begin(lifetime)

    def begin(self, lifetime=None, worker=None):
        self.worker = worker or Worker(self.clock, lifetime)
        self.store.bring_to(self.lineage, self.storage)
        self.worker.backend.begin(self.store)
        return self.worker

    def end_epoch(self):
        self.epoch += 1
        changes = EpochChanges()
        self.worker.backend.flush(changes)
        if not changes.is_empty():
            token = f"t{self.epoch}"
            file = write_file(self.storage, f"s/delta-{self.epoch}", changes, token)
            self.lineage = next_lineage(self.lineage, file, self.store, self.storage, "s")
            self.store.bring_to(self.lineage, self.storage)
        self.worker.backend.reached(self.lineage.token)
        self.worker.backend.begin(self.store)
        return changes

    def at(self, key="k"):
        self.worker.backend.scope.key = key
        return self.worker

    def stored(self):
        return dict(self.store.entries())

    def close(self):
        self.store.close()
        self.folder.cleanup()
