"""The self-checking job as a program that a campaign disturbs; writes to files, PostgreSQL and a sink of its own.

    python campaign_job.py DIRECTORY CHECKPOINTS DSN RECORDS RATE [blind]

``blind``: as on a mounted disk where another machine's locks are not seen, so that only the job's record fences.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path
from uuid import uuid4

from tests.chaos.crash_job import quick_configuration
from tests.chaos.self_checking import build

from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.base import Committer, CommittingSinkWriter, Sink, SupportsCommitter
from flott.datastream.connectors.postgres import PostgresSink

LEASE_SECONDS = 6


class Keeps(CommittingSinkWriter):
    """Sends the lines of an epoch to the driver, under a name of their own."""

    def __init__(self):
        self.lines = []

    def write(self, element, context):
        self.lines.append(element)

    def prepare_commit(self):
        lines, self.lines = self.lines, []
        return [(uuid4().hex, lines)] if lines else []


class Inserts(Committer):
    """Inserts lines into a database, with their name in the same transaction: the same ones never count twice."""

    def __init__(self, path):
        self.connection = connect(path)

    def commit(self, requests):
        for request in requests:
            name, lines = request.get_committable()
            try:
                with self.connection:
                    self.connection.execute("INSERT INTO committed VALUES (?)", (name,))
                    self.connection.executemany("INSERT INTO lines VALUES (?)", ((line,) for line in lines))
            except sqlite3.IntegrityError:
                request.signal_already_committed()

    def close(self):
        self.connection.close()


class DatabaseSink(Sink, SupportsCommitter):
    """A committing sink of the user's own."""

    def __init__(self, path):
        self.path = path

    def create_writer(self, context):
        return Keeps()

    def create_committer(self):
        return Inserts(self.path)


def connect(path):
    connection = sqlite3.connect(path, timeout=60)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS committed (name TEXT PRIMARY KEY)")
    connection.execute("CREATE TABLE IF NOT EXISTS lines (line TEXT)")
    return connection


def main():
    directory, checkpoints, dsn, records, rate = sys.argv[1:6]
    if sys.argv[6:] == ["blind"]:
        from flott.coordination import job_record

        job_record.take_lock = lambda _: os.open(os.devnull, os.O_RDONLY)
    configuration = quick_configuration(
        directory,
        {
            "flott.spark.master": "local[2]",
            "execution.checkpointing.dir": checkpoints,
            "execution.checkpointing.interval": "500 ms",
            "execution.checkpointing.timeout": "10 s",
            "execution.checkpointing.tolerable-failed-checkpoints": "20",
            "restart-strategy.fixed-delay.attempts": "1000",
            "flott.driver.lease": f"{LEASE_SECONDS} s",
        },
    )
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    rows = PostgresSink.builder().set_dsn(dsn).set_table("lines", ["line"]).set_parameters(lambda line: (line,))
    sinks = [rows.build(), DatabaseSink(str(Path(directory, "own.db")))]
    build(env, f"{directory}/out", int(records), rate=int(rate), sinks=sinks)
    env.execute("campaign")


if __name__ == "__main__":
    main()
