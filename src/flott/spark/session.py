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
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "1g",
    # A job runs thousands of epochs: Spark must not remember them all.
    "spark.ui.retainedJobs": "20",
    "spark.ui.retainedStages": "40",
    "spark.ui.retainedTasks": "200",
    "spark.sql.ui.retainedExecutions": "20",
    "spark.cleaner.periodicGC.interval": "5min",
}


ON_THIS_MACHINE = {
    # Nobody else needs to reach the driver; and whatever the machine is called, this name leads to it.
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
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
    """Start Spark in this process's name: local mode, or the master that ``flott.spark.master`` names.

    In a program that spark-submit started, Spark is as spark-submit was told.
    """
    require_java()
    # Workers must find the same packages as this interpreter, whatever `python3` is on the PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder
    for key, value in own_settings(configuration, submitted=SUBMITTED in os.environ).items():
        builder = builder.config(key, value)
    for key in configuration.key_set():
        if key.startswith("spark."):
            builder = builder.config(key, configuration.get_string(key, ""))
    with without_noise():
        return builder.getOrCreate()


SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""Set by spark-submit for the program that it starts."""


def own_settings(configuration: Configuration, *, submitted: bool) -> dict[str, str]:
    """Return what we set of Spark's settings before the user does.

    >>> from flott.common import Configuration
    >>> own_settings(Configuration(), submitted=False)["spark.master"]
    'local[*,4]'
    >>> sorted(own_settings(Configuration(), submitted=True))
    ['spark.python.daemon.module']
    """
    if submitted:
        return {"spark.python.daemon.module": EMBEDDED["spark.python.daemon.module"]}
    master = retrying(configuration.get(FlottOptions.SPARK_MASTER))
    log4j = Path(__file__).with_name("log4j2.properties")
    level = configuration.get(FlottOptions.SPARK_LOG_LEVEL)
    options = f"-Dlog4j2.configurationFile={log4j.as_uri()} -Dflott.spark.log.level={level}"
    return {
        "spark.app.name": "flott",
        "spark.master": master,
        "spark.driver.extraJavaOptions": options,
        "spark.local.dir": tempfile.gettempdir(),
        **EMBEDDED,
        **(ON_THIS_MACHINE if is_here(master) else {}),
    }


def is_here(master: str) -> bool:
    """Say whether all of a cluster is on this machine.

    >>> [is_here(master) for master in ("local[2]", "spark://127.0.0.1:7077", "spark://local.example.org:7077", "yarn")]
    [True, True, False, False]
    """
    return re.match(r"local(\[|$)|spark://(127\.|localhost:)", master) is not None


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
        import pyarrow as pa

        import flott

        for batch in batches:
            yield batch.append_column("version", pa.array([flott.__version__] * batch.num_rows, pa.string()))

    session = epoch_session(configuration)
    [row] = session.range(0, 1, 1, 1).mapInArrow(versions, "id long, version string").collect()
    return f"Spark {session.version} on {session.conf.get('spark.master')}, flott {row.version} in its workers"
