"""``flott doctor``: looks whether all that a job needs is there, and says what to do if not."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import click

from flott.cli.output import AS_JSON, FAILED, show_json
from flott.connectors.paths import absolute
from flott.errors import FlottError
from flott.rest.registry import registry_directory
from flott.rest.settings import ports_of
from flott.runtime.state.store import StateStore
from flott.runtime.storage import open_storage

if TYPE_CHECKING:
    from collections.abc import Callable

REST_PORTS = "8081-8180"
"""Where `flott run` looks for a free port."""
ENOUGH_DISK = 1 << 30
OLDEST_PYTHON = (3, 10)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found."""

    name: str
    ok: bool
    found: str
    advice: str = ""


@click.command()
@click.option("-c", "--checkpoint-dir", "directory", metavar="DIR", help="Also try this directory for checkpoints.")
@click.option("--spark/--no-spark", "with_spark", default=True, help="Start Spark and run one job on it (default).")
@click.option("--master", default="local[1]", show_default=True, help="Where to start Spark.")
@click.option("--prepare", is_flag=True, help="Let Java write down Spark's classes once: jobs start sooner (160 MB).")
@AS_JSON
def doctor(*, directory: str | None, with_spark: bool, master: str, prepare: bool, as_json: bool) -> None:
    r"""Look whether all that a job needs is here, and say what to do if not.

    \b
    flott doctor
    flott doctor --checkpoint-dir s3://bucket/checkpoints --master spark://host:7077
    """
    checks: list[Callable[[], Finding]] = [python, packages, compiled, java, disk, state_store, rest_port, registry]
    if directory is not None:
        place = absolute(directory)
        checks.append(lambda: storage(place))
    if prepare:
        checks.append(class_archive)
    if with_spark:
        checks.append(lambda: spark(master))
    findings = []
    for check in checks:
        finding = check()
        findings.append(finding)
        if as_json:
            told = {"check": finding.name, "ok": finding.ok, "found": finding.found, "advice": finding.advice}
            show_json(told)
        else:
            click.echo(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.name:<12}{finding.found}")
            if finding.advice:
                click.echo(f"      {'':<12}{finding.advice}")
    if not all(finding.ok for finding in findings):
        sys.exit(FAILED)


def python() -> Finding:
    """Look at this Python."""
    ok = sys.version_info[:2] >= OLDEST_PYTHON
    advice = "" if ok else "Flott needs Python 3.10 or newer."
    return Finding("python", ok, f"{platform.python_version()} ({sys.executable})", advice)


def packages() -> Finding:
    """Look at the packages that the engine stands on."""
    found, missing = [], []
    for name in ("flott", "pyspark", "pyarrow", "lmdb", "cloudpickle"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    # A checkout that was not installed has no version, and runs all the same.
    serious = [name for name in missing if name != "flott"]
    return Finding("packages", not serious, ", ".join(found), f"pip install {' '.join(serious)}" if serious else "")


def compiled() -> Finding:
    """Look whether the parts that exist in machine code too were compiled; a job runs either way."""
    from flott.runtime import native

    if native.entries is not None:
        return Finding("compiled", ok=True, found="calls of functions, their state, and exchanges")
    advice = (
        "Functions in Python are slower by half, state of many keys two to three times. With a C compiler (Debian: "
        "apt-get install gcc python3-dev), install Flott again; without FLOTT_PURE=1 in the environment."
    )
    return Finding("compiled", ok=True, found="nothing: everything runs in Python", advice=advice)


def java() -> Finding:
    """Look for a Java that Spark can run on."""
    from flott.spark.java import require_java

    try:
        require_java()
    except FlottError as error:
        what, _, advice = str(error).partition(". ")
        return Finding("java", ok=False, found=what, advice=advice)
    return Finding("java", ok=True, found=os.environ.get("JAVA_HOME") or shutil.which("java") or "found")


def disk() -> Finding:
    """Look whether there is room for working state."""
    place = tempfile.gettempdir()
    free = shutil.disk_usage(place).free
    advice = "" if free >= ENOUGH_DISK else "Make room, or set flott.state.dir and spark.local.dir to a larger disk."
    return Finding("disk", not advice, f"{free / (1 << 30):.1f} GB free in {place}", advice)


def state_store() -> Finding:
    """Open a working store."""
    place = Path(tempfile.mkdtemp(prefix="flott-doctor-"))
    try:
        StateStore(place / "store").close()
    except (OSError, FlottError) as error:
        advice = "LMDB needs a local file system with memory maps and locks: set flott.state.dir to one."
        return Finding("state", ok=False, found=f"no store can be opened in {place}: {error}", advice=advice)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return Finding("state", ok=True, found="a working store opens")


def rest_port() -> Finding:
    """Look for a free port."""
    for port in ports_of(REST_PORTS):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return Finding("rest", ok=True, found=f"port {port} is free")
    return Finding("rest", ok=False, found=f"no port of {REST_PORTS} is free", advice="Set rest.port=0 for any other.")


def registry() -> Finding:
    """Look whether jobs can be written down for other processes."""
    place = registry_directory()
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        advice = "flott list would not find jobs: set flott.registry.dir and FLOTT_REGISTRY_DIR to another directory."
        return Finding("registry", ok=False, found=f"{place}: {error}", advice=advice)
    return Finding("registry", ok=True, found=str(place))


def storage(directory: str) -> Finding:
    """Write, read and remove a file where checkpoints go."""
    name = f"flott-doctor-{uuid4().hex}"
    try:
        place = open_storage(directory)
        place.write(name, b"flott")
        read = place.read(name)
        place.delete(name)
    except Exception as error:  # noqa: BLE001 - whatever a file system raises
        advice = "See that it exists and may be written; s3://, gs:// and the like need their fsspec package."
        return Finding("storage", ok=False, found=f"{directory}: {error}", advice=advice)
    return Finding("storage", read == b"flott", directory)


def class_archive() -> Finding:
    """Write the archive that Spark's Java starts sooner with."""
    from flott.spark.java import write_class_archive

    try:
        archive = write_class_archive()
    except (OSError, FlottError) as error:
        advice = "Jobs run without it; XDG_CACHE_HOME says where it is written."
        return Finding("classes", ok=False, found=str(error), advice=advice)
    return Finding("classes", ok=True, found=f"{archive} ({archive.stat().st_size >> 20} MB)")


def spark(master: str) -> Finding:
    """Start Spark and run one job on it, as an epoch does."""
    from flott.common import Configuration
    from flott.common.options import FlottOptions
    from flott.spark.first_job import try_out

    configuration = Configuration().set(FlottOptions.SPARK_MASTER, master)
    try:
        found = try_out(configuration)
    except Exception as error:  # noqa: BLE001 - whatever Spark raises
        lines = str(error).strip().splitlines() or [repr(error)]
        advice = "Run it again with -D flott.spark.log-level=warn in flott run, to see what Spark says."
        return Finding("spark", ok=False, found=f"{master}: {lines[0]}", advice=advice)
    return Finding("spark", ok=True, found=found)
