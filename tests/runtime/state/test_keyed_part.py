"""What a part of the keyed state can do, it declares; what it leaves out is not asked of it."""

from __future__ import annotations

import pytest

from flott.runtime.state.backend import STRIDE, KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.keyed_part import KeyedPart
from flott.runtime.state.kinds import VALUE_STATE
from flott.runtime.state.ttl_sweep import without_expired


class Plain(KeyedPart):
    """Declares nothing but what it must."""

    def __init__(self):
        self.seen = []

    def flush(self, changes):
        self.seen.append("flush")

    def forget(self):
        self.seen.append("forget")

    def live_entries(self):
        return 0


class Able(Plain):
    """Declares everything."""

    is_looked_up = True
    in_strides = True

    def look_ahead(self, keys):
        self.seen.append(("look ahead", keys))


@pytest.fixture
def backend():
    return KeyedBackend("op", "operator 'op'", range(128), 128, CacheLimits(0))


def make(backend, kind):
    part = backend.part("p", VALUE_STATE, kind)
    backend.column("p")
    return part


def test_a_part_that_declares_nothing_is_kept_in_order_and_asked_for_nothing(backend):
    part = make(backend, Plain)
    backend.look_ahead([1, 2])
    assert part.seen == []
    assert backend.looked_up() == set()
    assert backend.strides(2 * STRIDE) == [slice(0, 2 * STRIDE)]
    changes = EpochChanges()
    backend.flush(changes)
    assert part.seen == ["flush"]
    assert changes.ordered == {backend.column("p")}
    assert list(without_expired([backend], [(b"address", b"data")], now=0)) == [(b"address", b"data")]


def test_what_a_part_declares_is_used(backend):
    part = make(backend, Able)
    backend.look_ahead([1, 2])
    assert part.seen == [("look ahead", [1, 2])]
    assert backend.looked_up() == {backend.column("p")}
    assert backend.strides(2 * STRIDE) == [slice(0, STRIDE), slice(STRIDE, 2 * STRIDE)]


def test_a_part_without_what_every_part_does_is_refused_when_it_is_made(backend):
    class Forgetful(KeyedPart):
        def flush(self, changes): ...

    with pytest.raises(TypeError, match="forget"):
        make(backend, Forgetful)
