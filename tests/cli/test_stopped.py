"""Ctrl-C at stages of `flott run`, from the first import of the command on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tests.waiting import PATIENCE

from flott.cli.lazy_group import LazyGroup
from flott.cli.stopped import stopped_at_once

SOURCE = Path(__file__).parents[2] / "src"
WAITS = "import signal\nprint('the program waits', flush=True)\nsignal.pause()\n"
JOB = """
from flott.common import Types, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import StreamExecutionEnvironment

env = StreamExecutionEnvironment.get_execution_environment()
source = DataGeneratorSource(lambda _: "the job runs", None, RateLimiterStrategy.per_second(1_000), Types.STRING())
env.from_source(source, WatermarkStrategy.no_watermarks(), "source").print()
env.execute("runs")
"""
STAGES = {
    "the first import of the command": ("flott.cli.api", WAITS),
    "imports of libraries": ("numpy", WAITS),
    "the engine": ("flott.datastream.data_stream", WAITS),
    "the program": ("the program waits", WAITS),
}


def interrupted(directory, line, program, *options):
    """Send Ctrl-C once a process has printed a line that ends like this; return its exit code and its last line."""
    path = directory / "job.py"
    path.write_text(program)
    command = [
        sys.executable,
        "-X",
        "importtime",
        "-m",
        "flott.cli.main",
        "run",
        "-D",
        "rest.port=0",
        *options,
        str(path),
    ]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    lines = []
    while not (lines and lines[-1].split("|")[-1].strip() == line):
        lines.append(process.stdout.readline())
        assert lines[-1], "".join(lines)[-2000:]
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=PATIENCE)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    said = [one for one in rest.splitlines() if not one.startswith("import time:")]
    return process.returncode, said


@pytest.mark.job
@pytest.mark.parametrize("stage", STAGES)
def test_ctrl_c_says_stopped_at_every_stage_and_leaves_no_process(stage, tmp_path):
    code, said = interrupted(tmp_path, *STAGES[stage], "-q")
    assert (code, said[-1]) == (130, "Stopped.")
    assert "Traceback" not in "".join(said)


@pytest.mark.job
def test_ctrl_c_while_a_job_runs(tmp_path):
    code, said = interrupted(tmp_path, "the job runs", JOB, "-q", "-p", "1", "--local")
    assert (code, said[-1]) == (130, "Stopped.")
    assert "Traceback" not in "".join(said)


def test_a_command_that_does_not_handle_ctrl_c_is_stopped_the_same_way():
    group = LazyGroup("flott")

    @group.command("list")
    def interrupted_command():
        raise KeyboardInterrupt

    group.get_command = lambda *_: interrupted_command
    result = CliRunner().invoke(group, ["list"])
    assert (result.exit_code, result.stderr) == (130, "Stopped.\n")


def test_a_question_that_is_not_answered_is_aborted_as_before():
    group = LazyGroup("flott")
    group.get_command = lambda *_: click.Command("list", callback=lambda: click.confirm("sure?", abort=True))
    assert CliRunner().invoke(group, ["list"], input="n\n").exit_code == 1


def test_whoever_handles_ctrl_c_otherwise_keeps_it():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stopped_at_once():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with stopped_at_once():
            assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
