"""Access to keyed state by descriptor: one way for the states of keys, of windows and of triggers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.state.kinds import AGGREGATING_STATE, LIST_STATE, MAP_STATE, REDUCING_STATE, VALUE_STATE
from flott.runtime.state.lists import ListState
from flott.runtime.state.maps import MapState
from flott.runtime.state.schemas import schema_of_descriptor
from flott.runtime.state.ttl import Expiry, lifetime_of
from flott.runtime.state.values import AggregatingState, ReducingState, ValueState

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.clock import Clock
    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.keyed_part import KeyedPart
    from flott.runtime.state.kinds import StateKind


class StateAccess:
    """Returns the states that descriptors describe; those with a time to live expire, wherever they are."""

    def _states_of(self, what: str) -> tuple[KeyedBackend, Clock]:
        """Return what holds the states, and the clock they expire by; ``what`` is asked for, for errors."""
        raise NotImplementedError

    def get_state(self, state_descriptor: Any) -> Any:
        """Return the value state that a ``ValueStateDescriptor`` describes."""
        return self._part(state_descriptor, VALUE_STATE, ValueState)

    def get_list_state(self, state_descriptor: Any) -> Any:
        """Return the list state that a ``ListStateDescriptor`` describes."""
        return self._part(state_descriptor, LIST_STATE, ListState)

    def get_map_state(self, state_descriptor: Any) -> Any:
        """Return the map state that a ``MapStateDescriptor`` describes."""
        return self._part(state_descriptor, MAP_STATE, MapState)

    def get_reducing_state(self, state_descriptor: Any) -> Any:
        """Return the reducing state that a ``ReducingStateDescriptor`` describes."""
        reduce = state_descriptor.get_reduce_function().reduce
        return self._part(state_descriptor, REDUCING_STATE, ReducingState, reduce)

    def get_aggregating_state(self, state_descriptor: Any) -> Any:
        """Return the aggregating state that an ``AggregatingStateDescriptor`` describes."""
        aggregate = state_descriptor.get_agg_function()
        return self._part(state_descriptor, AGGREGATING_STATE, AggregatingState, aggregate)

    def get_folding_state(self, state_descriptor: Any) -> Any:
        """Return the folding state that a ``FoldingStateDescriptor`` describes."""
        return self.get_aggregating_state(state_descriptor)

    def _part(
        self,
        descriptor: Any,
        kind: StateKind,
        make: Callable[..., KeyedPart],
        *functions: Any,
    ) -> Any:
        name = descriptor.get_name()
        backend, clock = self._states_of(f"{kind.name} '{name}'")
        lifetime = lifetime_of(descriptor)
        schema = schema_of_descriptor(descriptor)

        def new() -> KeyedPart:
            return make(backend, name, *functions, expiry=None if lifetime is None else Expiry(lifetime, clock))

        part = backend.part(name, kind, new, schema)
        part.watch()
        return part
