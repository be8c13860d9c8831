"""Windows: which records belong together, when their window is looked at, and which of them are left out.

>>> from flott.common import Duration
>>> TumblingEventTimeWindows.of(Duration.of_minutes(1))
TumblingEventTimeWindows(60000, 0)
"""

from __future__ import annotations

from flott.runtime.windowing.assigner import MergingWindowAssigner, WindowAssigner
from flott.runtime.windowing.assigners import (
    CumulativeEventTimeWindows,
    CumulativeProcessingTimeWindows,
    GlobalWindows,
    SlidingEventTimeWindows,
    SlidingProcessingTimeWindows,
    TumblingEventTimeWindows,
    TumblingProcessingTimeWindows,
    WindowStagger,
)
from flott.runtime.windowing.continuous_triggers import ContinuousEventTimeTrigger, ContinuousProcessingTimeTrigger
from flott.runtime.windowing.count_assigners import CountSlidingWindowAssigner, CountTumblingWindowAssigner
from flott.runtime.windowing.evictors import CountEvictor, DeltaEvictor, Evictor, TimeEvictor, TimestampedValue
from flott.runtime.windowing.serializers import CountWindowSerializer, GlobalWindowSerializer, TimeWindowSerializer
from flott.runtime.windowing.session_assigners import (
    DynamicEventTimeSessionWindows,
    DynamicProcessingTimeSessionWindows,
    EventTimeSessionWindows,
    ProcessingTimeSessionWindows,
    SessionWindowTimeGapExtractor,
)
from flott.runtime.windowing.trigger import Trigger, TriggerResult
from flott.runtime.windowing.triggers import (
    CountTrigger,
    DeltaTrigger,
    EventTimeTrigger,
    NeverTrigger,
    ProcessingTimeoutTrigger,
    ProcessingTimeTrigger,
    PurgingTrigger,
)
from flott.runtime.windowing.windows import CountWindow, GlobalWindow, TimeWindow, Window

__all__ = [
    "ContinuousEventTimeTrigger",
    "ContinuousProcessingTimeTrigger",
    "CountEvictor",
    "CountSlidingWindowAssigner",
    "CountTrigger",
    "CountTumblingWindowAssigner",
    "CountWindow",
    "CountWindowSerializer",
    "CumulativeEventTimeWindows",
    "CumulativeProcessingTimeWindows",
    "DeltaEvictor",
    "DeltaTrigger",
    "DynamicEventTimeSessionWindows",
    "DynamicProcessingTimeSessionWindows",
    "EventTimeSessionWindows",
    "EventTimeTrigger",
    "Evictor",
    "GlobalWindow",
    "GlobalWindowSerializer",
    "GlobalWindows",
    "MergingWindowAssigner",
    "NeverTrigger",
    "ProcessingTimeSessionWindows",
    "ProcessingTimeTrigger",
    "ProcessingTimeoutTrigger",
    "PurgingTrigger",
    "SessionWindowTimeGapExtractor",
    "SlidingEventTimeWindows",
    "SlidingProcessingTimeWindows",
    "TimeEvictor",
    "TimeWindow",
    "TimeWindowSerializer",
    "TimestampedValue",
    "Trigger",
    "TriggerResult",
    "TumblingEventTimeWindows",
    "TumblingProcessingTimeWindows",
    "Window",
    "WindowAssigner",
    "WindowStagger",
]
