"""The service that knows what time it is and calls functions back when it is due."""

from __future__ import annotations

from abc import ABC, abstractmethod

from flott.runtime import timers
from flott.runtime.operators.process import TimeOnlyService

__all__ = ["TimerService"]


class TimerService(ABC):
    """Tells event time and processing time, and keeps timers of the current key.

    A timer is set once per key and time, however often it is registered. It survives failures.
    """

    @abstractmethod
    def current_processing_time(self) -> int:
        """Returns the time of day in milliseconds since 1970."""

    @abstractmethod
    def current_watermark(self) -> int:
        """Returns the event time that was reached."""

    @abstractmethod
    def register_processing_time_timer(self, timestamp: int) -> None:
        """Asks to be called back when the time of day reaches a moment."""

    @abstractmethod
    def register_event_time_timer(self, timestamp: int) -> None:
        """Asks to be called back when the watermark reaches a moment."""

    @abstractmethod
    def delete_processing_time_timer(self, timestamp: int) -> None:
        """Takes a processing-time timer back; nothing happens if there is none."""

    @abstractmethod
    def delete_event_time_timer(self, timestamp: int) -> None:
        """Takes an event-time timer back; nothing happens if there is none."""


# The engine's classes do not know the API, so the API claims them.
TimerService.register(timers.TimerService)
TimerService.register(TimeOnlyService)
