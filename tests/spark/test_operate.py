"""A job on Spark in a process of its own, driven through the command line and through REST, from start to restore."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pyspark
import pytest
from tests.operating import Flott, ask, goes_on
from tests.waiting import PATIENCE, wait_until

pytestmark = [pytest.mark.spark, pytest.mark.slow]

HERE = {"flott.spark.master": "local[2]"}


@pytest.fixture
def flott(tmp_path):
    commands = Flott(tmp_path)
    yield commands
    commands.kill_all()


def test_start_to_stop_with_savepoint_to_restore_with_another_parallelism(flott, tmp_path):
    job = flott.start("-p", "2", **HERE)
    goes_on(job)
    [listed] = flott("list")
    assert (listed["jid"], listed["status"]) == (job["jid"], "RUNNING")
    vertex = ask(job, f"/vertices/{ask(job, '')['vertices'][0]['id']}")
    assert [one["status"] for one in vertex["subtasks"]] == ["RUNNING", "RUNNING"]
    place = vertex["subtasks"][1]["flott"]["spark"]
    assert place["partition"] == 1
    assert place["stage"] > 0
    assert vertex["subtasks"][1]["endpoint"]
    trigger = ask(job, "/savepoints", {"target-directory": str(tmp_path / "passing")})["request-id"]
    wait_until("the savepoint", lambda: ask(job, f"/savepoints/{trigger}")["status"]["id"], "COMPLETED".__eq__)
    assert Path(ask(job, f"/savepoints/{trigger}")["operation"]["location"], "_metadata").exists()
    savepoint = flott.stop()
    assert savepoint.startswith(str(tmp_path / "savepoints"))
    again = flott.start("-p", "3", "-s", savepoint, **HERE)
    goes_on(again)
    assert ask(again, "/checkpoints")["latest"]["restored"]["external_path"] == savepoint
    flott.stop("--drain")
    flott.check()


def test_doctor_tries_spark_out(flott):
    told = {one["check"]: one for one in flott("doctor")}
    assert told["spark"]["ok"]
    assert "in its workers" in told["spark"]["found"]


def test_a_program_that_spark_submit_starts_uses_its_spark(flott, tmp_path):
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    program = tmp_path / "program.py"
    program.write_text(SUBMITTED)
    done = subprocess.run(
        [submit, "--master", "local[1]", "--name", "as told", "--conf", "spark.ui.enabled=false", program],
        env=flott.environment, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-5_000:]
    assert done.stdout.splitlines() == ["6", "local[1] as told"]


SUBMITTED = """
from pyspark.sql import SparkSession
from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection([1, 2, 3]).key_by(lambda n: 0).reduce(lambda a, b: a + b).filter(lambda n: n == 6).print()
env.execute()
spark = SparkSession.builder.getOrCreate()
print(spark.conf.get("spark.master"), spark.conf.get("spark.app.name"))
"""
