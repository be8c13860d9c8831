"""What a job that does not work as it should says of itself: in lists, in details, on the page and in the log."""

from __future__ import annotations

import errno
import logging
import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.waiting import PATIENCE, wait_until

from flott.cli.main import main
from flott.cli.run_progress import report
from flott.common import Configuration
from flott.connectors.base import Sink, SinkWriter
from flott.datastream import StreamExecutionEnvironment
from flott.rest.attach import served_jobs
from flott.rest.views.condition import condition
from flott.rest.views.epochs import epochs_view
from flott.runtime.storage.local import LocalStorage

HERE = Path(__file__).name


@pytest.fixture(autouse=True)
def registry(tmp_path, monkeypatch):
    directory = tmp_path / "registry"
    monkeypatch.setenv("FLOTT_REGISTRY_DIR", str(directory))
    return directory


@contextmanager
def running(directory, build, **settings):
    """Run a job in this process; gives its client and what REST serves."""
    configuration = {
        "flott.execution.target": "in-process",
        "rest.port": "0",
        "execution.checkpointing.interval": "1 ms",
        "execution.checkpointing.dir": str(directory / "checkpoints"),
        **settings,
    }
    env = StreamExecutionEnvironment.get_execution_environment(Configuration.from_dict(configuration))
    env.set_parallelism(1)
    build(env)
    client = env.execute_async("orders")
    [job] = [one for one in served_jobs() if one.master is client.master]
    try:
        yield client, job
    finally:
        client.cancel().result(PATIENCE)


def plain(text, job):
    """Leave out of a text what differs each time."""
    text = re.sub(r"No space left on device: '[^']*'", "No space left on device: 'PATH'", text)
    text = text.replace(job.id, "ID").replace(job.id[:8], "ID")
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME", text)
    text = re.sub(r"\d+(\.\d+)? (ms|s|min)( \d+ s)?\b", "SPAN", text)
    text = re.sub(r"(Input is waiting|The job keeps up)\b.*", "HINT", text)
    text = re.sub(r"[\d.]+( k)? records/s", "RATE", text)
    text = re.sub(r"\d+ checkpoints failed", "N checkpoints failed", text)
    text = re.sub(r"http://[\d.:]+(/\S*)?", "URL", text)
    text = re.sub(r"/\S*/(?=checkpoints|taskowned|shared)\S*", "PATH", text)
    text = re.sub(rf"{HERE}:\d+", "job.py:LINE", text)
    return re.sub(r" +", " ", text)


def everywhere(job):
    """Return what the job says of itself: the page's hint, the progress line, ``flott list`` and ``flott info``."""
    told = {
        "page": f"{condition(job).mood}: {epochs_view(job, 1)['hint']}",
        "line": report(job),
        "list": CliRunner().invoke(main, ["list"]).output,
        "info": CliRunner().invoke(main, ["info", job.id]).output,
    }
    told["info"] = told["info"].partition("\n\n")[0]  # what follows are figures
    return {place: lines(plain(text, job)) for place, text in told.items()}


def lines(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


REACHED, OVER = threading.Event(), threading.Event()
"""A function waits from its 150th record on; the test is over."""


@pytest.fixture
def blocked():
    """Let the function go on when the test is over."""
    REACHED.clear()
    OVER.clear()
    yield REACHED
    OVER.set()


@pytest.fixture
def at_once(monkeypatch):
    """Tell of a running epoch from its first moment."""
    monkeypatch.setattr("flott.rest.views.condition.LONG", -1)
    monkeypatch.setattr("flott.cli.run_progress.LONG", -1)
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 100)


def slow_lookup(value):
    if value == 150:
        REACHED.set()
        OVER.wait(PATIENCE)
    return value


def no_such_city(value):
    raise KeyError(f"city {value}")


class SlowWriter(SinkWriter):
    def write(self, element, context):
        slow_lookup(element)


class SlowSink(Sink):
    def create_writer(self, context):
        return SlowWriter()


def golden(status, mood, text, *, line=None, running="SPAN, epoch 1, 0 restarts"):
    """Return what is said everywhere of a job whose condition is this."""
    return {
        "page": [f"{mood}: {text}"],
        "line": [line or f"orders · {text}"],
        "list": ["job name status started rest", f"ID orders {status} TIME URL", f"orders (ID): {text}"],
        "info": [
            "orders (ID)",
            f"status {status}",
            "started TIME",
            "page URL",
            "checkpoints PATH",
            f"condition {text}",
            f"running {running}",
            "reads RATE",
        ],
    }


def test_a_job_that_is_stuck_in_user_code(tmp_path, blocked, at_once):
    def build(env):
        env.from_sequence(0, 10_000).map(slow_lookup).name("lookup").print()

    with running(tmp_path, build) as (_, job):
        blocked.wait(PATIENCE)
        told = everywhere(job)
        OVER.set()
    assert told == golden(
        "RUNNING",
        "warn",
        "Epoch 2 has been running for SPAN: 'lookup' (1/1) is at work in slow_lookup (job.py:LINE), "
        "with 400 records so far.",
    )


