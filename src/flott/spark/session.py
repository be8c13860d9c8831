"""The Spark session a job runs on: the one that is there, or an embedded one of our own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from flott.common.activity import activity
from flott.common.options import FlottOptions, PythonOptions
from flott.common.workspace import workspace
from flott.errors import ConfigurationError
from flott.spark.child_processes import ended_on_failure
from flott.spark.java import require_java, start_options
from flott.spark.settings_file import settings_file
from flott.spark.terminal import filtered_stderr

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.common import Configuration

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

LONGEST_PLACE = 60
"""A socket in a directory of a longer name would have a name that is too long for a socket."""

STAYING = {
    # Where a subtask's store is, is worth a wish (anchors.py), but not that a free slot waits.
    "spark.locality.wait": "0",
    # The blocks of an epoch come from everywhere: being near some of them is worth less.
    "spark.shuffle.reduceLocality.enabled": "false",
}

ON_THIS_MACHINE = {
    # Nobody else needs to reach the driver; and whatever the machine is called, this name leads to it.
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def epoch_session(configuration: Configuration) -> SparkSession:
    """Return a session for epoch jobs: of the Spark application that is there, else of an embedded one."""
    base = base_session(configuration)
    check_python(base, configuration)
    # Settings of their own for epoch jobs; a Connect session has them anyway, and a second one would hang at exit.
    session = base if is_remote(base) else base.newSession()
    for key, value in EPOCH_JOB.items():
        session.conf.set(key, value)
    return session


def base_session(configuration: Configuration) -> SparkSession:
    """Return the session of the program itself: it knows the tables and temporary views that the user knows."""
    return SparkSession.getActiveSession() or embedded_session(configuration)


def is_remote(session: SparkSession) -> bool:
    """Say whether a session talks to a Spark Connect server."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def embedded_session(configuration: Configuration) -> SparkSession:
    """Start Spark in this process's name: local mode, or the master that ``flott.spark.master`` names.

    In a program that spark-submit started, Spark is as spark-submit was told.
    """
    java = require_java()
    submitted = SUBMITTED in os.environ
    settings = own_settings(configuration, start_options(java), submitted=submitted)
    settings |= {
        key: configuration.get_string(key, "") for key in sorted(configuration.key_set()) if key.startswith("spark.")
    }
    try:
        with activity(f"Starting Spark {pyspark.__version__}"), python_of_workers(configuration):
            return start_session(settings, submitted=submitted)
    except PySparkRuntimeError as error:
        if error.getCondition() != "JAVA_GATEWAY_EXITED":
            raise
        message = (
            "Java ended while Spark started. What it said stands above; if that is nothing, it was killed, most often "
            "for lack of memory. `flott doctor` shows what is wrong; try again when the machine is less busy."
        )
        raise ConfigurationError(message) from error


@contextmanager
def python_of_workers(configuration: Configuration) -> Iterator[None]:
    """Let a Spark that starts inside take the Python that is set for its workers."""
    # Workers must find the same packages as this interpreter, whatever `python3` is on the PATH.
    before = os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    asked = configuration.get(PythonOptions.PYTHON_EXECUTABLE)
    if asked is not None:
        if is_local(configuration.get(FlottOptions.SPARK_MASTER)) and shutil.which(asked) is None:
            message = (
                f"option '{PythonOptions.PYTHON_EXECUTABLE.key}' is '{asked}', which is not on this machine. Give the "
                "path of a Python with pyspark, pyarrow and flott; one in an archive has to be unpacked first"
            )
            raise ConfigurationError(message)
        os.environ["PYSPARK_PYTHON"] = asked
    try:
        yield
    finally:
        os.environ["PYSPARK_PYTHON"] = before


def check_python(session: SparkSession, configuration: Configuration) -> None:
    """Refuse a job whose functions should run in another Python than that of the workers there are."""
    asked = configuration.get(PythonOptions.PYTHON_EXECUTABLE)
    if asked is None:
        return
    key = PythonOptions.PYTHON_EXECUTABLE.key
    if is_remote(session):
        message = (
            f"option '{key}' can't be '{asked}': the server of Spark Connect decides in which Python functions run"
        )
        raise ConfigurationError(message)
    taken = session.sparkContext.pythonExec
    if (shutil.which(asked) or asked) != (shutil.which(taken) or taken):
        message = (
            f"option '{key}' is '{asked}', but the workers of the Spark that runs already are started with '{taken}': "
            "set it for the first job of the program, or PYSPARK_PYTHON before Spark is started"
        )
        raise ConfigurationError(message)


