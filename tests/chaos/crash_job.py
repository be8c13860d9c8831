"""The self-checking job as a program of its own, in which processes are killed, hard, at one point after the other.

    python crash_job.py MASTER DIRECTORY WHO DSN

DSN is a PostgreSQL server with a table "lines", which gets what the files get. WHO is worker, executor or driver: at
every point of `flott.runtime.crash_points`, whether a task or the driver passes it, a process of that kind is killed
once. The program runs until it is killed itself (run it again then), or until every point had its victim; then it
drains the job and ends.
"""

from __future__ import annotations

import operator
import os
import signal
import sys
from pathlib import Path

import psutil
from tests.chaos.self_checking import build
from tests.waiting import PATIENCE, wait_for_checkpoints, wait_while_running

from flott.common import Configuration
from flott.datastream import MapFunction, StreamExecutionEnvironment
from flott.datastream.connectors.postgres import PostgresSink
from flott.runtime import crash_points

RATE = 3_000
PASSES = 2
"""A point has to be passed so often before it becomes deadly."""


class Trap:
    """Kills at the first point that had no victim yet. Which ones had is told by files that all processes see."""

    def __init__(self, directory, who, driver, points=crash_points.POINTS):
        self.directory = Path(directory)
        self.who = who
        self.driver = driver
        self.points = points
        self.passed = 0

    def set(self):
        for point in self.points:
            crash_points.ARMED[point] = lambda point=point: self.spring(point)

    def next_point(self):
        return next((point for point in self.points if not (self.directory / point).exists()), None)

    def spring(self, point):
        if self.next_point() != point:
            return
        self.passed += 1
        if self.passed < PASSES:
            return
        try:
            (self.directory / point).open("x").close()
        except FileExistsError:
            return
        self.passed = 0
        os.kill(self.victim(), signal.SIGKILL)

    def victim(self):
        here = os.getpid()
        if self.who == "driver":
            return self.driver
        if here != self.driver:
            return here if self.who == "worker" else ancestor(here, "CoarseGrainedExecutorBackend")
        wanted = "spark.daemon" if self.who == "worker" else "CoarseGrainedExecutorBackend"
        found = [one for one in psutil.process_iter(["cmdline"]) if mine(one, wanted)]
        # Forked workers look like the daemon that they come from; the youngest is one of them.
        return max(found, key=lambda one: one.create_time()).pid


def mine(process, wanted):
    try:
        return any(wanted in part for part in process.info["cmdline"] or ()) and process.status() != "zombie"
    except psutil.NoSuchProcess:
        return False


def ancestor(pid, wanted):
    for process in psutil.Process(pid).parents():
        if any(wanted in part for part in process.cmdline()):
            return process.pid
    raise LookupError(wanted)


class SetTrap(MapFunction):
    """Brings the trap to the workers."""

    def __init__(self, trap):
        self.trap = trap

    def open(self, runtime_context):
        self.trap.set()

    def map(self, value):
        return value


def quick_configuration(directory, settings):
    """Small epochs, many checkpoints and quick restarts, with all files in one directory; and some more settings."""
    configuration = Configuration()
    for key, value in {
        "flott.epoch.target-duration": "200 ms",
        "flott.state.dir": f"{directory}/state",
        "execution.checkpointing.interval": "300 ms",
        "execution.checkpointing.dir": f"{directory}/checkpoints",
        "execution.checkpointing.savepoint-dir": f"{directory}/savepoints",
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.delay": "100 ms",
        "restart-strategy.fixed-delay.attempts": "5",
        **settings,
    }.items():
        configuration.set_string(key, value)
    return configuration


def main():
    master, directory, who, dsn = sys.argv[1:]
    deaths = Path(directory, "deaths")
    deaths.mkdir(exist_ok=True)
    configuration = quick_configuration(
        directory,
        {
            "flott.spark.master": master,
            "execution.checkpointing.tolerable-failed-checkpoints": "3",
            "restart-strategy.fixed-delay.attempts": "50",
        },
    )
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    trap = Trap(deaths, who, os.getpid())
    rows = PostgresSink.builder().set_dsn(dsn).set_table("lines", ["line"]).set_parameters(lambda line: (line,))
    build(env, f"{directory}/out", None, rate=RATE, before=SetTrap(trap), sinks=[rows.build()])
    client = env.execute_async("crashes")
    trap.set()
    wait_while_running(client, "a victim at every point", trap.next_point, operator.not_)
    wait_for_checkpoints(client, client.master.checkpoints.statistics.completed + 2)
    client.stop_with_savepoint(True).result(PATIENCE)


if __name__ == "__main__":
    main()
