"""The states a job goes through."""

from __future__ import annotations

from enum import Enum

__all__ = ["JobStatus"]


class JobStatus(Enum):
    """Where a job stands.

    >>> JobStatus.RUNNING.is_terminal_state()
    False
    >>> JobStatus.SUSPENDED.is_terminal_state(), JobStatus.SUSPENDED.is_globally_terminal_state()
    (True, False)
    """

    CREATED = 0
    """Accepted; nothing runs yet."""
    RUNNING = 1
    """At work."""
    FAILING = 2
    """Failed, and being cleaned up."""
    FAILED = 3
    """Failed for good."""
    CANCELLING = 4
    """Being cancelled."""
    CANCELED = 5
    """Cancelled."""
    FINISHED = 6
    """All of its work is done."""
    RESTARTING = 7
    """Failed, and on its way back to the last checkpoint."""
    SUSPENDED = 8
    """Given up by this driver, left for another one to recover."""
    RECONCILING = 9
    """Taken over by a new driver that still gathers what is running."""
    INITIALIZING = 10
    """Received; the driver is not ready for it yet."""

    def is_globally_terminal_state(self) -> bool:
        """Says whether the job is over for every driver: it will not be recovered."""
        return self in _GLOBALLY_TERMINAL

    def is_terminal_state(self) -> bool:
        """Says whether the job is over for this driver; another may recover a suspended job."""
        return self is JobStatus.SUSPENDED or self in _GLOBALLY_TERMINAL


_GLOBALLY_TERMINAL = frozenset({JobStatus.FAILED, JobStatus.CANCELED, JobStatus.FINISHED})
