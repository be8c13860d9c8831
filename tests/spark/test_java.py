from __future__ import annotations

import subprocess
import sys

import pytest

from flott.errors import ConfigurationError
from flott.spark.java import LESS_COMPILING, class_archive, require_java, start_options, write_class_archive

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_spark_starts_from_an_archive_of_its_classes(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    java = require_java()
    assert start_options(java) == LESS_COMPILING
    archive = write_class_archive()
    assert archive == class_archive(java)
    assert [path.name for path in archive.parent.iterdir()] == [archive.name]
    assert f"-XX:SharedArchiveFile={archive}" in start_options(java)
    assert "flott" in try_out()


def test_an_archive_that_is_no_archive_does_no_harm(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    archive = class_archive(require_java())
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"half an archive")
    assert "flott" in try_out()


def test_a_java_that_does_not_start_says_why_before_the_error():
    run = started("-agentlib:none-such")
    assert run.returncode == 1
    said, error = run.stdout.index("none-such"), run.stdout.index("ConfigurationError: Java ended while Spark started")
    assert said < error


def test_the_archive_is_not_written_by_a_java_that_dies(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-XX:NoSuchOption=1")
    with pytest.raises(ConfigurationError, match="Java ended while Spark started"):
        write_class_archive()
    assert list(class_archive(require_java()).parent.iterdir()) == []


def try_out():
    run = started()
    assert run.returncode == 0, run.stdout
    return run.stdout


def started(java_options=""):
    """Run Spark's first job in a process of its own."""
    program = """
import sys
from flott.common import Configuration
from flott.common.options import FlottOptions
from flott.spark.first_job import try_out
configuration = Configuration().set(FlottOptions.SPARK_MASTER, "local[1]")
if sys.argv[1]:
    configuration.set_string("spark.driver.extraJavaOptions", sys.argv[1])
print(try_out(configuration))
"""
    return subprocess.run(
        [sys.executable, "-c", program, java_options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
