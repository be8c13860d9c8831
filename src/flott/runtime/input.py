"""An input of an operator, as the frame around it sees it: a chain, an exchange, a test harness."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from flott.errors import ExchangeError
from flott.runtime.operator import MultiInputOperator

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.batch import Batch
    from flott.runtime.operator import Operator


class Input:
    """Hands batches, watermarks and statuses to one input of an operator, and what it returns of them to its output."""

    __slots__ = ("_index", "_operator", "process")

    process: Callable[[Batch], None]

    def __init__(self, operator: Operator, index: int = 0) -> None:
        if index >= operator.inputs:
            message = f"operator {type(operator).__name__} has {operator.inputs} input(s): there is no number {index}"
            raise ExchangeError(message)
        self._operator = operator
        self._index = index
        if isinstance(operator, MultiInputOperator):
            self.process = partial(operator.process_input, index)
        else:
            self.process = operator.process

    def watermark(self, timestamp: int) -> None:
        """Event time of this input reached ``timestamp``."""
        operator = self._operator
        if isinstance(operator, MultiInputOperator):
            advanced = operator.on_input_watermark(self._index, timestamp)
        else:
            advanced = operator.on_watermark(timestamp)
        if advanced is not None:
            operator.output.emit_watermark(advanced)

    def status(self, active: bool) -> None:
        """Handle that this input became idle, or active again."""
        operator = self._operator
        if isinstance(operator, MultiInputOperator):
            advanced, status = operator.on_input_status(self._index, active)
            if advanced is not None:
                operator.output.emit_watermark(advanced)
        else:
            status = operator.on_status(active)
        if status is not None:
            operator.output.emit_status(status)
