"""Runs a reader function over the keyed state of an operator, on the very states that a job would have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common.machine_clock import MachineClock
from flott.errors import StateAccessError
from flott.runtime.context import OperatorContext, RuntimeContext
from flott.runtime.emission import emission
from flott.runtime.keys import groups_of_subtask
from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.carried import Carried
from flott.runtime.state.former_keys import check_stored_keys
from flott.runtime.state.keys_of_state import stored_keys
from flott.state_processor.reader_functions import KeyedStateReaderFunction
from flott.state_processor.saved_entries import read_timers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.state.store import StateStore
    from flott.state_processor.saved_job import SavedJob, SavedOperator


class TimersOfKeys(KeyedStateReaderFunction.Context):
    """The timers of the current key, read when they are first asked for."""

    def __init__(self, store: StateStore, operator: SavedOperator, groups: range) -> None:
        self._store = store
        self._columns = {
            domain: [
                state.column
                for state in operator.states
                if state.column is not None and state.name.startswith(f"_timer_state/{domain}_")
            ]
            for domain in ("event", "processing")
        }
        self._groups = groups
        self._read: dict[str, dict[Any, set[int]]] = {}
        self.key: Any = None

    def registered_event_time_timers(self) -> set[int]:
        return self._of("event")

    def registered_processing_time_timers(self) -> set[int]:
        return self._of("processing")

    def _of(self, domain: str) -> set[int]:
        if domain not in self._read:
            found = self._read[domain] = {}
            for column in self._columns[domain]:
                for key, time, *_ in read_timers(self._store, column, self._groups):
                    found.setdefault(key, set()).add(time)
        return set(self._read[domain].get(self.key, ()))


def read_keys(job: SavedJob, operator: SavedOperator, function: KeyedStateReaderFunction) -> Iterator[Any]:
    """Call a reader function for each key that has something in one of the states it declares."""
    vertex, title = operator.vertex, operator.title
    for subtask, task in enumerate(operator.keyed):
        groups = groups_of_subtask(subtask, vertex.parallelism, vertex.max_parallelism)
        name = f"operator '{title.name}'" + (f" (uid={title.uid})" if title.uid else "")
        backend = KeyedBackend(title.id, name, groups, vertex.max_parallelism, CacheLimits())
        context = OperatorContext(
            title.name,
            title.id,
            title.uid,
            subtask,
            vertex.parallelism,
            vertex.max_parallelism,
            MachineClock(),
            backend,
        )
        function.open(RuntimeContext(context))
        with job.store(task) as store:
            backend.begin(store)
            backend.schemas.stored = Carried.unpack(task.carried).schemas or {}
            backend.compare()
            if not backend.schemas.has_canonical_keys():
                check_stored_keys(backend)
            yield from call_for_keys(function, backend, TimersOfKeys(store, operator, groups))
        function.close()


def call_for_keys(function: KeyedStateReaderFunction, backend: KeyedBackend, ctx: TimersOfKeys) -> Iterator[Any]:
    """Go over the keys of all states that the function has declared, each once."""
    if not backend.parts():
        message = (
            f"{backend.title}: {type(function).__name__} declares no state in open(), so there are no keys to read. "
            f"Write self.total = runtime_context.get_state(ValueStateDescriptor(...)) there."
        )
        raise StateAccessError(message)
    seen: set[bytes] = set()
    for name in backend.parts():
        for key in stored_keys(backend, backend.column(name)):
            head = b"".join(backend.heads[key])
            if head in seen:
                continue
            seen.add(head)
            backend.scope.key = ctx.key = key
            yield from map(emission(object_reuse=False).one, function.read_key(key, ctx) or ())
    backend.scope.unset()
