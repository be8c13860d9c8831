"""What a job starts from: nothing, a savepoint it was given, or what a driver before this one left."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from flott.common import JobID
from flott.common.options import CheckpointingOptions, DriverOptions, StateRecoveryOptions
from flott.coordination.checkpoints.assignment import assign, fit_plan
from flott.coordination.checkpoints.coordinator import CompletedCheckpoint
from flott.coordination.checkpoints.damage import usable_checkpoints
from flott.coordination.checkpoints.settings import NEVER_KEEP
from flott.coordination.checkpoints.state_files import own_names
from flott.coordination.checkpoints.storage import load, remove
from flott.coordination.find_job import abandon_jobs, find_job
from flott.coordination.job_note import RUNNING, JobNote, Published
from flott.coordination.job_record import JobRecord
from flott.coordination.liveness import Lease
from flott.coordination.start_state import StartingPoint
from flott.errors import CheckpointError
from flott.runtime.operators.sinks import WriterSink

if TYPE_CHECKING:
    from flott.common import Configuration
    from flott.coordination.checkpoints.metadata import CheckpointMetadata
    from flott.coordination.checkpoints.settings import CheckpointSettings
    from flott.runtime.plan import EpochPlan

log = logging.getLogger("flott.checkpoints")


@dataclass(frozen=True, slots=True)
class Beginning:
    """A job about to run: its id, its plan fitted to the state it starts from, and that state."""

    job_id: JobID
    plan: EpochPlan
    start: StartingPoint | None = None
    record: JobRecord | None = None
    adopted: tuple[CompletedCheckpoint, ...] = field(default=())
    """The checkpoints that an earlier driver of this job left."""
    over: bool = False
    """The job has finished, and only its clean-up is left to do."""


def find_beginning(plan: EpochPlan, configuration: Configuration, settings: CheckpointSettings) -> Beginning:
    """Find out what a job starts from."""
    path = configuration.get(StateRecoveryOptions.SAVEPOINT_PATH)
    directory = settings.directory if settings.enabled else None
    if directory is None:
        return begun(plan, configuration, JobID(), None)
    if settings.retention == NEVER_KEEP and settings.exactly_once and committing_sinks(plan):
        log.warning(
            "%s: NO_EXTERNALIZED_CHECKPOINTS: if the job fails, its checkpoints are removed, and the next start writes "
            "again what %s committed; DELETE_ON_CANCELLATION keeps them",
            CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION.key, ", ".join(committing_sinks(plan)),
        )  # fmt: skip
    lease = Lease(configuration.get(DriverOptions.LEASE).to_millis() / 1000)
    apart = configuration.get(DriverOptions.NEW_JOB)
    if apart:
        abandon_jobs(directory, plan.job_name, lease)
    else:
        # A driver that is started again with the same settings goes on, and does not go back to the savepoint.
        record = find_job(directory, plan.job_name, path, lease, durable=settings.durable)
        if record is not None:
            try:
                if not record.finished:
                    refuse_without_conditions(plan, settings, record)
                return resumed(plan, configuration, record)
            except BaseException:
                record.give_back()
                raise
        if path is not None:
            # From now on the new job is the one of this name.
            abandon_jobs(directory, plan.job_name, lease)
    job_id = JobID()
    note = JobNote(plan.job_name, RUNNING, created=lease.now(), savepoint=path, checkpoints=(), apart=apart)
    root = f"{directory.rstrip('/')}/{job_id}"
    record = JobRecord(root, str(job_id), note, lease, durable=settings.durable)
    try:
        record.create()
    except OSError as error:
        message = (
            f"the checkpoint directory '{directory}' can't be used: {error}. Set "
            f"{CheckpointingOptions.CHECKPOINTS_DIRECTORY.key} to a directory that this program may write"
        )
        raise CheckpointError(message) from error
    try:
        refuse_without_conditions(plan, settings, record)
        return begun(plan, configuration, job_id, record)
    except BaseException:
        record.give_back()
        raise


def refuse_without_conditions(plan: EpochPlan, settings: CheckpointSettings, record: JobRecord) -> None:
    """Refuse exactly-once output where the store of the checkpoints can't fence a driver that was replaced."""
    sinks = committing_sinks(plan)
    if sinks and settings.exactly_once and not record.is_conditional():
        message = (
            f"the checkpoint directory '{settings.directory}' can't be used for exactly-once output "
            f"({', '.join(sinks)}): its store has no conditional writes, so a driver that hangs and its "
            f"successor could both commit. Use a local or mounted directory, or S3 (s3://…, with s3fs and a store that "
            f"knows If-Match); or set {CheckpointingOptions.CHECKPOINTING_CONSISTENCY_MODE.key}: AT_LEAST_ONCE"
        )
        raise CheckpointError(message)


