"""When a task with several inputs may start."""

from __future__ import annotations

from enum import Enum

__all__ = ["InputDependencyConstraint"]


class InputDependencyConstraint(Enum):
    """When a task may be scheduled: as soon as any of its inputs is there, or only when all are."""

    ANY = 0
    ALL = 1
