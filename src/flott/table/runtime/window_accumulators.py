"""The accumulators of one group in one window: rows are only added to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flott.table.runtime.group_aggregate import Arguments, GroupPlan


class WindowAccumulators:
    """Makes, fills and reads the accumulators of a plan; distinct values are kept beside them."""

    def __init__(self, plan: GroupPlan) -> None:
        self.aggregates = plan.aggregates()
        self._distinct = [call.distinct for call in plan.calls]

    def create(self) -> list[Any]:
        """Return the accumulators of a group without rows."""
        return [
            [one.create() for one in self.aggregates],
            [set() if distinct else None for distinct in self._distinct],
        ]

    def add(self, number: int, arguments: Arguments, group: list[Any]) -> None:
        """Add a row of a batch."""
        for place, one in enumerate(self.aggregates):
            counts = arguments.counts[place]
            if counts is not None and not counts[number]:
                continue
            values = arguments.values[place]
            value = True if values is None else values[number]
            if value is None:
                continue
            seen = group[1][place]
            if seen is not None:
                if value in seen:
                    continue
                seen.add(value)
            one.add(group[0][place], value)

    def results(self, group: list[Any]) -> list[Any]:
        """Return the values of all aggregates."""
        return [one.result(acc) for one, acc in zip(self.aggregates, group[0], strict=True)]
