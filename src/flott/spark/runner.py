"""An epoch as one Spark DataFrame job: a map stage per level, an exchange between two."""

from __future__ import annotations

import logging
import pickle
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from pyspark.sql.types import BinaryType, IntegerType, StructField, StructType

from flott.common.options import FlottOptions, LogOptions
from flott.errors import EpochFailedError, RunnerLostError
from flott.runtime.job_file import pack
from flott.runtime.state.policy import StatePolicy
from flott.runtime.storage import open_storage, remove_job_files
from flott.spark.activity import read_activities, remove_activities
from flott.spark.anchors import Anchors
from flott.spark.java import embedded_java, how_java_ended
from flott.spark.prints import show_prints
from flott.spark.session import is_local, is_remote
from flott.spark.worker import JobAddress, LevelTask, digest_of
from flott.spark.worker_environment import WorkerEnvironment
from flott.spark.worker_processes import kill_workers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from flott.common import Configuration
    from flott.runtime.plan import EpochPlan, LevelSpec
    from flott.runtime.reports import EpochOrder, TaskReport
    from flott.runtime.task_activity import TaskActivity

log = logging.getLogger("flott.job")

JOB_FILE = "taskowned/job"
"""What the names of job files begin with; the number of the driver follows."""

# As text it would be sent to Java to be parsed, in every epoch.
BLOCKS = StructType(
    [
        *(StructField(name, IntegerType()) for name in ("target", "channel", "final", "sequence")),
        StructField("data", BinaryType()),
    ]
)


class SparkRunner:
    """Runs the epochs of one job on a Spark session, through its public DataFrame API only."""

    def __init__(
        self,
        spark: SparkSession,
        plan: EpochPlan,
        job_id: str,
        storage: str,
        state_dir: str,
        configuration: Configuration,
    ) -> None:
        self._spark = spark
        self._plan = plan
        self._storage = open_storage(storage)
        self._tag = f"flott-{job_id}"
        data = pack(plan)
        job_file = f"{JOB_FILE}-{plan.owner}"
        self._storage.write(job_file, data)
        self._address = JobAddress(
            job_id,
            storage,
            job_file,
            digest_of(data),
            state_dir,
            StatePolicy.of(configuration),
            configuration.get(FlottOptions.PYFLINK_IMPORTS),
            prints_are_far(spark, configuration),
            WorkerEnvironment.of(configuration),
        )
        self._anchors = Anchors(plan, job_id, configuration.get(FlottOptions.STATE_LOCALITY))

    def run(self, order: EpochOrder) -> list[TaskReport]:
        """Run one epoch as one Spark job."""
        spark, levels = self._spark, self._plan.levels
        try:
            spark.addTag(self._tag)
            self._anchors.cast(spark)
            first = levels[0]
            frame = spark.range(0, first.partitions, 1, first.partitions)
            frame = frame.mapInArrow(self._task(first, order), BLOCKS)
            for level in levels[1:]:
                frame = self._anchors.exchanged(frame, level)
                frame = frame.mapInArrow(self._task(level, order), BLOCKS)
            rows = frame.collect()
            spark.removeTag(self._tag)
        except Exception as error:
            how = how_java_ended()
            if how is not None:
                raise RunnerLostError(JAVA_ENDED.format(how)) from error
            spark.removeTag(self._tag)
            if isinstance(error, PySparkException):
                raise EpochFailedError(short_cause(error)) from error
            raise
        reports: list[TaskReport] = [pickle.loads(row.data) for row in rows]
        self._anchors.look_at(reports)
        show_prints(self._plan, reports)
        return reports

    def _task(self, level: LevelSpec, order: EpochOrder) -> LevelTask:
        mine = {task: what for task, what in order.tasks.items() if self._plan.vertices[task[0]].level == level.index}
        packed = pickle.dumps(replace(order, tasks=mine), protocol=5)
        return LevelTask(self._address, level.index, packed, self._anchors.targets(level.index + 1))

    def activities(self) -> list[TaskActivity]:
        """Return what the workers have written down of tasks that take long."""
        return read_activities(self._storage)

    def cancel(self) -> None:
        """Stop the running epoch's Spark job."""
        self._spark.interruptTag(self._tag)

    def kill(self) -> None:
        """Kill the Python workers of an embedded Spark; on a cluster, its executors end what was interrupted."""
        java = embedded_java()
        if java is not None:
            log.warning("killed %d Python workers of Spark", kill_workers(java))

    def discard(self, names: list[str]) -> None:
        """Remove state files that no version needs any more."""
        for name in names:
            self._storage.delete(name)

    def close_functions(self) -> None:
        """Nothing to do: a worker closes what it holds when it needs the room, or ends."""

    def close(self, keep: set[str] | None = None, *, fenced: bool = False) -> None:
        """Remove what the job left: its working stores on this machine, and the files that nobody needs."""
        self._anchors.close()
        if fenced:
            # The stores too: where flott.state.dir is set, the next driver on this machine has the same ones.
            return
        shutil.rmtree(self._address.state_dir, ignore_errors=True)
        with suppress(OSError):  # checkpoints may be beside the stores
            Path(self._address.state_dir).parent.rmdir()
        remove_activities(self._storage)
        remove_job_files(self._storage, self._address.job_file, keep)


JAVA_ENDED = (
    "Java, in which Spark runs, has ended ({}): nothing can run in this process any more. Start the program again: it "
    "resumes from its last checkpoint, if it has a checkpoint directory. Java is killed most often for lack of memory"
)

NOT_THERE = (
    "The Python of Spark's workers can't import it: install it where they run, or send a packed environment along, and "
    "let PYSPARK_PYTHON name that Python (docs/operations.md, Clusters)"
)


def prints_are_far(spark: SparkSession, configuration: Configuration) -> bool:
    """Say whether what workers print has to be brought here: an embedded Spark's workers write to our own stderr."""
    asked = configuration.get_optional(LogOptions.PRINTS)
    if asked is not None:
        return asked
    return is_remote(spark) or not is_local(str(spark.conf.get("spark.master")))


def short_cause(error: BaseException) -> str:
    r"""Return the line of a Spark error that says what happened.

    >>> short_cause(RuntimeError("Job aborted:\nModuleNotFoundError: No module named 'flott'\n SQLSTATE: 38000"))
    "ModuleNotFoundError: No module named 'flott'. The Python of Spark's workers can't import it: install it where ..."
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if "Error" in line or "Exception" in line or "lost" in line.lower()]
    cause = (telling or lines or [type(error).__name__])[-1][:500]
    return f"{cause}. {NOT_THERE}" if cause.startswith("ModuleNotFoundError") else cause
