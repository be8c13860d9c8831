"""Checks a watermark strategy where it is given."""

from __future__ import annotations

from typing import Any

from flott.common.watermark_strategy import AssignerWithPeriodicWatermarksWrapper, WatermarkStrategy
from flott.datastream._checks.arity import check_arity, check_plain_result
from flott.datastream._checks.picklable import check_picklable
from flott.errors import GraphError

__all__ = ["strategy_of"]


def strategy_of(call: str, strategy: Any) -> WatermarkStrategy:
    """Return the strategy, if it is one and workers can have it."""
    if isinstance(strategy, AssignerWithPeriodicWatermarksWrapper):
        strategy = strategy.to_watermark_strategy()
    if not isinstance(strategy, WatermarkStrategy):
        raise GraphError(
            f"{call}: {strategy!r:.100} is no WatermarkStrategy; give one, such as "
            "WatermarkStrategy.for_monotonous_timestamps(), or WatermarkStrategy.no_watermarks() to do without"
        )
    assigner = strategy.timestamp_assigner
    if assigner is not None:
        # A plain function is wrapped; what its author wrote is what the message is about.
        extract = getattr(assigner, "function", assigner.extract_timestamp)
        check_arity(call, extract, ("value", "record_timestamp"), "lambda order, _: order['time']")
        check_plain_result(call, extract, "drop the yield")
    check_picklable(call, strategy)
    return strategy
