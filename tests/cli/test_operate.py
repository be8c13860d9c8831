"""A job in a process of its own, driven by commands from here: from its start to its end and on from there."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner
from tests.waiting import at_least, wait_until

from flott.cli import detached
from flott.cli.detached import NoJobError, start_detached
from flott.cli.main import main

pytestmark = pytest.mark.job

ROOT = Path(__file__).parents[2]

PROGRAM = """
import sys
from flott.common import Types, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
source = DataGeneratorSource(int, None, RateLimiterStrategy.per_second(1_000), Types.LONG())
numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
counts = numbers.map(lambda n: (0, 1)).key_by(lambda pair: pair[0]).sum(1).uid("count")
counts.map(lambda pair: print(pair[1], flush=True)).uid("print").disable_chaining().print()
env.execute("numbers")
"""


@pytest.fixture
def flott(tmp_path, monkeypatch):
    """Runs a command, which must end well; gives the last line of what it said, as JSON."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    (tmp_path / "job.py").write_text(PROGRAM)
    started = []

    def run(*arguments, code=0):
        if arguments[0] == "run":
            settings = {
                "flott.execution.target": "in-process",
                "rest.port": "0",
                "execution.checkpointing.interval": "100 ms",
                "execution.checkpointing.dir": str(tmp_path / "checkpoints"),
            }
            options = [word for key, value in settings.items() for word in ("-D", f"{key}={value}")]
            arguments = ("run", "-d", *options, *arguments[1:], str(tmp_path / "job.py"))
        result = CliRunner().invoke(main, [arguments[0], "--json", *arguments[1:]])
        assert result.exit_code == code, result.output
        told = json.loads(result.stdout.splitlines()[-1]) if result.stdout.strip() else None
        if arguments[0] == "run":
            started.append(told["pid"])
        return told

    yield run
    for pid in started:
        if psutil.pid_exists(pid):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def last_count(log):
    lines = [line for line in Path(log).read_text().splitlines() if line.isdigit()]
    return int(lines[-1]) if lines else 0


def test_from_start_to_savepoint_to_another_parallelism(flott, tmp_path):
    job = flott("run", "-p", "2")
    wait_until("a count", lambda: last_count(job["log"]))
    assert flott("list")["jid"] == job["jid"]
    details = flott("info", "numbers")
    assert (details["status"], details["details"]["vertices"][0]["parallelism"]) == ("RUNNING", 2)
    passing = flott("savepoint", job["jid"][:8], str(tmp_path / "passing"))["savepoint"]
    assert Path(passing, "_metadata").exists()
    nowhere = CliRunner().invoke(main, ["stop", "numbers"])
    assert (nowhere.exit_code, nowhere.stdout) == (1, "")
    assert nowhere.stderr.startswith("Error: no savepoint: where should the savepoint go?")
    wait_until("a checkpoint", lambda: flott("checkpoints", "numbers"))
    stopped = flott("stop", "numbers", "--savepoint-path", str(tmp_path / "savepoints"))
    assert stopped["status"] == "FINISHED"
    reached = last_count(job["log"])
    assert flott("list") is None
    again = flott("run", "-p", "3", "-s", stopped["savepoint"])
    wait_until("higher counts", lambda: last_count(again["log"]), at_least(reached + 1))
    first = next(int(line) for line in Path(again["log"]).read_text().splitlines() if line.isdigit())
    assert first == reached + 1
    assert flott("info", again["jid"])["details"]["vertices"][1]["parallelism"] == 3
    assert flott("cancel", again["jid"])["status"] == "CANCELED"
    assert flott("savepoint", "--dispose", passing) == {"disposed": passing}
    assert not Path(passing).exists()


def test_a_driver_that_was_killed_is_lost_and_its_job_goes_on_with_the_next(flott, tmp_path):
    job = flott("run", "-p", "1")
    wait_until(
        "a completed checkpoint",
        lambda: flott("checkpoints", "numbers"),
        lambda seen: seen is not None and seen["status"] == "COMPLETED",
    )
    os.kill(job["pid"], signal.SIGKILL)
    os.waitpid(job["pid"], 0)
    assert flott("list")["status"] == "LOST"
    flott("cancel", "numbers", code=4)
    assert flott("checkpoints", "numbers")["path"].startswith(str(tmp_path / "checkpoints"))
    again = flott("run", "-p", "1")
    assert again["jid"] == job["jid"]
    wait_until("a running job", lambda: flott("list")["status"], "RUNNING".__eq__)
    assert flott("cancel", "numbers")["status"] == "CANCELED"


def test_a_program_that_fails_at_once_shows_why(flott, tmp_path, monkeypatch):
    (tmp_path / "job.py").write_text("raise SystemExit('no such table')")
    result = CliRunner().invoke(main, ["run", "-d", str(tmp_path / "job.py")])
    assert result.exit_code == 1
    assert result.stderr.count("no such table") == 1
    quiet = CliRunner().invoke(main, ["run", "-d", "-q", str(tmp_path / "job.py")])
    assert quiet.stderr.startswith("Error: the program ended without a job that runs; its output, from ")
    assert quiet.stderr.count("no such table") == 1


WAITING_PROGRAM = """
import sys
from pathlib import Path
from tests.waiting import wait_until

print("taking the job over in 60 s", file=sys.stderr)
wait_until("whoever reads this", Path(sys.argv[1]).exists)
sys.stderr.write("the lease was renewed")
raise SystemExit(3)
"""


def test_what_a_program_waits_for_is_shown_while_it_waits(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(str(ROOT / folder) for folder in ("src", ".")))
    (tmp_path / "job.py").write_text(WAITING_PROGRAM)
    heard, told = tmp_path / "heard", []

    def say(text):
        told.append(text)
        if "taking the job over" in text:
            heard.touch()

    with pytest.raises(NoJobError) as ended:
        start_detached(["run", str(tmp_path / "job.py"), str(heard)], "job", say=say)
    assert "\n".join(told).count("taking the job over in 60 s") == 1
    assert told[0] == "taking the job over in 60 s"
    assert "the lease was renewed" in told[-1]
    assert re.fullmatch(r"the program ended without a job that runs; the output above is in \S+\.log", str(ended.value))


def test_ctrl_c_while_the_first_epoch_is_waited_for_leaves_the_job_alone(flott, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(detached, "wait_for_epoch", interrupted)
    job = flott("run")
    assert job["not-yet"] == "Ctrl-C ended the waiting, not the job"
    wait_until("a count", lambda: last_count(job["log"]))
    assert flott("list")["status"] == "RUNNING"
