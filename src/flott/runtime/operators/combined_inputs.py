"""Event time of an operator with several inputs: the one that is furthest behind counts."""

from __future__ import annotations

from typing import Any

from flott.runtime.combined_watermark import CombinedWatermark
from flott.runtime.operator import MultiInputOperator


class CombinedInputs(MultiInputOperator):
    """Combines the watermarks of the inputs; ``on_watermark`` gets their minimum.

    Put it first among the bases: ``class KeyedCoProcess(CombinedInputs, TimedOperator)``. What that operator does when
    event time moves, when it is restored and when it ends an epoch is then done with the combined time.
    """

    input_time: CombinedWatermark

    def open(self) -> None:
        self.input_time = CombinedWatermark(range(self.inputs))
        super().open()

    def restore(self, carried: Any) -> None:
        time, rest = (None, None) if carried is None else carried
        self.input_time = CombinedWatermark(range(self.inputs))
        if time is not None:
            self.input_time.restore(time)
        super().restore(rest)

    def snapshot(self) -> Any:
        return self.input_time.snapshot(), super().snapshot()

    def on_input_watermark(self, index: int, timestamp: int) -> int | None:
        advanced = self.input_time.update(index, timestamp)
        return None if advanced is None else self.on_watermark(advanced)

    def on_input_status(self, index: int, active: bool) -> tuple[int | None, bool | None]:
        advanced, status = self.input_time.update_status(index, active)
        return (
            None if advanced is None else self.on_watermark(advanced),
            None if status is None else self.on_status(status),
        )
