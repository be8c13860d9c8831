"""What the sources of a job read next: as their enumerators plan it, unless one has to wait for others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.connectors.feedback import FeedbackEnumerator
from flott.coordination.alignment import SourceAlignment, pause
from flott.coordination.broadcast_first import BroadcastFirst, hold
from flott.coordination.broadcast_hint import BroadcastHint
from flott.errors import FlottError
from flott.runtime.source import FindsStart, PausesSplits, raise_named

if TYPE_CHECKING:
    from flott.coordination.version import JobVersion
    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import TaskReport
    from flott.runtime.source import SourcePlan


class SourcePlanner:
    """Plans all sources together: aligned ones wait for each other, loops end when all else has."""

    def __init__(self, plan: EpochPlan, *, broadcast_first: bool = True) -> None:
        self._broadcast = BroadcastFirst(plan, on=broadcast_first)
        self._hint = BroadcastHint(plan)
        self._parallelism = {vertex.index: vertex.parallelism for vertex in plan.vertices}
        self._alignment = SourceAlignment.of(plan)
        self._titles = {vertex.index: vertex.chain[0].title for vertex in plan.vertices}
        self._plans: dict[int, SourcePlan] = {}
        """What each source read last."""
        self._held: set[int] = set(self._titles)
        """The sources of which splits waited in the last plan; before the first, of any, for all that is known."""

    def plan(self, version: JobVersion, scale: float, now: int) -> dict[int, SourcePlan]:
        """Plan the next epoch."""
        if not self._plans and version.epoch:
            self._hint.give_up()
        ahead = self._alignment.ahead()
        tell_loops(version)
        for vertex in self._broadcast.order(version.enumerators):
            if self._broadcast.holds(vertex, self._plans, version.ended):
                self._plans[vertex] = self._hold(version, vertex, now)
                continue
            source = version.enumerators[vertex]
            splits = ahead.get(vertex, frozenset())
            paused = vertex in self._plans and self._alignment.all_ahead(vertex, splits)
            try:
                if isinstance(source, PausesSplits) and (splits or vertex in self._held):
                    source.pause_splits(splits)
                self._plans[vertex] = pause(self._plans[vertex]) if paused else source.plan(scale, now)
            except (ConnectionError, FlottError) as error:
                raise_named(self._titles[vertex], error)
        self._held = set(ahead)
        return dict(self._plans)

    def _hold(self, version: JobVersion, vertex: int, now: int) -> SourcePlan:
        """Let a source wait until others have been read."""
        source = version.enumerators[vertex]
        if isinstance(source, FindsStart):
            try:
                source.find_start(now)
            except (ConnectionError, FlottError) as error:
                raise_named(self._titles[vertex], error)
        return hold(self._parallelism[vertex])

    def nothing(self) -> dict[int, SourcePlan]:
        """Plan an epoch that reads nothing."""
        return {vertex: pause(plan) for vertex, plan in self._plans.items()}

    def observe(self, reports: list[TaskReport]) -> None:
        """Learn how far the sources have come, and what came of them."""
        self._hint.observe(reports)
        self._alignment.observe(reports)


def tell_loops(version: JobVersion) -> None:
    """Tell the heads of loops whether everything outside has ended, and nothing goes round."""
    loops = {index: one for index, one in version.enumerators.items() if isinstance(one, FeedbackEnumerator)}
    over = version.enumerators.keys() - loops.keys() <= version.ended and all(loop.empty for loop in loops.values())
    for loop in loops.values():
        loop.inputs_ended = over


def pause_before(sources: dict[int, SourcePlan], steady: int, wakeup: int | None, tick: int) -> float:
    """Return for how many seconds there is nothing to do: until a source, a timer or the next tick is due.

    Args:
        sources: What was planned, and brought nothing.
        steady: The clock that sources were planned by.
        wakeup: In how many milliseconds a timer is due.
        tick: The latency target in milliseconds.
    """
    waits = [plan.look_again - steady for plan in sources.values() if plan.look_again is not None]
    if wakeup is not None:
        waits.append(wakeup)
    return max(min([*waits, tick]), 1) / 1000
