"""The smallest job of the shape of an epoch: to try Spark out, and to see which classes Java needs for one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.functions import col

import flott
from flott.common import Configuration
from flott.common.options import FlottOptions
from flott.spark.session import epoch_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

SCHEMA = "target long, version string"


def version_of_workers(session: SparkSession) -> str:
    """Run a job of two levels, and return the version of Flott that its Python workers have."""
    rows = session.range(0, 2, 1, 2).mapInArrow(tell_version, SCHEMA)
    told = rows.repartitionById(2, col("target").cast("int")).mapInArrow(pass_on, SCHEMA).collect()
    return str(told[0].version)


def tell_version(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Say which version of Flott this worker has."""
    for batch in batches:
        versions = pa.array([flott.__version__] * batch.num_rows, pa.string())
        yield pa.RecordBatch.from_arrays([batch.column(0), versions], ["target", "version"])


def pass_on(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Hand over what comes."""
    yield from batches


def try_out(configuration: Configuration) -> str:
    """Start Spark, run a small job on its Python workers, and say what ran it."""
    session = epoch_session(configuration)
    version = version_of_workers(session)
    return f"Spark {session.version} on {session.conf.get('spark.master')}, flott {version} in its workers"


def run_first_job(java_options: str) -> None:
    """Run the job on a Spark of our own whose Java has these options, and wait until that Java has ended."""
    configuration = Configuration().set(FlottOptions.SPARK_MASTER, "local[1]")
    configuration.set_string("spark.driver.extraJavaOptions", java_options)
    session = epoch_session(configuration)
    version_of_workers(session)
    java: Any = session.sparkContext._gateway  # noqa: SLF001 - its process is kept nowhere else
    session.stop()
    java.proc.stdin.close()  # which is how Spark's Java hears that it may go
    java.proc.wait()
