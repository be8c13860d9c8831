from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from flott.cli.known_settings import complete_setting
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
    assert json.loads(flott("plan", "--json", job).output)["nodes"] == nodes
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


STATEFUL = """
import sys
from flott.common import Types, WatermarkStrategy
from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from flott.datastream.state import ValueStateDescriptor


class Count(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        yield self.count.value()


env = StreamExecutionEnvironment.get_execution_environment()
numbers = env.from_sequence(1, int(sys.argv[1])).uid("numbers")
numbers.key_by(lambda n: 0).process(Count()).uid(sys.argv[2]).filter(lambda n: n % 1000 == 0).print()
client = env.execute_async("counting")
if sys.argv[3:] == ["stop"]:
    print(client.stop_with_savepoint(False).result(120))
else:
    client.get_job_execution_result().result(120)
"""


@pytest.mark.job
def test_settings_of_the_command_line_reach_the_program(tmp_path):
    job = tmp_path / "job.py"
    job.write_text(STATEFUL)
    base = ["run", "-D", "flott.execution.target=in-process", "-p", "1"]
    savepoints = ["-D", f"execution.checkpointing.savepoint-dir={tmp_path / 'savepoints'}"]
    stopped = flott(*base, *savepoints, str(job), str(10**9), "counted", "stop")
    assert stopped.exit_code == 0, stopped.output
    path = stopped.stdout.splitlines()[-1]
    counted = max([int(line) for line in stopped.stdout.splitlines()[:-1]], default=0)
    refused = flott(*base, "-s", path, str(job), "1000000", "renamed")
    assert refused.exit_code == 1
    assert "uid 'counted'" in refused.output
    assert flott(*base, "-n", "-s", path, str(job), "1000", "renamed").exit_code == 0
    more = flott(*base, *savepoints, "-s", path, str(job), str(10**9), "counted", "stop")
    assert more.exit_code == 0, more.output
    assert all(int(line) > counted for line in more.stdout.splitlines()[:-1])


@pytest.mark.parametrize("text", ["nothing", "=1"])
def test_a_setting_without_a_value_is_refused(tmp_path, text):
    job = tmp_path / "job.py"
    job.write_text("")
    result = flott("run", "-D", text, str(job))
    assert result.exit_code == 2
    assert "write -D key=value" in result.output


def test_local_runs_without_spark(tmp_path):
    job = tmp_path / "job.py"
    job.write_text(
        "import sys\nfrom flott.datastream import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "env.from_collection([1]).print()\nenv.execute('one')\nprint('pyspark' in sys.modules)\n"
    )
    command = [sys.executable, "-m", "flott.cli.main", "run", "-q", "-p", "1", "--local", str(job)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("1\nFalse\n", "")


def test_local_and_a_master_contradict_each_other(tmp_path):
    job = tmp_path / "job.py"
    job.write_text("")
    result = flott("run", "--local", "--master", "local[2]", str(job))
    assert result.exit_code == 2
    assert "give one of them" in result.output


def test_an_unknown_setting_gets_a_warning_and_reaches_the_program(tmp_path):
    job = tmp_path / "job.py"
    job.write_text(
        "from flott.datastream import StreamExecutionEnvironment as Environment\n"
        "print(Environment.get_execution_environment()._configuration.get_string('rest.prot', ''))\n"
    )
    result = flott("run", "-q", "-D", "rest.prot=5", "-D", "spark.x=1", "-D", "rest.port=0", str(job))
    warnings = [line for line in result.stderr.splitlines() if line.startswith("Warning")]
    assert warnings == ["Warning: Flott has no setting 'rest.prot'. Did you mean 'rest.port'?"]
    assert result.stdout == "5\n"


def test_the_shell_completes_settings():
    items = complete_setting(None, None, "rest.po")
    assert [item.value for item in items] == ["rest.port="]
    assert items[0].help
