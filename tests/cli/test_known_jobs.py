"""Commands about jobs that nobody runs any more, or never did."""

from __future__ import annotations

import io
import json
import os

import pytest
from click.testing import CliRunner

from flott.cli.known_jobs import complete_job
from flott.cli.main import main
from flott.cli.run_progress import AboveLine, BottomLine
from flott.coordination.find_job import find_job, jobs_in
from flott.coordination.job_note import RUNNING, JobNote
from flott.coordination.job_record import JobRecord
from flott.coordination.liveness import Lease
from flott.rest.registry import RegisteredJob, Registration

FAR = 2**60


def flott(*arguments):
    result = CliRunner().invoke(main, arguments)
    return result.exit_code, result.stdout, result.stderr


def register(registry, digit, name, rest="http://127.0.0.1:1"):
    job = RegisteredJob(digit * 32, name, "RUNNING", rest, os.getpid(), started=int(digit))
    return Registration(registry, job)


@pytest.fixture
def jobs(registry):
    """A job that runs, one that is over, and one whose driver is gone."""
    running, over, lost = (register(registry, digit, name) for digit, name in (("1", "a"), ("2", "b"), ("3", "c")))
    over.close(status="FINISHED", ended=FAR, savepoint="/savepoints/1")
    os.close(lost._lock)
    yield
    running.close(status="FINISHED", ended=FAR)


def test_list(jobs):
    names = lambda *options: [json.loads(line)["name"] for line in flott("list", "--json", *options)[1].splitlines()]  # noqa: E731
    assert names() == ["c", "a"]
    assert names("--running") == ["a"]
    assert names("--all") == ["c", "b", "a"]
    assert "LOST" in flott("list")[1]


def test_info_of_a_job_that_is_over_says_where_its_savepoint_is(jobs):
    code, told, _ = flott("info", "b")
    assert (code, "/savepoints/1" in told) == (0, True)
    assert json.loads(flott("info", "22", "--json")[1])["savepoint"] == "/savepoints/1"


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        (["cancel", "nobody"], 3, "there is no job 'nobody'"),
        (["cancel", "b"], 4, "it is FINISHED"),
        (["stop", "c"], 4, "start the program again, and it goes on from its last checkpoint"),
        (["savepoint", "a"], 4, "does not answer"),
        (["info", "a"], 4, "does not answer"),
        (["savepoint"], 2, "name the JOB"),
        (["savepoint", "--dispose", "/no/such/savepoint"], 1, "can't be removed"),
        (["checkpoints", "b"], 1, "it had no checkpoint directory"),
    ],
)
def test_what_cannot_be_done_has_its_exit_code(jobs, command, code, message):
    found, _, told = flott(*command)
    assert (found, message in told) == (code, True), told


def test_a_name_that_several_jobs_have_is_refused(registry):
    twins = [register(registry, digit, "twin") for digit in "12"]
    code, _, told = flott("cancel", "twin")
    assert code == 3
    assert "may be several jobs" in told
    for one in twins:
        one.close(status="FINISHED", ended=FAR)


def test_the_shell_completes_jobs_and_commands(jobs):
    assert [item.value for item in complete_job(None, None, "1")] == ["1" * 32]
    assert [item.value for item in complete_job(None, None, "2")] == ["2" * 32]
    assert [item.value for item in complete_job(None, None, "")] == ["a"]

    assert [item.value for item in complete_job(None, None, "x")] == []
    for shell in ("bash", "zsh", "fish"):
        code, script, _ = flott("completion", shell)
        assert (code, "_FLOTT_COMPLETE" in script) == (0, True)


def test_a_checkpoint_directory_knows_its_jobs(tmp_path):
    directory = str(tmp_path / "checkpoints")
    record = JobRecord(f"{directory}/{'4' * 32}", "4" * 32, JobNote("orders", RUNNING))
    record.create()
    record.announce("http://127.0.0.1:1")
    [note] = jobs_in(directory)
    assert (note.name, note.status, note.rest) == ("orders", "RUNNING", "http://127.0.0.1:1")
    record.release()
    [note] = jobs_in(directory)
    assert (note.status, note.rest) == ("LOST", None)
    assert json.loads(flott("list", "--json", "-c", directory)[1])["status"] == "LOST"
    # Whoever looks does not stand in the way of a driver that takes over.
    assert find_job(directory, "orders", None, Lease(), durable=True) is not None


def test_the_progress_stays_below_what_is_printed():
    terminal = io.StringIO()
    line = BottomLine(terminal)
    line.show("epoch 1")
    above = AboveLine(terminal, line)
    above.write("a record\n")
    line.print_above("a note")
    line.show("epoch 2")
    drawn = terminal.getvalue()
    assert drawn.split("\r\x1b[K")[1:] == ["epoch 1", "a record\n", "epoch 1", "a note\n", "epoch 1", "epoch 2"]
    assert above.getvalue() == drawn


def test_a_name_of_several_running_jobs_is_completed_to_their_ids(registry):
    running = [register(registry, digit, "twice") for digit in "45"]
    assert [item.value for item in complete_job(None, None, "")] == ["5" * 32, "4" * 32]
    assert [item.help for item in complete_job(None, None, "4")] == ["twice, RUNNING"]
    for one in running:
        one.close(status="FINISHED", ended=FAR)
