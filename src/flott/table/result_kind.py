"""ResultKind: whether a statement gives rows."""

from __future__ import annotations

from enum import Enum

__all__ = ["ResultKind"]


class ResultKind(Enum):
    """What a TableResult holds: only that all is well, or rows."""

    SUCCESS = 0
    SUCCESS_WITH_CONTENT = 1
