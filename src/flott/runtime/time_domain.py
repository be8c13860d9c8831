"""Which of the two clocks a timer goes by."""

from __future__ import annotations

from enum import Enum


class TimeDomain(Enum):
    """Says whether a timer was one of event time or of processing time."""

    EVENT_TIME = 0
    PROCESSING_TIME = 1
