"""Subtasks stay where their stores are: makes Spark prefer the machine that ran a subtask before."""

from __future__ import annotations

from contextlib import suppress
from math import log
from statistics import fmean
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException
from pyspark.sql.functions import col, lit, pmod
from pyspark.sql.functions import hash as spark_hash

from flott.errors import FlottError
from flott.spark.session import is_local

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame, SparkSession

    from flott.runtime.plan import EpochPlan, LevelSpec
    from flott.runtime.reports import TaskReport

NO_WAIT = {"0", "0s", "0ms"}
"""With any other, a task whose machine is busy would wait while another machine has nothing to do."""

WORTH_IT = 2**20
"""When an epoch changes so many bytes of state per subtask, reading them elsewhere takes longer than an anchor."""

WISHES = ("auto", "true", "false")


class Anchors:
    """Of each level with keyed state, an empty cached DataFrame with one partition per subtask.

    Spark likes to run a task where a cached part of its input is. So the input of a subtask is its blocks and its
    partition of this DataFrame: a union that needs no exchange, because both are partitioned by the same hash. The
    partition is cached where the subtask runs first, and when that machine is lost, where it runs then.

    It is a wish, and nothing depends on it: where no slot is free on that machine, Spark takes another at once.
    """

    def __init__(self, plan: EpochPlan, job_id: str, wish: str) -> None:
        if wish not in WISHES:
            message = f"flott.state.locality is {wish!r}; set it to one of {', '.join(WISHES)}"
            raise FlottError(message)
        self._wish = wish
        self._wanted = wish == "true"
        self._plan = plan
        self._job_id = job_id
        self._frames: dict[int, DataFrame] | None = None
        self._targets: dict[int, tuple[int, ...]] = {}

    def cast(self, spark: SparkSession) -> None:
        """Make the DataFrames, before the first epoch that is to have them."""
        if not self._wanted or self._frames is not None:
            return
        levels = [level for level in self._plan.levels[1:] if keeps_state(self._plan, level)] if heeded(spark) else []
        self._targets = {level.index: numbers_by_hash(spark, level.partitions) for level in levels}
        self._frames = {level.index: anchor(spark, level, self._job_id) for level in levels}

    def look_at(self, reports: Iterable[TaskReport]) -> None:
        """Hear what an epoch did: whether anchors are worth while may be for the state to say."""
        if self._wish == "auto" and not self._wanted:
            changed = [report.changed_bytes for report in reports if report.lineage.files]
            self._wanted = bool(changed) and fmean(changed) > WORTH_IT

    def targets(self, level: int) -> tuple[int, ...]:
        """Return for each partition of a level the number whose hash leads there; nothing if it has no anchor."""
        return self._targets.get(level, ())

    def exchanged(self, frame: DataFrame, level: LevelSpec) -> DataFrame:
        """Bring blocks to the partitions of a level."""
        anchored = (self._frames or {}).get(level.index)
        if anchored is None:
            return frame.repartitionById(level.partitions, col("target"))
        return anchored.union(frame.repartition(level.partitions, col("target")))

    def close(self) -> None:
        """Let Spark forget the DataFrames."""
        for frame in (self._frames or {}).values():
            # A Spark that is gone has forgotten them.
            with suppress(Exception):
                frame.unpersist()


def heeded(spark: SparkSession) -> bool:
    """Say whether wishes help: there are several machines, tasks never wait for one, and a union keeps partitions."""
    return (
        not is_local(str(spark.conf.get("spark.master")))
        and spark.conf.get("spark.locality.wait", "3s") in NO_WAIT
        and unions_keep_partitions(spark)
    )


def unions_keep_partitions(spark: SparkSession) -> bool:
    """Say whether this Spark unites DataFrames with the same partitioning partition by partition."""
    try:
        # Asked with a default, Spark would answer with that instead of its own.
        return spark.conf.get("spark.sql.unionOutputPartitioning") == "true"
    except PySparkException:
        return False


def keeps_state(plan: EpochPlan, level: LevelSpec) -> bool:
    """Say whether a vertex of a level has keyed state."""
    return any(edge.partitioner.name == "HASH" and edge.target in level.vertices for edge in plan.edges)


def anchor(spark: SparkSession, level: LevelSpec, job_id: str) -> DataFrame:
    """Return the cached, empty DataFrame of a level; of no other job, or Spark would take both for the same."""
    nothing = spark.range(0, 0, 1, 1).select(
        col("id").cast("int").alias("target"),
        lit(level.index).alias("channel"),
        lit(0).alias("final"),
        lit(0).alias("sequence"),
        lit(job_id).cast("binary").alias("data"),
    )
    return nothing.repartition(level.partitions, col("target")).persist()


def numbers_by_hash(spark: SparkSession, partitions: int) -> tuple[int, ...]:
    """Return for each partition a number that Spark's hash brings there. Spark is asked: it is its hash."""
    enough = int(partitions * (log(partitions) + 20))
    tried = spark.range(0, enough, 1, 1).select(col("id").cast("int").alias("number"))
    rows = tried.select("number", pmod(spark_hash("number"), lit(partitions)).alias("partition")).collect()
    first: dict[int, int] = {}
    for row in rows:
        first.setdefault(row.partition, row.number)
    return tuple(first[partition] for partition in range(partitions))
