from __future__ import annotations

import subprocess
import sys

import pytest

from flott.spark.java import class_archive, require_java, start_options, write_class_archive

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_spark_starts_from_an_archive_of_its_classes(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    java = require_java()
    assert start_options(java) == ""
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


def try_out():
    program = """
from flott.common import Configuration
from flott.common.options import FlottOptions
from flott.spark.first_job import try_out
print(try_out(Configuration().set(FlottOptions.SPARK_MASTER, "local[1]")))
"""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
