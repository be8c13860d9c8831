"""The Spark session a job runs on: the one that is there, or an embedded one of our own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from flott.common.options import FlottOptions
from flott.errors import ConfigurationError
from flott.spark.terminal import without_noise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.common import Configuration

OLDEST_JAVA = 17
TASK_FAILURES = 4
"""How often Spark tries a task before it gives up the epoch; a plain local master would not retry at all."""

EPOCH_JOB = {
    # One small job after the other: re-planning while it runs only costs time.
    "spark.sql.adaptive.enabled": "false",
    # Shuffle files of an epoch are of no use once it is over.
    "spark.sql.classic.shuffleDependency.fileCleanup.enabled": "true",
    # Blocks are large: few of them make a batch.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "64",
}

EMBEDDED = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.python.daemon.module": "flott.spark.daemon",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "1g",
    # A job runs thousands of epochs: Spark must not remember them all.
    "spark.ui.retainedJobs": "20",
    "spark.ui.retainedStages": "40",
    "spark.ui.retainedTasks": "200",
    "spark.sql.ui.retainedExecutions": "20",
    "spark.cleaner.periodicGC.interval": "5min",
}


def epoch_session(configuration: Configuration) -> SparkSession:
    """Return a session for epoch jobs: of the Spark application that is there, else of an embedded one."""
    base = SparkSession.getActiveSession() or embedded_session(configuration)
    # Settings of their own for epoch jobs; a Connect session has them anyway, and a second one would hang at exit.
    session = base if is_remote(base) else base.newSession()
    for key, value in EPOCH_JOB.items():
        session.conf.set(key, value)
    return session


def is_remote(session: SparkSession) -> bool:
    """Say whether a session talks to a Spark Connect server."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def embedded_session(configuration: Configuration) -> SparkSession:
    """Start Spark in this process's name: local mode, or the master that ``flott.spark.master`` names."""
    require_java()
    # Workers must find the same packages as this interpreter, whatever `python3` is on the PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    master = retrying(configuration.get(FlottOptions.SPARK_MASTER))
    log4j = Path(__file__).with_name("log4j2.properties")
    level = configuration.get(FlottOptions.SPARK_LOG_LEVEL)
    options = f"-Dlog4j2.configurationFile={log4j.as_uri()} -Dflott.spark.log.level={level}"
    builder = SparkSession.builder.master(master).appName("flott")
    builder = builder.config("spark.driver.extraJavaOptions", options)
    for key, value in EMBEDDED.items():
        builder = builder.config(key, value)
    if "spark.local.dir" not in configuration.key_set():
        builder = builder.config("spark.local.dir", tempfile.gettempdir())
    for key in configuration.key_set():
        if key.startswith("spark."):
            builder = builder.config(key, configuration.get_string(key, ""))
    with without_noise():
        return builder.getOrCreate()


def retrying(master: str) -> str:
    """Let a local master retry tasks, as a cluster does.

    >>> retrying("local[2]"), retrying("local"), retrying("spark://host:7077")
    ('local[2,4]', 'local[1,4]', 'spark://host:7077')
    """
    if master == "local":
        return f"local[1,{TASK_FAILURES}]"
    cores = re.fullmatch(r"local\[(\*|\d+)\]", master)
    return f"local[{cores[1]},{TASK_FAILURES}]" if cores else master


def require_java() -> None:
    """Make sure that Spark will find a Java it can run on, or say what to do."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    advice = (
        f"Spark needs Java {OLDEST_JAVA} or newer. Install it "
        f"(Debian, Ubuntu: apt-get install openjdk-17-jre-headless; "
        f"macOS: brew install openjdk@17) or set JAVA_HOME to where it is."
    )
    if java is None or not Path(java).exists():
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "no java was found on the PATH"
        message = f"{where}. {advice}"
        raise ConfigurationError(message)
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S603
    version = re.search(r'version "(?:1\.)?(\d+)', told)
    if version is not None and int(version[1]) < OLDEST_JAVA:
        message = f"{java} is Java {version[1]}. {advice}"
        raise ConfigurationError(message)


def try_out(configuration: Configuration) -> str:
    """Start Spark, run a function in one of its Python workers, and say what ran it."""

    def versions(batches: Iterator[Any]) -> Iterator[Any]:
        import flott

        for batch in batches:
            yield batch.append_column("version", [[flott.__version__] * batch.num_rows])

    session = epoch_session(configuration)
    [row] = session.range(0, 1, 1, 1).mapInArrow(versions, "id long, version string").collect()
    return f"Spark {session.version} on {session.conf.get('spark.master')}, flott {row.version} in its workers"
