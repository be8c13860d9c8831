"""A job runs, and another user of the machine tries to read it and to steer it."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil
import pytest
from tests.waiting import wait_until

from flott.rest.routes import ROUTES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user"),
]

OTHER = 65533
SECRET = "the-secret-of-the-first-user"
SOURCE = Path(__file__).parents[2] / "src"
PROGRAM = f"""
from flott.common import Configuration, Types, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import StreamExecutionEnvironment

configuration = Configuration().set_string("spark.hadoop.fs.s3a.secret.key", {SECRET!r})
env = StreamExecutionEnvironment.get_execution_environment(configuration)
source = DataGeneratorSource(int, None, RateLimiterStrategy.per_second(1_000), Types.LONG())
numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
counts = numbers.map(lambda n: ({SECRET!r}, 1)).key_by(lambda pair: pair[0]).sum(1).uid("count")
counts.map(lambda pair: print(*pair, flush=True)).uid("print").disable_chaining().print()
env.execute("numbers")
"""


@pytest.fixture
def machine():
    """A directory that everybody can enter, with a home of the usual mode and a temporary directory as /tmp is."""
    root = Path(tempfile.mkdtemp(prefix="flott-two-users-", dir="/var/tmp"))
    root.chmod(0o755)
    (root / "home").mkdir(mode=0o755)
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)
    (root / "home" / "readable").write_text("for everybody")
    yield root
    shutil.rmtree(root)


@pytest.fixture
def flott(machine, tmp_path):
    """Runs a command of the first user, and gives what it says as JSON."""
    hidden = {"FLOTT_REGISTRY_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {
        "HOME": str(machine / "home"),
        "TMPDIR": str(machine / "tmp"),
        "PYTHONPATH": str(SOURCE),
        "PASSWORD": SECRET,
    }
    (tmp_path / "job.py").write_text(PROGRAM)
    started = []

    def run(*arguments):
        command = [sys.executable, "-m", "flott.cli.main", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, umask=0o022)
        told = json.loads(done.stdout.splitlines()[-1])
        if arguments[0] == "run":
            started.append(psutil.Process(told["pid"]))
        return told

    yield run
    for process in started:
        if process.is_running():
            process.kill()
            # Its parent has ended. Where nobody collects orphans, one that was killed stays as a zombie.
            wait_until("the end of the job", partial(has_ended, process))


def has_ended(process):
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def start(flott, tmp_path):
    settings = ("flott.execution.target=in-process", "rest.port=0", "execution.checkpointing.interval=100ms")
    options = [word for setting in settings for word in ("-D", setting)]
    return flott("run", "--json", "-d", *options, str(tmp_path / "job.py"))


def status(job, method, path, token):
    connection = http.client.HTTPConnection(job["rest"].removeprefix("http://"))
    connection.request(method, path, headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def second_user(**targets):
    """Become another user and try everything; return what worked."""
    command = [sys.executable, "-I", str(Path(__file__).with_name("second_user.py"))]
    given = json.dumps({"uid": OTHER, **targets})
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def holding_secret(directory):
    found = []
    for path in directory.rglob("*"):
        with suppress(FileNotFoundError, IsADirectoryError):  # the job replaces its files meanwhile
            found += [path] * (SECRET.encode() in path.read_bytes())
    return found


def count(log):
    return len(Path(log).read_text().splitlines())


def test_a_second_user_reads_nothing_of_a_running_job_and_steers_nothing(flott, machine, tmp_path):
    job = start(flott, tmp_path)
    log, registry = Path(job["log"]), Path(job["token-file"]).parent
    wait_until("the secret in the log", lambda: SECRET in log.read_text())
    state = wait_until("the secret in files of the state", lambda: holding_secret(machine / "tmp"))
    token = Path(job["token-file"]).read_text()
    vertex = json.loads(status(job, "GET", f"/jobs/{job['jid']}", token)[1])["vertices"][0]["id"]
    parts = {"jid": job["jid"], "vid": vertex, "number": "1", "trigger": "0" * 32}
    guarded = [(route.method, route.path.format(**parts)) for route in ROUTES if not route.public]
    assert len(guarded) > 20
    settings = status(job, "GET", f"/jobs/{job['jid']}/config", token)
    assert (settings[0], SECRET in settings[1]) == (200, False)
    sockets = psutil.Process(job["pid"]).net_connections("inet")
    port = int(job["rest"].rpartition(":")[2])
    assert [one.laddr.port for one in sockets if one.status == psutil.CONN_LISTEN] == [port]

    works = second_user(
        root=str(machine),
        known=[*map(str, state), job["log"], job["token-file"], str(registry / f"{job['jid']}.json")],
        port=port,
        requests=guarded,
        tokens=[None, "wrong", job["jid"]],
        pid=job["pid"],
    )
    assert works["files"] == {
        "read": [str(machine / "home" / "readable")],
        "written": [],
        "planted": [str(machine / "tmp")],
        "moved": [],
    }
    assert works["known"] == []
    assert works["requests"] == {f"{method} {path}": [401, 401, 401] for method, path in guarded}
    assert SECRET not in " ".join(works["process"]["command"])
    assert token not in " ".join(works["process"]["command"])
    assert works["process"]["command"][1:4] == ["-m", "flott.cli.main", "run"]
    assert (works["process"]["read"], works["process"]["signals"]) == ([], [])

    before = count(log)
    wait_until("more counts", lambda: count(log) > before)
    assert flott("list", "--json")["status"] == "RUNNING"
    assert flott("cancel", "--json", job["jid"])["status"] == "CANCELED"
