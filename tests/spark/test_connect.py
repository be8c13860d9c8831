"""The same jobs through Spark Connect: only the public DataFrame API is used."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest
from tests.waiting import PATIENCE

pytestmark = [pytest.mark.spark, pytest.mark.slow]

PROGRAM = """
from pyspark.sql import SparkSession
from flott.datastream import StreamExecutionEnvironment

spark = SparkSession.builder.remote("local[2]").getOrCreate()
assert "connect" in type(spark).__module__
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
words = env.from_collection(["to be or not to be"] * 3).flat_map(str.split).map(lambda word: (word, 1))
with words.key_by(lambda pair: pair[0]).sum(1).execute_and_collect() as results:
    last = {}
    for word, count in results:
        last[word] = max(count, last.get(word, 0))
print(sorted(last.items()))
spark.stop()
"""


def test_a_keyed_job_runs_on_spark_connect(tmp_path):
    pytest.importorskip("grpc", reason="Spark Connect needs the packages of pyspark[connect]")
    script = tmp_path / "job.py"
    script.write_text(textwrap.dedent(PROGRAM))
    environment = dict(os.environ, PYSPARK_PYTHON=sys.executable)
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=PATIENCE, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip().splitlines()[-1] == "[('be', 6), ('not', 3), ('or', 3), ('to', 6)]"
