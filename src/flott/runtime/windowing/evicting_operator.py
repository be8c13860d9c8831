"""The window operator with an evictor: every record is kept, because any of them may be taken out."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from flott.runtime.windowing.contents import ListContents
from flott.runtime.windowing.evictors import TimestampedValue
from flott.runtime.windowing.operator import WindowOperator

if TYPE_CHECKING:
    from flott.runtime.windowing.contents import Contents


class EvictingWindowOperator(WindowOperator):
    """Runs a window operation with an evictor. Reducing and aggregating happen when the window fires."""

    contents: ListContents

    def _make_contents(self) -> Contents:
        return ListContents(self.panes)

    def _element(self, value: Any, stamp: int | None) -> Any:
        return value, stamp

    def _fire(self, key: Any, window: Any, state_window: Any) -> bool:
        held = self.contents.get(key, state_window)
        if held is None:
            return False
        evictor, context = self.spec.evictor, self.pane_context
        elements = [TimestampedValue(value, stamp) for value, stamp in held]
        self.panes.scope.key = (key, window)
        evictor.evict_before(elements, len(elements), window, context)  # type: ignore[union-attr]
        inputs = self._inputs([element.value for element in elements])
        if inputs is not None:
            produced = self.firing.fire(key, window, inputs)
            if produced is not None:
                self.put_out(produced, window)
        evictor.evict_after(elements, len(elements), window, context)  # type: ignore[union-attr]
        if len(elements) < len(held):
            self.contents.replace(key, state_window, [tuple(element) for element in elements])
        return True

    def _inputs(self, values: list[Any]) -> list[Any] | None:
        """Return what the window's function gets; None when nothing is left to reduce."""
        spec = self.spec
        if spec.reduce is not None:
            return [reduce(spec.reduce.reduce, values)] if values else None
        if spec.aggregate is not None:
            aggregate = spec.aggregate
            accumulator = aggregate.create_accumulator()
            for value in values:
                accumulator = aggregate.add(value, accumulator)
            return [aggregate.get_result(accumulator)]
        return values
