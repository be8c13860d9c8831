"""A process function over a keyed stream, with the state and timers of each key, next to a broadcast stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from flott.errors import StateAccessError
from flott.runtime.operators.broadcast_process import BROADCAST
from flott.runtime.operators.calls import call_for_each, call_for_each_keyed
from flott.runtime.operators.combined_inputs import CombinedInputs
from flott.runtime.operators.timed import KeyedContext, TimedOperator
from flott.runtime.state.declared_broadcast import BroadcastStates
from flott.runtime.state.keys_of_state import keys_of_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.runtime.batch import Batch
    from flott.runtime.operators.results import Results
    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.key_scope import KeyScope
    from flott.runtime.timers import TimerService


class KeyedReadOnlyContext(KeyedContext):
    """What a call on the keyed side, or to ``on_timer``, knows: it may read broadcast state."""

    __slots__ = ("current_processing_time", "current_watermark", "get_broadcast_state")

    def __init__(self, scope: KeyScope, timers: TimerService, results: Results, states: BroadcastStates) -> None:
        super().__init__(scope, timers, results)
        self.get_broadcast_state = states.read_only
        self.current_processing_time = timers.current_processing_time
        self.current_watermark = timers.current_watermark


class KeyedBroadcastContext:
    """What a call on the broadcast side knows: it has no key, may write broadcast state and visit every key's state."""

    __slots__ = ("_backend", "_results", "current_processing_time", "current_watermark", "get_broadcast_state", "stamp")

    def __init__(self, backend: KeyedBackend, timers: TimerService, results: Results, states: BroadcastStates) -> None:
        self._backend = backend
        self._results = results
        self.stamp: int | None = None
        self.get_broadcast_state = states.writable
        self.current_processing_time = timers.current_processing_time
        self.current_watermark = timers.current_watermark

    def timestamp(self) -> int | None:
        """Return the timestamp of the record, or None if it has none."""
        return self.stamp

    def output(self, tag: Any, value: Any) -> None:
        """Send a value to a side output, with the timestamp of the record."""
        self._results.add_side(tag, value, self.stamp)

    def apply_to_keyed_state(self, state_descriptor: Any, function: Any) -> None:
        """Call ``function(key, state)`` for every key of this subtask that has something in a state.

        The function may read and write the state of the key it is called with. An object with a method
        ``process(key, state)`` will do as well.
        """
        backend = self._backend
        name = state_descriptor.get_name()
        state = backend.parts().get(name)
        if state is None:
            message = (
                f"{backend.title}: apply_to_keyed_state: there is no keyed state '{name}' here. Create it in open(): "
                f"self.{name if name.isidentifier() else 'state'} = runtime_context.get_state(descriptor)."
            )
            raise StateAccessError(message)
        visit = getattr(function, "process", function)
        if not callable(visit):
            message = (
                f"{backend.title}: apply_to_keyed_state: {function!r:.100} can't be called; "
                f"give a function of a key and its state, as in lambda key, state: state.clear()"
            )
            raise StateAccessError(message)
        try:
            for key in keys_of_state(backend, name):
                visit(key, state)
        finally:
            backend.scope.unset()

    def timer_service(self) -> NoReturn:
        """Refuse: a timer belongs to a key."""
        self._refuse("a timer service", "a timer belongs to a key")

    def get_current_key(self) -> NoReturn:
        """Refuse: a broadcast record has no key."""
        self._refuse("a current key", "it goes to all subtasks")

    def _refuse(self, what: str, why: str) -> NoReturn:
        message = (
            f"{self._backend.title}: process_broadcast_element asked for {what}, but a broadcast record has no key: "
            f"{why}. Register timers in process_element; to change the state of keys from here, use "
            f"ctx.apply_to_keyed_state(descriptor, lambda key, state: ...)."
        )
        raise StateAccessError(message)


class KeyedBroadcastProcess(CombinedInputs, TimedOperator):
    """Calls ``process_element`` with the record's key set, ``process_broadcast_element`` with none, ``on_timer``."""

    states: BroadcastStates
    broadcast_ctx: KeyedBroadcastContext

    def __init__(self, function: Any, key_selector: Callable[[Any], Any], state_names: Iterable[str]) -> None:
        super().__init__(function)
        self.key_selector = key_selector
        self.state_names = state_names

    def open(self) -> None:
        super().open()
        context = self.context
        self.states = BroadcastStates(self.state_names, context.title)
        self.ctx = KeyedReadOnlyContext(self.scope, self.timers, self.results, self.states)
        backend = context.keyed("the state of a broadcast process function")
        self.broadcast_ctx = KeyedBroadcastContext(backend, self.timers, self.results, self.states)
        self._on_broadcast_side = (
            f"{context.title}, in process_broadcast_element, which has no key (use ctx.apply_to_keyed_state there)"
        )

    def restore(self, carried: Any) -> None:
        super().restore(self.states.restore(carried))

    def snapshot(self) -> Any:
        return self.states.snapshot(super().snapshot())

    def process_input(self, index: int, batch: Batch) -> None:
        if index != BROADCAST:
            call_for_each_keyed(self, batch, self.key_selector, self.function.process_element, self.ctx)
            return
        # The scope's own error names the operator: let it say where the key is missing.
        scope = self.scope
        title, scope.operator = scope.operator, self._on_broadcast_side
        try:
            call_for_each(self, batch, self.function.process_broadcast_element, self.broadcast_ctx, self.results)
        finally:
            scope.operator = title
