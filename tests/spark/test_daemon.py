"""The process that makes Spark's Python workers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from flott.spark.daemon import without_archives

pytestmark = pytest.mark.spark

SITE = Path(pyspark.__file__).parent.parent
ARCHIVES = sorted(map(str, (SITE / "pyspark" / "python" / "lib").glob("*.zip")))


def test_archives_are_left_out_where_the_same_code_is_installed():
    assert len(ARCHIVES) == 2
    assert without_archives([*ARCHIVES, "", "/elsewhere", str(SITE)]) == ["", "/elsewhere", str(SITE)]


def test_archives_of_another_spark_stay():
    others = ["/opt/spark/python/lib/pyspark.zip", "/opt/spark/python/lib/py4j-0.10.9.9-src.zip", "deps.zip"]
    assert without_archives([*others, str(SITE)]) == [*others, str(SITE)]
    # Without the installed code in reach, there is nothing but the archives.
    assert without_archives([*ARCHIVES, "/elsewhere"]) == [*ARCHIVES, "/elsewhere"]


def test_what_workers_need_can_be_imported_from_what_is_left():
    program = (
        "import sys\nfrom flott.spark.daemon import NEEDED, without_archives\n"
        "sys.path[:] = without_archives(sys.path)\nfor name in NEEDED: __import__(name)\n"
        "print(sys.modules['pyspark.worker'].__file__)"
    )
    found = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(ARCHIVES)},
    )
    assert Path(found.stdout.strip()) == SITE / "pyspark" / "worker.py"
