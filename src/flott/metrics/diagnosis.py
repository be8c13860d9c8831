"""Says in words what holds a job up: which vertex, whether its keys are uneven, and what would help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.metrics.epoch import levels_total
from flott.metrics.recent import of_vertex, skew_of

if TYPE_CHECKING:
    from flott.metrics.epoch import FinishedEpoch
    from flott.metrics.recent import RecentWork
    from flott.runtime.plan import EpochPlan, VertexSpec
    from flott.runtime.reports import TaskReport

UNEVEN = 1.5
"""A vertex is skewed when its busiest subtask reads so many times the average."""
MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class LastEpoch:
    """How an epoch's time was spent, in seconds."""

    seconds: float
    work: float
    """On the longest way through its levels."""
    state: float
    backlog: bool

    @staticmethod
    def of(plan: EpochPlan, epoch: FinishedEpoch) -> LastEpoch:
        """Sum up an epoch."""
        reports: list[TaskReport] = epoch.reports
        total = sum(levels_total(plan, reports))
        return LastEpoch(epoch.seconds, total, sum(levels_total(plan, reports, "state")), epoch.backlog)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What holds the job up."""

    bottleneck: int | None
    """The vertex that takes the most time; None while nothing is waiting."""
    hint: str


def diagnose(plan: EpochPlan, recent: RecentWork, last: LastEpoch | None, target: float) -> Diagnosis:
    """Look at the last seconds of a job.

    Args:
        plan: What runs.
        recent: What its subtasks did.
        last: How the last epoch's time was spent; None before the first.
        target: How many seconds of work an epoch should hold.
    """
    if last is None:
        return Diagnosis(None, "No epoch has run yet.")
    done, _ = recent.work()
    took = seconds_text(last.seconds)
    if not last.backlog:
        return Diagnosis(None, f"The job keeps up with its input: the last epoch took {took}, and nothing is waiting.")
    busiest = max(plan.vertices, key=lambda vertex: of_vertex(done, vertex).busy / vertex.parallelism)
    skew = skew_of(done, busiest)
    lead = f"Input is waiting. Epochs take {took} (target: {seconds_text(target)} of work)"
    if last.work < MOSTLY * last.seconds and last.work < target:
        hint = (
            f"{lead}, and {seconds_text(last.seconds - last.work)} of that is Spark planning and starting tasks. "
            f"Epochs grow while input is waiting; with a larger flott.epoch.target-duration they grow more."
        )
        return Diagnosis(busiest.index, hint)
    title = f"{lead}, and '{busiest.name}' works longest"
    return Diagnosis(busiest.index, f"{title}: {advice(busiest, skew, last)}")


def advice(vertex: VertexSpec, skew: float, last: LastEpoch) -> str:
    """Say what would help a vertex that holds the others up."""
    if vertex.parallelism > 1 and skew >= UNEVEN:
        return (
            f"one of its {vertex.parallelism} subtasks reads {skew:.1f} times the average. Its keys are uneven: "
            f"combine records before key_by, or split the hot keys in two steps. More parallelism would not help."
        )
    if last.work and last.state > MOSTLY * last.work:
        return (
            f"{last.state / last.work:.0%} of the work is for state. Keep less of it (time to live, smaller values), "
            f"or let epochs be longer (flott.epoch.target-duration): a key is written once per epoch."
        )
    even = "its subtasks are evenly busy" if vertex.parallelism > 1 else "it runs in one subtask"
    return f"{even}. More parallelism would help, up to the cores that Spark has."


def seconds_text(seconds: float) -> str:
    """Write a duration for people.

    >>> seconds_text(0.0421), seconds_text(2.13)
    ('42 ms', '2.1 s')
    """
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
