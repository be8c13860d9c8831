"""From data to state: what a savepoint's operator starts with."""

from __future__ import annotations

import shutil
import tempfile
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flott.common.machine_clock import MachineClock
from flott.common.types import Row
from flott.common.workspace import workspace
from flott.coordination.checkpoints.metadata import OperatorTitle
from flott.errors import StateAccessError
from flott.runtime.canonical_keys import canonical_key
from flott.runtime.context import OperatorContext, RuntimeContext
from flott.runtime.operators.checkpointed import InitializationContext, SnapshotContext
from flott.runtime.operators.results import Results
from flott.runtime.operators.timed import KeyedContext
from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.operator_state import CarriedStates, OperatorStateStore
from flott.runtime.state.redistribute import packed_union
from flott.runtime.state.store import StateStore
from flott.runtime.timers import TimerService
from flott.state_processor.bootstrap_functions import (
    BroadcastStateBootstrapFunction,
    KeyedStateBootstrapFunction,
    StateBootstrapFunction,
)
from flott.state_processor.operator_data import OperatorData, SubtaskData

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.datastream.functions import Function
    from flott.state_processor.operator_identifier import OperatorIdentifier

CACHE = CacheLimits(2**62, 2**62)
"""All state stays in memory until it is written."""

__all__ = ["OperatorTransformation", "StateBootstrapTransformation"]


class StateBootstrapTransformation(ABC):
    """State to be: made when the savepoint is written."""

    @abstractmethod
    def make(self, identifier: OperatorIdentifier, max_parallelism: int) -> OperatorData:
        """Runs the bootstrap function over the data."""


class OperatorTransformation:
    """Begins with data: ``OperatorTransformation.bootstrap_with(data).key_by(...).transform(function)``."""

    @staticmethod
    def bootstrap_with(data: Any) -> OneInputOperatorTransformation:
        """Take a pandas DataFrame, a Spark DataFrame, or anything that can be gone over.

        The elements of a DataFrame are Rows with its columns as fields.

        >>> import pandas as pd
        >>> list(OperatorTransformation.bootstrap_with(pd.DataFrame({"user": ["ann"], "n": [3]})).elements())
        [Row(user='ann', n=3)]
        """
        return OneInputOperatorTransformation(data)


