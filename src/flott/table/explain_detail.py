"""ExplainDetail: what explain() shows besides the plans."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from flott.table.errors import NotYetError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ExplainDetail"]


class ExplainDetail(Enum):
    """What explain() shows besides the plans."""

    ESTIMATED_COST = 0
    """Not here: nothing is chosen by cost."""
    CHANGELOG_MODE = 1
    """The kinds of rows that each step gives."""
    JSON_EXECUTION_PLAN = 2
    """Not here: get_execution_plan() of the environment is the plan of the job."""
    PLAN_ADVICE = 3
    """What would make the query better; so far there is no advice."""


def shows_changes(details: Sequence[ExplainDetail]) -> bool:
    """Say whether the kinds of rows are wanted; refuse what can't be shown."""
    for one in (ExplainDetail.ESTIMATED_COST, ExplainDetail.JSON_EXECUTION_PLAN):
        if one in details:
            raise NotYetError(
                f"explain(ExplainDetail.{one.name}): this can't be shown; leave it out, or take CHANGELOG_MODE"
            )
    return ExplainDetail.CHANGELOG_MODE in details
