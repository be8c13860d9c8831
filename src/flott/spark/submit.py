"""Starts a program on Spark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flott.common.machine_clock import MachineClock
from flott.common.options import FlottOptions
from flott.common.workspace import workspace
from flott.coordination.launch import launch
from flott.errors import ConfigurationError
from flott.spark.dependencies import ship
from flott.spark.runner import SparkRunner
from flott.spark.session import epoch_session

if TYPE_CHECKING:
    from flott.common import Configuration, JobID
    from flott.coordination.client import DriverJobClient
    from flott.graph.transformations import Program
    from flott.runtime.clock import JobClock
    from flott.runtime.plan import EpochPlan


def submit(program: Program, configuration: Configuration, clock: JobClock | None = None) -> DriverJobClient:
    """Start a program as a job on Spark and return the handle on it; ``clock`` is for tests that move time by hand."""

    def runner(job_id: JobID, plan: EpochPlan, checkpoints: str | None) -> SparkRunner:
        spark = epoch_session(configuration)
        ship(spark, configuration)
        master = spark.conf.get("spark.master") or ""
        storage, state_dir = places(configuration, str(job_id), master, checkpoints)
        return SparkRunner(spark, plan, str(job_id), storage, state_dir, configuration)

    return launch(program, configuration, clock or MachineClock(), runner)


def places(configuration: Configuration, job_id: str, master: str, checkpoints: str | None = None) -> tuple[str, str]:
    """Return where the job's files are kept for all to see, and where each machine has its working stores.

    A job with a checkpoint directory keeps its files there, so that a checkpoint only has to name them.
    """
    given = configuration.get_optional(FlottOptions.STATE_DIRECTORY)
    local = Path(given) if given else workspace()
    if checkpoints is not None:
        return checkpoints, str(local / job_id / "stores")
    shared = configuration.get_optional(FlottOptions.STORAGE_DIRECTORY)
    if shared is None and not master.startswith("local"):
        message = (
            f"the job runs on {master}, where machines share no disk: set {FlottOptions.STORAGE_DIRECTORY.key} to a "
            f"directory that all of them reach (hdfs://…, s3://…, a mounted path). "
            f"{FlottOptions.SPARK_MASTER.key}=local[*] needs none."
        )
        raise ConfigurationError(message)
    storage = f"{shared.rstrip('/')}/{job_id}" if shared else str(local / job_id / "files")
    return storage, str(local / job_id / "stores")
