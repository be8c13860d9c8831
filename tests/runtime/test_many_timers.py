"""Half a million timers over many keys, at night five million: memory stays bounded, and firing costs what fires."""

from __future__ import annotations

import pytest

from flott.runtime import timer_queue
from flott.runtime.clock import ManualClock
from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.store import StateStore
from flott.runtime.timers import TimerService

TIMERS_PER_KEY = 5
EPOCHS = 20
GROUPS = 128


class Worker:
    def __init__(self, store):
        self.store = store
        self.fired = 0
        self.read = 0
        self.most_in_memory = 0
        self.backend = KeyedBackend("op", "operator 'op'", range(GROUPS), GROUPS, CacheLimits())
        self.service = TimerService(self.backend, "user-timers", ManualClock(), self.on_timer, self.on_timer)
        self.backend.begin(store)
        self.service.restore(None)
        scan_from = self.backend.scan_from

        def counted(start, end):
            for entry in scan_from(start, end):
                self.read += 1
                yield entry

        self.backend.scan_from = counted

    def on_timer(self, time, key):
        self.fired += 1
        if self.fired % 1000 == 0:
            self.most_in_memory = max(self.most_in_memory, self.service.events.live_entries())

    def end_epoch(self, number):
        carried = self.service.snapshot()
        changes = EpochChanges()
        self.backend.flush(changes)
        self.store._apply(changes, f"epoch-{number}")
        self.backend.reached(f"epoch-{number}")
        self.backend.begin(self.store)
        self.service.restore(carried)


@pytest.mark.parametrize(
    "keys", [pytest.param(100_000, marks=pytest.mark.slow), pytest.param(1_000_000, marks=pytest.mark.nightly)]
)
def test_five_timers_per_key(tmp_path, keys):
    worker = Worker(StateStore(tmp_path / "store", map_size=2**33))
    register, scope = worker.service.register_event_time_timer, worker.backend.scope
    for epoch in range(EPOCHS):
        for key in range(epoch * keys // EPOCHS, (epoch + 1) * keys // EPOCHS):
            scope.key = key
            for turn in range(TIMERS_PER_KEY):
                register(1 + key * 7919 % 1_000_003 + turn * 1_000_003)
        worker.end_epoch(epoch)
        assert worker.service.events.live_entries() <= timer_queue.KEPT_IN_MEMORY

    # A watermark before all timers reads no more than the first chunk of each key group.
    ahead = GROUPS * (timer_queue.CHUNK + 1)
    worker.service.advance_watermark(0)
    assert worker.fired == 0
    assert worker.read <= ahead

    # A hundredth of the timers: no more is read than what fires, and one chunk ahead in each key group.
    worker.service.advance_watermark(50_000)
    assert 0.04 * keys < worker.fired < 0.06 * keys
    assert worker.read <= 1.05 * worker.fired + 2 * ahead
    worker.end_epoch("fired some")

    # All the others, in one go.
    worker.service.advance_watermark(2**63 - 1)
    assert worker.fired == keys * TIMERS_PER_KEY
    assert worker.most_in_memory <= 2 * ahead
    assert worker.read <= 1.05 * worker.fired + 4 * ahead