class OneInputOperatorTransformation:
    """Data that an operator's state is made of."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def elements(self) -> Iterator[Any]:
        """Goes over the elements."""
        data = self._data
        if hasattr(data, "itertuples"):
            names = [str(name) for name in data.columns]
            for values in data.itertuples(index=False, name=None):
                yield Row(**dict(zip(names, values, strict=True)))
        elif hasattr(data, "toLocalIterator"):
            for row in data.toLocalIterator():
                yield Row(**row.asDict())
        else:
            yield from data

    def key_by(self, key_selector: Callable[[Any], Any]) -> KeyedOperatorTransformation:
        """Give each element a key: that of the keyed stream which the operator works on in the job."""
        return KeyedOperatorTransformation(self, key_selector)

    def transform(self, function: Function) -> StateBootstrapTransformation:
        """Fill operator state (StateBootstrapFunction) or broadcast state (BroadcastStateBootstrapFunction)."""
        if isinstance(function, StateBootstrapFunction):
            return _OperatorStateBootstrap(self, function)
        if isinstance(function, BroadcastStateBootstrapFunction):
            return _BroadcastStateBootstrap(self, function)
        message = (
            f"transform({function!r:.100}): give a StateBootstrapFunction or a BroadcastStateBootstrapFunction; for a "
            f"KeyedStateBootstrapFunction, call key_by(...) before"
        )
        raise StateAccessError(message)


class KeyedOperatorTransformation:
    """Data with keys."""

    def __init__(self, data: OneInputOperatorTransformation, key_selector: Callable[[Any], Any]) -> None:
        self._data = data
        self._key_selector = key_selector

    def transform(self, function: Function) -> StateBootstrapTransformation:
        """Fill keyed state with a KeyedStateBootstrapFunction."""
        if not isinstance(function, KeyedStateBootstrapFunction):
            message = f"transform({function!r:.100}): give a KeyedStateBootstrapFunction after key_by(...)"
            raise StateAccessError(message)
        return _KeyedStateBootstrap(self._data, self._key_selector, function)


@dataclass(frozen=True, slots=True)
class _KeyedStateBootstrap(StateBootstrapTransformation):
    data: OneInputOperatorTransformation
    key_selector: Callable[[Any], Any]
    function: KeyedStateBootstrapFunction

    def make(self, identifier: OperatorIdentifier, max_parallelism: int) -> OperatorData:
        title = title_of(identifier, self.function)
        clock, backend = (
            MachineClock(),
            KeyedBackend(title.id, f"operator with {identifier}", range(max_parallelism), max_parallelism, CACHE),
        )
        timers = TimerService(backend, "user-timers", clock, _never, _never)
        context = OperatorContext(title.name, title.id, title.uid, 0, 1, max_parallelism, clock, backend)
        place = Path(tempfile.mkdtemp(prefix="bootstrap-", dir=workspace()))
        store = StateStore(place)
        try:
            backend.begin(store)
            self.function.open(RuntimeContext(context))
            ctx: Any = KeyedContext(backend.scope, timers, Results(context.emission))
            process, key_of, scope = self.function.process_element, self.key_selector, backend.scope
            for element in self.data.elements():
                scope.key = canonical_key(key_of(element))
                process(element, ctx)
            scope.unset()
            self.function.close()
            flushed = EpochChanges()
            backend.flush(flushed)
            changes = flushed.all()
        finally:
            store.close()
            shutil.rmtree(place, ignore_errors=True)
        entries = [(address, value) for address in sorted(changes) if (value := changes[address]) is not None]
        subtask = SubtaskData(lambda: iter(entries), None, backend.schemas.current())
        return OperatorData(title, max_parallelism, (subtask,), backend.state_columns())


@dataclass(frozen=True, slots=True)
class _OperatorStateBootstrap(StateBootstrapTransformation):
    data: OneInputOperatorTransformation
    function: StateBootstrapFunction

    def make(self, identifier: OperatorIdentifier, max_parallelism: int) -> OperatorData:
        title = title_of(identifier, self.function)
        clock = MachineClock()
        store = OperatorStateStore(f"operator with {identifier}")
        context = RuntimeContext(OperatorContext(title.name, title.id, title.uid, 0, 1, max_parallelism, clock))
        self.function.initialize_state(InitializationContext(store, context, None))  # type: ignore[arg-type]
        self.function.open(context)
        for element in self.data.elements():
            self.function.process_element(element, context)
        snapshot = SnapshotContext(1, clock.now())
        self.function.snapshot_state(snapshot)  # type: ignore[arg-type]
        self.function.close()
        carried = CarriedStates(snapshot.written(store.states()).pack(title.name))
        carried = CarriedStates(carried.states, unions=packed_union([carried]))
        return OperatorData(title, max_parallelism, (SubtaskData(None, carried),))


@dataclass(frozen=True, slots=True)
class _BroadcastStateBootstrap(StateBootstrapTransformation):
    data: OneInputOperatorTransformation
    function: BroadcastStateBootstrapFunction

    def make(self, identifier: OperatorIdentifier, max_parallelism: int) -> OperatorData:
        title = title_of(identifier, self.function)
        store = OperatorStateStore(f"operator with {identifier}")
        context = RuntimeContext(
            OperatorContext(title.name, title.id, title.uid, 0, 1, max_parallelism, MachineClock())
        )
        self.function.open(context)
        for element in self.data.elements():
            self.function.process_element(element, store)  # type: ignore[arg-type]
        self.function.close()
        carried = CarriedStates(store.states().pack(title.name))
        return OperatorData(title, max_parallelism, (SubtaskData(None, carried),))


def title_of(identifier: OperatorIdentifier, function: Any) -> OperatorTitle:
    """Name an operator that is made here."""
    return OperatorTitle(identifier.operator_id, identifier.uid, type(function).__name__)


def _never(time: int, key: Any) -> None:
    raise AssertionError((time, key))
