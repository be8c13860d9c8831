"""What a job starts from: nothing, a savepoint it was given, or what a driver before this one left."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from uuid import uuid4

from flott.common import JobID, JobStatus
from flott.common.options import StateRecoveryOptions
from flott.coordination.checkpoints.assignment import assign, fit_plan
from flott.coordination.checkpoints.coordinator import CompletedCheckpoint
from flott.coordination.checkpoints.state_files import own_names
from flott.coordination.checkpoints.storage import DirectoryCheckpointStorage, load, remove
from flott.coordination.job_record import JobRecord
from flott.coordination.start_state import StartingPoint
from flott.errors import CheckpointError

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
    if directory is not None:
        # A driver that is started again with the same settings goes on, and does not go back to the savepoint.
        record = JobRecord.find(directory, plan.job_name, path)
        if record is not None:
            try:
                return resumed(plan, configuration, record)
            except BaseException:
                record.release()
                raise
    job_id = JobID()
    record = None if directory is None else JobRecord.create(directory, str(job_id), plan.job_name, path)
    try:
        return begun(plan, configuration, job_id, record)
    except BaseException:
        if record is not None:
            record.close(JobStatus.FAILED, keep=False)
        raise


def begun(plan: EpochPlan, configuration: Configuration, job_id: JobID, record: JobRecord | None) -> Beginning:
    """Start a job that has no checkpoint: from a savepoint if the settings name one, else from nothing."""
    path = configuration.get(StateRecoveryOptions.SAVEPOINT_PATH)
    if path is None:
        return Beginning(job_id, plan, record=record)
    fitted, start = from_savepoint(plan, configuration, path)
    return Beginning(job_id, fitted, start, record)


def resumed(plan: EpochPlan, configuration: Configuration, record: JobRecord) -> Beginning:
    """Take over a job whose driver died: it goes on from its last complete checkpoint."""
    found = DirectoryCheckpointStorage(record.root).find()
    job_id = JobID(record.job_id)
    if record.finished:
        log.warning("job '%s' (%s) had finished when its driver ended; it is not run again, only cleaned up. To run it "
                    "once more, start it once more", plan.job_name, job_id)  # fmt: skip
        return Beginning(job_id, plan, record=record, adopted=tuple(adopted(record, found)), over=True)
    if not found:
        log.info("job '%s' (%s) had no complete checkpoint yet: it starts anew", plan.job_name, job_id)
        return begun(plan, configuration, job_id, record)
    latest = found[-1]
    fitted = fit_plan(plan, latest.state)
    allow = configuration.get(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE)
    try:
        state = assign(fitted, latest, None, uuid4().hex, allow_non_restored=allow)
    except CheckpointError as error:
        message = (
            f"a job '{plan.job_name}' was running in {record.root} when its driver ended, and this program can't go "
            f"on from there: {error}. To start anew, give the job another name or remove that directory"
        )
        raise CheckpointError(message) from error
    checkpoints = adopted(record, found)
    # The files that it holds are those it was written with, however they are assigned now.
    checkpoints[-1] = replace(checkpoints[-1], metadata=replace(latest, state=state))
    start = StartingPoint(state, latest.checkpoint_id, latest.kind, checkpoints[-1].path)
    return Beginning(job_id, fitted, start, record, tuple(checkpoints))


def adopted(record: JobRecord, found: list[CheckpointMetadata]) -> list[CompletedCheckpoint]:
    """Return the checkpoints of a driver before this one as the coordinator keeps its own."""
    return [
        CompletedCheckpoint(
            metadata, f"{record.root}/chk-{metadata.checkpoint_id}", frozenset(own_names(metadata.state.files()))
        )
        for metadata in found
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
