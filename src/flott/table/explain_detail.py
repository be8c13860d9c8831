"""ExplainDetail: what explain() shows besides the plans."""

from __future__ import annotations

from enum import Enum

__all__ = ["ExplainDetail"]


class ExplainDetail(Enum):
    """What explain() shows besides the plans."""

    CHANGELOG_MODE = 1
    """The kinds of rows that each step gives."""
