"""The Java that an embedded Spark runs on: found, new enough, and with an archive of Spark's classes to start from."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyspark
from pyspark import SparkContext

from flott.errors import ConfigurationError

OLDEST_JAVA = 17
LAST_LINES = 5
"""So many lines of what a failed start said are shown."""
PATIENCE = 5.0
"""Seconds that Java may take to end, or to answer."""
QUIET = "-Xlog:cds=off -Xlog:cds+dynamic=off"
"""An archive that does not fit is no reason to say anything: Java then reads the classes as ever."""
LESS_COMPILING = (
    "-XX:Tier4InvocationThreshold=100000 -XX:Tier4MinInvocationThreshold=12000 -XX:Tier4CompileThreshold=300000 "
    "-XX:Tier4BackEdgeThreshold=200000 -XX:+IgnoreUnrecognizedVMOptions"
)
"""Java optimises what runs often, not what Spark does a few hundred times per epoch: that took a fifth of all processor
time in a job's first minute. What works on rows is called millions of times and is optimised as ever (docs/adr/017)."""


def require_java() -> str:
    """Make sure that Spark will find a Java it can run on, or say what to do; return what Java says of itself."""
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
    return told


def class_archive(java: str) -> Path:
    """Return where the archive of Spark's classes is kept, for what Java says of itself and this Spark."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    fits = sha256(f"{java}\n{pyspark.__version__}\n{Path(pyspark.__file__).resolve()}".encode()).hexdigest()[:16]
    return Path(cache) / "flott" / f"spark-classes-{fits}.jsa"


def start_options(java: str) -> str:
    """Return the options for a Java that runs epochs; it takes Spark's classes from the archive, where there is one.

    >>> start_options("a Java that nobody has") == LESS_COMPILING
    True
    """
    archive = class_archive(java)
    return f"{LESS_COMPILING} -XX:SharedArchiveFile={archive} {QUIET}" if archive.exists() else LESS_COMPILING


def write_class_archive() -> Path:
    """Start Spark once, run a job, and let Java write down the classes it needed; return where."""
    archive = class_archive(require_java())
    archive.parent.mkdir(parents=True, exist_ok=True)
    half = archive.with_suffix(f".{os.getpid()}")
    program = "import sys; from flott.spark.first_job import run_first_job; run_first_job(sys.argv[1])"
    options = f"-XX:ArchiveClassesAtExit={half} {QUIET}"
    try:
        run = subprocess.run(  # noqa: S603
            # Java says on either of the two why it can't start.
            [sys.executable, "-c", program, options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if run.returncode or not half.exists():
            told = "\n".join(run.stdout.strip().splitlines()[-LAST_LINES:]) or "this Java writes none"
            message = f"no archive of Spark's classes was written: {told}"
            raise ConfigurationError(message)
        half.replace(archive)
    finally:
        half.unlink(missing_ok=True)
    return archive


def how_java_ended() -> str | None:
    """Return how the Java that this program talks to has ended; None while it lives, or without one."""
    gateway: Any = SparkContext._gateway  # noqa: SLF001 - no public way to ask
    if gateway is None:
        return None
    process = getattr(gateway, "proc", None)
    if process is None:  # spark-submit started this program from Java
        return "it takes no connections" if is_silent(gateway) else None
    try:
        # Its connections break a moment before it has ended.
        code = process.wait(PATIENCE if is_silent(gateway) else 0)
    except subprocess.TimeoutExpired:
        return None
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def is_silent(gateway: Any) -> bool:
    """Return whether Java takes no connections."""
    parameters = gateway.gateway_parameters
    try:
        socket.create_connection((parameters.address, parameters.port), PATIENCE).close()
    except OSError:
        return True
    return False


def embedded_java() -> int | None:
    """Return the process id of the Java that this program started, with its workers on this machine, if it did."""
    process = getattr(SparkContext._gateway, "proc", None)  # noqa: SLF001 - no public way to ask
    return None if process is None else int(process.pid)