def owned_by(plan: EpochPlan, record: JobRecord) -> EpochPlan:
    """Return the plan as this driver runs it: names of what it writes tell it from others."""
    return replace(plan, owner=record.epoch, apart=record.note.apart)


def committing_sinks(plan: EpochPlan) -> list[str]:
    """Return the names of the sinks whose output shows by a commit."""
    members = (member for vertex in plan.vertices for member in vertex.chain)
    return sorted({member.name for member in members if commits_outside(member.operator)})


def commits_outside(operator: Any) -> bool:
    """Return whether an operator's output shows by a commit."""
    return isinstance(operator, WriterSink) and operator.capabilities.create_committer is not None


def begun(plan: EpochPlan, configuration: Configuration, job_id: JobID, record: JobRecord | None) -> Beginning:
    """Start a job that has no checkpoint: from a savepoint if the settings name one, else from nothing."""
    path = configuration.get(StateRecoveryOptions.SAVEPOINT_PATH)
    plan = plan if record is None else owned_by(plan, record)
    if path is None:
        return Beginning(job_id, plan, record=record)
    fitted, start = from_savepoint(plan, configuration, path)
    return Beginning(job_id, fitted, start, record)


def resumed(plan: EpochPlan, configuration: Configuration, record: JobRecord) -> Beginning:
    """Take over a job whose driver died, or that failed: it goes on from its last checkpoint."""
    job_id = JobID(record.job_id)
    plan = owned_by(plan, record)
    if record.finished:
        log.warning("job '%s' (%s) had finished when its driver ended; it is not run again, only cleaned up. To run it "
                    "once more, start it once more", plan.job_name, job_id)  # fmt: skip
        return Beginning(job_id, plan, record=record, over=True)
    found = usable_checkpoints(record, allow_older=configuration.get(DriverOptions.ALLOW_OLDER_CHECKPOINT))
    if not found:
        log.info("job '%s' (%s) had no complete checkpoint yet: it starts anew", plan.job_name, job_id)
        return begun(plan, configuration, job_id, record)
    latest = found[-1][1]
    state_of = "FAILED job" if record.found_failed else "job"
    log.warning("resumes %s '%s' (%s) from %s; --new starts over", state_of, plan.job_name, job_id, found[-1][0].folder)
    fitted = fit_plan(plan, latest.state)
    allow = configuration.get(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE)
    try:
        state = assign(fitted, latest, None, uuid4().hex, allow_non_restored=allow)
    except CheckpointError as error:
        message = (
            f"a job '{plan.job_name}' was running in {record.root} when its driver ended, and this program can't go "
            f"on from there: {error}. To start over, use --new, give the job another name or remove that directory"
        )
        raise CheckpointError(message) from error
    checkpoints = adopted(record, found)
    # The files that it holds are those it was written with, however they are assigned now.
    checkpoints[-1] = replace(checkpoints[-1], metadata=replace(latest, state=state))
    start = StartingPoint(state, latest.checkpoint_id, latest.kind, checkpoints[-1].path)
    return Beginning(job_id, fitted, start, record, tuple(checkpoints))


def adopted(record: JobRecord, found: list[tuple[Published, CheckpointMetadata]]) -> list[CompletedCheckpoint]:
    """Return the checkpoints of a driver before this one as the coordinator keeps its own."""
    return [
        CompletedCheckpoint(metadata, f"{record.root}/{one.folder}", frozenset(own_names(metadata.state.files())))
        for one, metadata in found
    ]


def from_savepoint(plan: EpochPlan, configuration: Configuration, path: str) -> tuple[EpochPlan, StartingPoint]:
    """Start from a savepoint, or from a checkpoint that was retained."""
    root, metadata = load(path)
    fitted = fit_plan(plan, metadata.state)
    allow = configuration.get(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE)
    state = assign(fitted, metadata, root, uuid4().hex, allow_non_restored=allow)
    claimed = None
    if configuration.get(StateRecoveryOptions.RESTORE_MODE) == "CLAIM":

        def claimed() -> None:
            log.info("%s is not needed any more and removed: the job was told to claim it", path)
            remove(path)

    return fitted, StartingPoint(state, metadata.checkpoint_id, metadata.kind, path, claimed)
