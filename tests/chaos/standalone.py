"""A Spark cluster on this machine: a master and some workers, each a process of its own."""

from __future__ import annotations

import contextlib
import operator
import os
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pyspark
from tests.waiting import wait_until

ROOT = Path(__file__).parent.parent.parent


@contextlib.contextmanager
def standalone_cluster(directory, workers):
    """Start a cluster, each worker under an address of its own, as if on a machine of its own; gives its URL."""
    directory.mkdir(parents=True)
    port = free_port()
    master = f"spark://127.0.0.1:{port}"
    processes = []
    try:
        processes.append(
            start(directory, "master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
        )
        wait_for(port)
        for number in range(workers):
            work = directory / f"work-{number}"
            processes.append(
                start(
                    directory, "worker.Worker", "--host", f"127.0.0.{number + 1}", "--cores", "1", "--memory", "1g",
                    "--webui-port", "0", "--work-dir", str(work), master,
                )
            )  # fmt: skip
        yield master
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


def start(directory, name, *arguments):
    home = Path(pyspark.__file__).parent
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
        "PYSPARK_PYTHON": sys.executable,
    }
    with (directory / f"{name}.log").open("a") as log:
        return subprocess.Popen(
            [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *arguments],
            env=environment, stdout=log, stderr=log,
        )  # fmt: skip


def processes(directory, name):
    """Return the Java processes of the cluster in a directory that run a class of that name."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            words = " ".join(process.cmdline())
            # Executors do not say where they belong, but work there.
            if f"{name} " in f"{words} " and str(directory) in f"{words} {process.cwd()}":
                found.append(process)
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    def connect():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port))

    wait_until(f"a master that listens on port {port}", connect, operator.not_)
