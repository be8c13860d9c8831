"""Rolling aggregation over a keyed stream: every record updates its key's value, which is handed on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.errors import USER_CODE_RAISES
from flott.runtime.batch import Batch
from flott.runtime.operators.selected_keys import selected_keys
from flott.runtime.operators.user_function import UserFunctionOperator
from flott.runtime.state.kinds import VALUE_STATE
from flott.runtime.state.values import ValueState

if TYPE_CHECKING:
    from collections.abc import Callable


class RollingReduce(UserFunctionOperator):
    """Reduces each record into its key's value and emits the new value."""

    def __init__(self, function: Any, key_selector: Callable[[Any], Any]) -> None:
        super().__init__(function)
        self.key_selector = key_selector

    def open(self) -> None:
        super().open()
        backend = self.context.keyed("the reduced value")
        self.state: ValueState = backend.part(
            "_reduce_state", VALUE_STATE, lambda: ValueState(backend, "_reduce_state")
        )
        self.scope = backend.scope

    def process(self, batch: Batch) -> None:
        scope, current, update, reduce = self.scope, self.state.value, self.state.update, self.function.reduce
        results, emitted = [], self.context.emission.one
        keys = selected_keys(self, self.key_selector, batch.values)
        self.state.look_ahead(keys)
        records = iter(batch.values)
        try:
            for value, scope.key in zip(records, keys, strict=True):
                before = current()
                result = value if before is None else reduce(before, value)
                update(result)
                results.append(emitted(result))
        except USER_CODE_RAISES as error:
            raise self.failed(error, records, batch.values) from None
        self.output.emit(Batch(results, batch.stamps))
