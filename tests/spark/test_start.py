from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from tests.waiting import PATIENCE

pytestmark = pytest.mark.spark

SECRET = "a secret = of\\the store: ä"
PROGRAM = f"""
from pathlib import Path
from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment
from pyspark.sql import SparkSession

configuration = Configuration().set_string("spark.hadoop.fs.s3a.secret.key", {SECRET!r})
env = StreamExecutionEnvironment.get_execution_environment(configuration)
env.from_collection([1]).map(lambda n: n).print()
env.execute("one")
spark = SparkSession.getActiveSession()
print(spark.sparkContext.getConf().get("spark.hadoop.fs.s3a.secret.key") == {SECRET!r})
print("secret" in Path(f"/proc/{{spark.sparkContext._gateway.proc.pid}}/cmdline").read_text())
print(oct(Path(spark._jvm.System.getProperty("java.io.tmpdir")).stat().st_mode & 0o777))
"""


def processes_of_session(session):
    """Return the processes in a session of the operating system."""
    found = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="reads command lines from /proc")
def test_settings_are_not_on_javas_command_line(tmp_path):
    path = tmp_path / "job.py"
    path.write_text(PROGRAM)
    command = [sys.executable, "-m", "flott.cli.main", "run", "-q", "-p", "1", "--master", "local[1]", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "1\nTrue\nFalse\n0o700\n"


def test_ctrl_c_while_spark_starts_leaves_no_process(tmp_path):
    path = tmp_path / "job.py"
    path.write_text(PROGRAM)
    command = [sys.executable, "-m", "flott.cli.main", "run", "--master", "local[1]", str(path)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    lines = [process.stderr.readline()]
    assert lines[0].startswith("Starting Spark")
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate()
    assert process.returncode == 130
    assert rest == "Stopped.\n"
    _, alive = psutil.wait_procs(processes_of_session(process.pid), timeout=PATIENCE)
    assert alive == []
