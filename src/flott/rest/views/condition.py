"""How a job is, in words: on its page, in ``flott info``, ``flott list`` and the line of progress alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.common import JobStatus
from flott.common.duration_text import for_people
from flott.metrics.diagnosis import LastEpoch, diagnose

if TYPE_CHECKING:
    from flott.coordination.epoch_stats import EpochStats
    from flott.coordination.progress import FailureNote
    from flott.rest.served_job import ServedJob
    from flott.rest.shapes.job import JobCondition
    from flott.runtime.task_activity import TaskActivity

GOOD, WARN, BAD = "good", "warn", "bad"
LONG = 5_000
"""Milliseconds: an epoch that runs for longer is reported while it runs."""
LATELY = 60_000
"""Milliseconds: for so long a failure is reported although the job works again."""
LONGEST_CAUSE = 300


@dataclass(frozen=True, slots=True)
class Condition:
    """How a job is."""

    mood: str
    """``good``: it does what it should; ``warn``: somebody should look; ``bad``: it does not work."""
    text: str
    bottleneck: int | None = None
    """The vertex that holds the others up."""
    worries: tuple[str, ...] = ()
    """What failed lately, although the job works."""

    @property
    def view(self) -> JobCondition:
        """The same for the REST API."""
        return {"mood": self.mood, "text": self.text}


def condition(job: ServedJob) -> Condition:
    """Say how a job is."""
    progress = job.progress
    match progress.status:
        case JobStatus.FINISHED:
            return Condition(GOOD, "The job has finished.")
        case JobStatus.CANCELED:
            return Condition(WARN, "The job was canceled.")
        case JobStatus.FAILED:
            return Condition(BAD, f"The job failed: {cause(job, progress.last_failure)}")
        case JobStatus.CANCELLING:
            since = progress.now() - progress.since[JobStatus.CANCELLING]
            return Condition(WARN, " ".join([f"The job has been cancelling for {for_people(since)}.", *doing(job)]))
        case JobStatus.RESTARTING | JobStatus.FAILING:
            return Condition(BAD, " ".join([failures(job), *attempt(job)]))
    return of_running(job)


def of_running(job: ServedJob) -> Condition:
    """Say how a job is that works, or is at its first epoch."""
    progress, current = job.progress, job.progress.current
    worries = (*recent_failure(job), *checkpoint_failures(job))
    if current is not None and progress.now() - current.started >= LONG:
        shown, _ = deepest(job)
        return Condition(WARN, " ".join([*doing(job), *worries]), None if shown is None else shown.vertex, worries)
    history = tuple(progress.history)
    last = None if not history else last_epoch(history[-1])
    found = diagnose(job.plan, job.metrics.recent, last, job.master.settings.epoch_target)
    if last is None:
        nothing = "No epoch has completed yet" if current is not None else "No epoch has run yet: no input has come"
        return Condition(WARN if worries else GOOD, " ".join([f"{nothing}.", *worries]), None, worries)
    mood = WARN if worries or found.bottleneck is not None else GOOD
    return Condition(mood, " ".join([*worries, found.hint]), found.bottleneck, worries)


def last_epoch(stats: EpochStats) -> LastEpoch:
    """Sum up an epoch for the diagnosis."""
    work = stats.phases["read"] + stats.phases["compute"] + stats.phases["state"]
    return LastEpoch(stats.seconds, work, stats.phases["state"], stats.backlog)


# Failures


def failures(job: ServedJob) -> str:
    """Say how often a job failed, and for what."""
    progress = job.progress
    count = progress.failures_in_a_row
    times = "once" if count == 1 else f"{count} times in a row"
    return f"The job failed {times}, last with {cause(job, progress.last_failure)}."


def attempt(job: ServedJob) -> list[str]:
    """Say when a job that failed starts again, or what became of that so far."""
    progress = job.progress
    if progress.next_attempt is not None:
        wait = max(0, progress.next_attempt - progress.now())
        return [f"It starts again in {for_people(wait)}, {where_from(job)}."]
    return doing(job) if progress.current is not None else ["It is starting again."]


def where_from(job: ServedJob) -> str:
    """Say where a job starts again from."""
    latest = job.master.checkpoints.latest
    return "from its beginning" if latest is None else f"from {latest.metadata.kind} {latest.metadata.checkpoint_id}"


def recent_failure(job: ServedJob) -> list[str]:
    """Say what a job failed for lately that works again."""
    note, restarts = job.progress.last_failure, job.progress.restarts
    if note is None or job.progress.now() - note.time > LATELY:
        return []
    times = "once" if restarts == 1 else f"{restarts} times"
    ago = for_people(job.progress.now() - note.time)
    return [f"The job was restarted {times}, last {ago} ago after {cause(job, note)}."]


def cause(job: ServedJob, note: FailureNote | None) -> str:
    """Return what something failed for, and where."""
    if note is None:
        return "unknown"
    text = note.cause if note.cause.startswith(note.name) else f"{note.name}: {note.cause}"
    text = text if len(text) <= LONGEST_CAUSE else f"{text[: LONGEST_CAUSE - 1]}…"
    if note.vertex is None or note.subtask is None:
        return text.rstrip(".")
    return f"{text.rstrip('.')} ({task(job, note.vertex, note.subtask)})"


def checkpoint_failures(job: ServedJob) -> list[str]:
    """Say why checkpoints fail."""
    count = job.master.checkpoints.failures_in_a_row
    failed = job.master.checkpoints.statistics.latest_failed
    if not count or failed is None:
        return []
    lead = "The last checkpoint failed" if count == 1 else f"The last {count} checkpoints failed"
    return [f"{lead}: {str(failed.failure).rstrip('.')}."]


# What runs


def doing(job: ServedJob) -> list[str]:
    """Say what the epoch does that runs."""
    current = job.progress.current
    if current is None:
        return []
    lead = f"Epoch {current.epoch} has been running for {for_people(job.progress.now() - current.started)}"
    if current.attempt > 1:
        lead = f"{lead} (attempt {current.attempt})"
    shown, others = deepest(job)
    if shown is None:
        return [f"{lead}; no subtask has said yet what it does."]
    more = "" if not others else ", as is 1 other subtask" if others == 1 else f", as are {others} other subtasks"
    return [f"{lead}: {at(job, shown)}{more}."]


def deepest(job: ServedJob) -> tuple[TaskActivity | None, int]:
    """Return the subtask at work that others wait for, and how many more are at work."""
    activities = job.progress.activities
    if not activities:
        return None, 0
    return min(activities, key=lambda one: (-job.plan.vertices[one.vertex].level, one.subtask)), len(activities) - 1


def at(job: ServedJob, activity: TaskActivity) -> str:
    """Say where a subtask is."""
    vertex = job.plan.vertices[activity.vertex]
    place = f"'{activity.operator or vertex.name}' ({activity.subtask + 1}/{vertex.parallelism})"
    records = "1 record" if activity.records == 1 else f"{activity.records:,} records"
    return f"{place} is at work{'' if activity.line is None else f' in {activity.line}'}, with {records} so far"


def task(job: ServedJob, vertex: int, subtask: int) -> str:
    """Name a subtask."""
    spec = job.plan.vertices[vertex]
    return f"'{spec.name}' ({subtask + 1}/{spec.parallelism})"
