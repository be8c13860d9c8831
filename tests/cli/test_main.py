from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from flott.cli.main import main

JOB = """
import sys
from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(2)
words = env.from_collection(sys.argv[1:]).map(str.upper).name("shout")
words.key_by(lambda word: word).reduce(lambda a, b: a).print()
try:
    env.execute("my job")
except Exception:
    pass
raise SystemExit("the program went on")
"""


@pytest.fixture
def job(tmp_path):
    path = tmp_path / "job.py"
    path.write_text(JOB)
    return str(path)


def flott(*arguments):
    return CliRunner().invoke(main, arguments)


def test_help_and_version():
    assert "Flink's streaming model" in flott("--help").output
    assert flott("--version").output.startswith("flott, version ")


def test_plan_draws_without_running(job):
    result = flott("plan", job, "a", "b")
    assert result.exit_code == 0
    assert "my job: 4 operators, 3 vertices" in result.output
    assert "shout" in result.output
    assert "HASH" in result.output


def test_plan_as_mermaid_json_and_svg_file(job, tmp_path):
    assert "flowchart LR" in flott("plan", "-f", "mermaid", job).output
    nodes = json.loads(flott("plan", "-f", "json", job).output)["nodes"]
    assert [node["pact"] for node in nodes] == ["Data Source", "Operator", "Operator", "Data Sink"]
    target = tmp_path / "plan.svg"
    assert flott("plan", "-f", "svg", "-o", str(target), job).exit_code == 0
    assert target.read_text().startswith("<svg")


def test_a_program_without_a_job_is_told(tmp_path):
    path = tmp_path / "nothing.py"
    path.write_text("x = 1\n")
    result = flott("plan", str(path))
    assert result.exit_code == 1
    assert "ended without executing a job" in result.output


def test_wrong_use_is_one_clear_message(tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(
        "from flott.datastream import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "env.from_collection([1]).map(lambda: 1)\n"
    )
    result = flott("run", str(path))
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert "Traceback" not in result.output
