"""Handles that users write themselves, say as fakes, get the operators of Python from the base class."""

from __future__ import annotations

from flott.datastream.state import BroadcastState, ListState, MapState


class Map(MapState):
    def __init__(self):
        self.entries = {}

    def clear(self):
        self.entries.clear()

    def get(self, key):
        return self.entries.get(key)

    def put(self, key, value):
        self.entries[key] = value

    def put_all(self, dict_value):
        self.entries.update(dict_value)

    def remove(self, key):
        del self.entries[key]

    def contains(self, key):
        return key in self.entries

    def items(self):
        return self.entries.items()

    def keys(self):
        return self.entries.keys()

    def values(self):
        return self.entries.values()

    def is_empty(self):
        return not self.entries


class Broadcast(Map, BroadcastState):
    pass


class Letters(ListState):
    def clear(self):
        raise NotImplementedError

    def get(self):
        return "ab"

    add = add_all = update = clear


def test_a_map_state_works_like_a_dict():
    for state in (Map(), Broadcast()):
        state["a"] = 1
        state["b"] = 2
        del state["a"]
        assert state["b"] == 2
        assert "a" not in state
        assert list(state) == ["b"]


def test_a_list_state_can_be_iterated():
    assert list(Letters()) == ["a", "b"]
