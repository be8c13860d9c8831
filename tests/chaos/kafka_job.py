"""Kafka to windows to Kafka as a program of its own, whose driver is killed, hard, at one point after the other.

    python kafka_job.py TARGET DIRECTORY SERVERS TOPIC OUT

TARGET is local[2] and the like, or in-process. The program runs until it is killed (run it again then), or until every
point had its victim and there is a file DIRECTORY/last; then it drains the job and ends.
"""

from __future__ import annotations

import operator
import os
import sys
from pathlib import Path

from tests.chaos.crash_job import SetTrap, Trap, quick_configuration
from tests.connectors.kafka.pipeline import build
from tests.waiting import PATIENCE, wait_for_checkpoints, wait_while_running

from flott.datastream import StreamExecutionEnvironment

POINTS = (
    "sink.before-prepare",
    "sink.after-prepare",
    "epoch.accepted",
    "metadata.before",
    "metadata.after",
    "commit.before",
    "kafka.before-commit",
    "kafka.after-commit",
    "commit.after",
    "notify.before",
)
"""Ten moments of an epoch that ends with a checkpoint, in their order."""


def main():
    target, directory, servers, topic, out = sys.argv[1:]
    deaths = Path(directory, "deaths")
    deaths.mkdir(exist_ok=True)
    where = "flott.execution.target" if target == "in-process" else "flott.spark.master"
    configuration = quick_configuration(directory, {where: target})
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    trap = Trap(deaths, "driver", os.getpid(), POINTS)
    build(env, servers, topic, out, before=SetTrap(trap))
    client = env.execute_async("kafka crashes")
    trap.set()
    wait_while_running(client, "a victim at every point", trap.next_point, operator.not_)
    wait_while_running(client, "the last record", Path(directory, "last").exists)
    # All that was sent has been planned once a second checkpoint follows.
    wait_for_checkpoints(client, client.master.checkpoints.statistics.completed + 2)
    client.stop_with_savepoint(True).result(PATIENCE)


if __name__ == "__main__":
    main()