def start_session(settings: dict[str, str], *, submitted: bool) -> SparkSession:
    """Return the session of the Spark that runs, or start one; an interrupted start leaves no Java process behind."""
    if not submitted and SparkContext._gateway is None:  # noqa: SLF001 - the only sign that Java runs already
        start_java(settings)
        return SparkSession.builder.getOrCreate()
    builder = SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def start_java(settings: dict[str, str]) -> None:
    """Start Java and a Spark context with these settings."""
    on_interrupt = signal.getsignal(signal.SIGINT)
    with settings_file(settings), filtered_stderr() as stderr, ended_on_failure():
        SparkContext(conf=SparkConf(), gateway=launch_gateway(popen_kwargs={"stderr": stderr}))  # type: ignore[no-untyped-call]
    if threading.current_thread() is threading.main_thread():
        # PySpark's own handler calls Java in the middle of whatever call to Java it interrupts.
        signal.signal(signal.SIGINT, on_interrupt)


SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""Set by spark-submit for the program that it starts."""


def own_settings(configuration: Configuration, java_options: str = "", *, submitted: bool) -> dict[str, str]:
    """Return what we set of Spark's settings before the user does.

    >>> from flott.common import Configuration
    >>> own_settings(Configuration(), submitted=False)["spark.master"]
    'local[*,4]'
    >>> far = Configuration().set_string("flott.spark.master", "spark://host:7077")
    >>> own_settings(far, submitted=False)["spark.locality.wait"]
    '0'
    >>> sorted(own_settings(Configuration(), submitted=True))
    ['spark.python.daemon.module']
    """
    if submitted:
        return {"spark.python.daemon.module": EMBEDDED["spark.python.daemon.module"]}
    master = retrying(configuration.get(FlottOptions.SPARK_MASTER))
    log4j = Path(__file__).with_name("log4j2.properties")
    level = configuration.get(FlottOptions.SPARK_LOG_LEVEL)
    place = str(workspace())
    temporary = place.replace("\\", "\\\\").replace('"', '\\"')
    options = f'"-Djava.io.tmpdir={temporary}" '
    options += f"-Dlog4j2.configurationFile={log4j.as_uri()} -Dflott.spark.log.level={level} {java_options}"
    return {
        "spark.app.name": "flott",
        "spark.master": master,
        "spark.driver.extraJavaOptions": options,
        **EMBEDDED,
        "spark.python.unix.domain.socket.enabled": str(len(place) <= LONGEST_PLACE).lower(),
        **(STAYING if configuration.get(FlottOptions.STATE_LOCALITY) != "false" and not is_local(master) else {}),
        **(ON_THIS_MACHINE if is_here(master) else {}),
    }


def is_local(master: str) -> bool:
    """Say whether all of Spark is in one process.

    >>> [is_local(master) for master in ("local", "local[2,4]", "local-cluster[2,1,1024]", "spark://local:7077")]
    [True, True, False, False]
    """
    return re.match(r"local(\[|$)", master) is not None


def is_here(master: str) -> bool:
    """Say whether all of a cluster is on this machine.

    >>> [is_here(master) for master in ("local[2]", "spark://127.0.0.1:7077", "spark://local.example.org:7077", "yarn")]
    [True, True, False, False]
    """
    return is_local(master) or re.match(r"spark://(127\.|localhost:)", master) is not None


def retrying(master: str) -> str:
    """Let a local master retry tasks, as a cluster does.

    >>> retrying("local[2]"), retrying("local"), retrying("spark://host:7077")
    ('local[2,4]', 'local[1,4]', 'spark://host:7077')
    """
    if master == "local":
        return f"local[1,{TASK_FAILURES}]"
    cores = re.fullmatch(r"local\[(\*|\d+)\]", master)
    return f"local[{cores[1]},{TASK_FAILURES}]" if cores else master
