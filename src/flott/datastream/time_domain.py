"""Which of the two clocks a timer goes by."""

from __future__ import annotations

from flott.runtime.time_domain import TimeDomain

__all__ = ["TimeDomain"]
