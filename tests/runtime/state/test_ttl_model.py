"""State with a time to live against a plain Python model, over epochs and moves."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from tests.runtime.state.ttl_subtask import TTL, Subtask

from flott.runtime.state.ttl import Lifetime

keys = st.sampled_from(["a", "b"])
numbers = st.integers(1, 5)
map_keys = st.sampled_from(["x", "y"])


class LikeTheModel(RuleBasedStateMachine):
    """The rules of the seed documents, TTL-10 to TTL-16, as a model of pairs of value and moment."""

    @initialize(reading=st.booleans(), visible=st.booleans(), checks=st.sampled_from([0, 0, 3]))
    def start(self, reading, visible, checks):
        # What is visible after its life depends on what was cleaned up: without clean-up it can be told exactly.
        checks = 0 if visible else checks
        self.lifetime = Lifetime(TTL, renewed_by_reading=reading, expired_is_visible=visible, checks_per_use=checks)
        self.subtask = Subtask(self.lifetime)
        self.model = {}

    def of(self, key):
        self.worker = self.subtask.at(key)
        return self.model.setdefault(key, {"v": None, "l": [], "m": {}, "r": None, "a": None})

    @property
    def now(self):
        return self.subtask.clock.now()

    def over(self, pair):
        return pair[1] + TTL <= self.now

    def see(self, pair):
        """Return what is seen of a pair, and what becomes of it."""
        if pair is None:
            return None, None
        if self.over(pair):
            return (pair[0] if self.lifetime.expired_is_visible else None), None
        return pair[0], (pair[0], self.now) if self.lifetime.renewed_by_reading else pair

    def joined(self, pair):
        return pair is not None and (self.lifetime.expired_is_visible or not self.over(pair))

    @rule(by=st.integers(0, 12))
    def time_passes(self, by):
        self.subtask.clock.advance_to(self.subtask.clock.now() + by)

    @rule(key=keys, n=st.none() | numbers)
    def set_value(self, key, n):
        self.of(key)["v"] = None if n is None else (n, self.now)
        self.worker.value.update(n)

    @rule(key=keys, n=numbers)
    def append(self, key, n):
        self.of(key)["l"].append((n, self.now))
        self.worker.list.add(n)

    @rule(key=keys, ns=st.lists(numbers, max_size=3))
    def replace(self, key, ns):
        self.of(key)["l"] = [(n, self.now) for n in ns]
        self.worker.list.update(ns)

    @rule(key=keys, at=map_keys, n=numbers)
    def put(self, key, at, n):
        self.of(key)["m"][at] = (n, self.now)
        self.worker.map.put(at, n)

    @rule(key=keys, at=map_keys)
    def remove(self, key, at):
        self.of(key)["m"].pop(at, None)
        self.worker.map.remove(at)

    @rule(key=keys, n=numbers)
    def add(self, key, n):
        model = self.of(key)
        for name in ("r", "a"):
            before = model[name][0] if self.joined(model[name]) else 0
            model[name] = (before + n, self.now)
        self.worker.sum.add(n)
        self.worker.total.add(n)

    @rule(key=keys, at=map_keys)
    def look(self, key, at):
        model = self.of(key)
        worker = self.worker
        for name, seen in [("v", worker.value.value()), ("r", worker.sum.get()), ("a", worker.total.get())]:
            expected, model[name] = self.see(model[name])
            assert seen == expected
        expected, pair = self.see(model["m"].get(at))
        model["m"].pop(at, None)
        if pair is not None:
            model["m"][at] = pair
        assert worker.map.get(at) == expected

    @rule(key=keys)
    def look_at_all(self, key):
        model = self.of(key)
        seen = [(pair, *self.see(pair)) for pair in model["l"]]
        assert self.worker.list.get() == [value for _, value, _ in seen if value is not None]
        model["l"] = [after for _, _, after in seen if after is not None]
        entries = {at: self.see(pair) for at, pair in model["m"].items()}
        assert dict(self.worker.map.items()) == {at: value for at, (value, _) in entries.items() if value is not None}
        model["m"] = {at: after for at, (_, after) in entries.items() if after is not None}

    @rule(key=keys, at=map_keys)
    def ask(self, key, at):
        model = self.of(key)
        expected, pair = self.see(model["m"].pop(at, None))
        if pair is not None:
            model["m"][at] = pair
        assert (at in self.worker.map) == (expected is not None)

    @rule(key=keys)
    def clear(self, key):
        self.of(key)
        self.model[key] = {"v": None, "l": [], "m": {}, "r": None, "a": None}
        for state in (self.worker.value, self.worker.list, self.worker.map, self.worker.sum, self.worker.total):
            state.clear()

    @rule(new_worker=st.booleans())
    def end_epoch(self, new_worker):
        self.subtask.end_epoch()
        self.subtask.begin(self.lifetime, None if new_worker else self.subtask.worker)

    def teardown(self):
        if hasattr(self, "subtask"):
            self.subtask.close()


LikeTheModel.TestCase.settings = settings(stateful_step_count=40)
TestLikeTheModel = LikeTheModel.TestCase