def test_a_slow_sink(tmp_path, blocked, at_once):
    def build(env):
        env.from_sequence(0, 10_000).key_by(lambda n: 1).reduce(max).name("most").sink_to(SlowSink()).name("archive")

    with running(tmp_path, build) as (_, job):
        blocked.wait(PATIENCE)
        told = everywhere(job)
        OVER.set()
    assert told == golden(
        "RUNNING",
        "warn",
        "Epoch 2 has been running for SPAN: 'Sink: archive' (1/1) is at work in slow_lookup (job.py:LINE), "
        "with 400 records so far.",
    )


BACKS_OFF = {
    "restart-strategy.type": "exponential-delay",
    "restart-strategy.exponential-delay.initial-backoff": "1 ms",
    "restart-strategy.exponential-delay.backoff-multiplier": "10000000",
    "restart-strategy.exponential-delay.max-backoff": "1 h",
    "restart-strategy.exponential-delay.jitter-factor": "0",
}
"""The second restart is an hour after the first."""


def test_a_job_that_crash_loops(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 100)

    def build(env):
        env.from_sequence(0, 10_000).map(no_such_city).name("lookup").print()

    with caplog.at_level(logging.WARNING), running(tmp_path, build, **BACKS_OFF) as (_, job):
        wait_until("the second failure", lambda: job.progress.failures_in_a_row == 2 and job.progress.next_attempt)
        told = everywhere(job)
    log = [line for line in lines(plain(caplog.text, job)) if "failed" in line]
    text = (
        "The job failed 2 times in a row, last with KeyError: 'city 0' ('Source: Sequence Source -> lookup -> "
        "Sink: Print to Std. Out' (1/1)). It starts again in SPAN, from its beginning."
    )
    assert told == golden("RESTARTING", "bad", text, running="SPAN, epoch 0, 2 restarts")
    lead = (
        "job 'orders' failed ({} in a row) and starts again from the beginning in SPAN: job 'orders': operator 'lookup'"
    )
    assert [lead.format(1) in log[0], lead.format(2) in log[-1]] == [True, True]


def test_a_full_disk(tmp_path, monkeypatch, caplog):
    real = LocalStorage._partial

    def full(storage, target, parts, *, durable):
        if "shared" in target.parts and "aside" not in target.parts:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
        return real(storage, target, parts, durable=durable)

    monkeypatch.setattr(LocalStorage, "_partial", full)
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 100)

    def build(env):
        numbers = env.from_sequence(0, 10**12)
        numbers.key_by(lambda n: n % 7).reduce(max).name("most").filter(lambda _: False).print()

    endless = {"execution.checkpointing.tolerable-failed-checkpoints": "1000000"}
    with caplog.at_level(logging.WARNING), running(tmp_path, build, **endless) as (_, job):
        wait_until("a checkpoint that fails", lambda: job.master.checkpoints.failures_in_a_row > 1)
        told = everywhere(job)
    lead = (
        "The last N checkpoints failed: state of 'most -> Filter -> Sink: Print to Std. Out' subtask 0 could not be "
        "written: [Errno 28] No space left on device: 'PATH'"
    )
    assert told["page"] == [f"warn: {lead}. HINT"]
    assert told["list"][-1] == f"orders (ID): {lead}. HINT"
    assert f"condition {lead}. HINT" in told["info"]
    assert told["line"][0].endswith(f"· {lead}.")
    assert lead.partition(": ")[2] in plain(caplog.text, job)


def test_a_spark_that_does_not_start(tmp_path):
    (tmp_path / "job.py").write_text(
        "from flott.datastream import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "env.from_collection([1]).print()\n"
        "env.execute('orders')\n"
    )
    flott = [sys.executable, "-m", "flott.cli.main"]
    away = {**os.environ, "JAVA_HOME": str(tmp_path / "gone")}
    run = subprocess.run(
        [*flott, "run", str(tmp_path / "job.py")], capture_output=True, text=True, env=away, check=False
    )
    listed = subprocess.run([*flott, "list", "--all"], capture_output=True, text=True, env=away, check=False)
    away_from = str(tmp_path / "gone")
    assert (run.returncode, lines(listed.stdout)) == (1, ["No jobs."])
    assert lines(run.stderr.replace(away_from, "GONE")) == [
        (
            "Error: JAVA_HOME is GONE, which has no bin/java. Spark needs Java 17 or newer. Install it (Debian, "
            "Ubuntu: apt-get install openjdk-17-jre-headless; macOS: brew install openjdk@17) or set JAVA_HOME "
            "to where it is."
        )
    ]
