"""Sends along what workers need besides the program: modules, packages, archives."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from flott.common.options import PythonOptions
from flott.common.workspace import workspace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from flott.common import Configuration


def ship(spark: SparkSession, configuration: Configuration) -> None:
    """Hand the job's Python files and archives to Spark, which brings them to every worker."""
    files = entries(configuration.get(PythonOptions.PYTHON_FILES))
    if files:
        spark.addArtifacts(*(str(as_file(Path(path))) for path in files), pyfile=True)
    archives = entries(configuration.get(PythonOptions.PYTHON_ARCHIVES))
    if archives:
        spark.addArtifacts(*(named(archive) for archive in archives), archive=True)


def named(archive: str) -> str:
    """Return the path of an archive with the name under which it is unpacked: without one, Spark takes it only once.

    >>> named("/data/prices.zip"), named("/data/prices.zip#prices")
    ('/data/prices.zip#prices.zip', '/data/prices.zip#prices')
    """
    path, _, name = archive.partition("#")
    return f"{Path(path).absolute()}#{name or Path(path).name}"


def entries(text: str | None) -> list[str]:
    """Return the paths of an option that lists several.

    >>> entries("a.py,b.zip"), entries(None)
    (['a.py', 'b.zip'], [])
    """
    return [entry for entry in (text or "").split(",") if entry]


def as_file(path: Path) -> Path:
    """Return a module or zip file as it is, and a package directory as a zip file of it."""
    if not path.is_dir():
        return path
    target = Path(tempfile.mkdtemp(prefix="package-", dir=workspace())) / path.name
    return Path(shutil.make_archive(str(target), "zip", root_dir=path.parent, base_dir=path.name))
