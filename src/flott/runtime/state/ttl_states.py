"""Makes the state that a descriptor with a time to live describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.state.ttl_lists import ExpiringListState
from flott.runtime.state.ttl_maps import ExpiringMapState
from flott.runtime.state.ttl_values import ExpiringAggregatingState, ExpiringReducingState, ExpiringValueState

if TYPE_CHECKING:
    from flott.runtime.clock import Clock
    from flott.runtime.state.backend import KeyedBackend, KeyedPart
    from flott.runtime.state.ttl import Lifetime


def expiring_state(kind: str, backend: KeyedBackend, descriptor: Any, lifetime: Lifetime, clock: Clock) -> KeyedPart:
    """Return a new state of a kind; plain states, which have no time to live, are made without a detour over here."""
    name = descriptor.get_name()
    if kind == "reducing state":
        return ExpiringReducingState(backend, name, lifetime, clock, descriptor.get_reduce_function().reduce)
    if kind == "aggregating state":
        return ExpiringAggregatingState(backend, name, lifetime, clock, descriptor.get_agg_function())
    if kind == "list state":
        return ExpiringListState(backend, name, lifetime, clock)
    if kind == "map state":
        return ExpiringMapState(backend, name, lifetime, clock)
    return ExpiringValueState(backend, name, lifetime, clock)
