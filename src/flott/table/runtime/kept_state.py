"""State that is kept for as long as it is used: with a time to live, what nobody wrote to for so long is forgotten."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from flott.runtime.state.kinds import MAP_STATE, VALUE_STATE
from flott.runtime.state.maps import MapState
from flott.runtime.state.ttl import COMPACTION_CHECKS, Expiry, Lifetime
from flott.runtime.state.values import ValueState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.clock import Clock
    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.kinds import StateKind


class BatchClock:
    """Stands still while a batch is worked on: what was there at its beginning is there at its end."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._moment: int | None = None

    def now(self) -> int:
        """Return the time of day in milliseconds since 1970."""
        return self._clock.now() if self._moment is None else self._moment

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Let no time pass meanwhile."""
        self._moment = self._clock.now()
        try:
            yield
        finally:
            self._moment = None


def value_state(backend: KeyedBackend, name: str, ttl: int, clock: Clock) -> Any:
    """Return one value per key, for ``ttl`` milliseconds after it was last written; 0 is for ever."""
    return backend.part(name, VALUE_STATE, lambda: ValueState(backend, name, expiry=_expiry(ttl, clock)))


def map_state(backend: KeyedBackend, name: str, ttl: int, clock: Clock, kind: StateKind = MAP_STATE) -> Any:
    """Return a map per key, whose entries live for ``ttl`` milliseconds after they were last written."""
    return backend.part(name, kind, lambda: MapState(backend, name, expiry=_expiry(ttl, clock)))


def _expiry(ttl: int, clock: Clock) -> Expiry | None:
    if not ttl:
        return None
    return Expiry(Lifetime(ttl, checks_per_epoch=COMPACTION_CHECKS, left_out_of_snapshots=True), clock)
