"""Event time of an operator with two inputs: the one that is behind counts."""

from __future__ import annotations

from typing import Any

from flott.runtime.combined_watermark import CombinedWatermark
from flott.runtime.operator import TwoInputOperator

FIRST, SECOND = 0, 1


class TwoInputs(TwoInputOperator):
    """Takes the watermarks of both inputs together, and hands their minimum to the operator behind it in the MRO.

    Put it first among the bases: ``class KeyedCoProcess(TwoInputs, TimedOperator)``. What that operator does when
    event time moves, when it is restored and when it ends an epoch is then done with the combined time.
    """

    inputs: CombinedWatermark

    def open(self) -> None:
        self.inputs = CombinedWatermark((FIRST, SECOND))
        super().open()

    def restore(self, carried: Any) -> None:
        inputs, rest = (None, None) if carried is None else carried
        self.inputs = CombinedWatermark((FIRST, SECOND))
        if inputs is not None:
            self.inputs.restore(inputs)
        super().restore(rest)

    def snapshot(self) -> Any:
        return self.inputs.snapshot(), super().snapshot()

    def process_watermark(self, timestamp: int) -> None:
        advanced = self.inputs.update(FIRST, timestamp)
        if advanced is not None:
            super().process_watermark(advanced)

    def process_watermark2(self, timestamp: int) -> None:
        advanced = self.inputs.update(SECOND, timestamp)
        if advanced is not None:
            super().process_watermark(advanced)

    def process_status(self, active: bool) -> None:
        self._status(FIRST, active)

    def process_status2(self, active: bool) -> None:
        self._status(SECOND, active)

    def _status(self, which: int, active: bool) -> None:
        advanced, status = self.inputs.update_status(which, active)
        if advanced is not None:
            super().process_watermark(advanced)
        if status is not None:
            super().process_status(status)
