"""kill -9 of the driver while Spark writes files and while partitions are committed: every row shows once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.chaos.files_job import PER_MINUTE, POINTS, rows_in
from tests.chaos.test_crashes import wait_for_orphans

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.spark]

ROOT = Path(__file__).parent.parent.parent
PROGRAM = Path(__file__).with_name("files_job.py")
PER_FILE = 50


class Feeding:
    """Puts files into a directory, so that there is something to read whenever a driver is there to be killed."""

    def __init__(self, folder):
        self.folder = folder
        self.folder.mkdir()
        self.rows = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._feed)
        self._thread.start()

    def _feed(self):
        while not self._over.wait(0.3):
            hidden = self.folder / ".next"
            numbers = range(self.rows, self.rows + PER_FILE)
            hidden.write_text("".join(f'{{"number": {number}}}\n' for number in numbers))
            hidden.rename(self.folder / f"{self.rows}.json")
            self.rows += PER_FILE

    def stop(self):
        self._over.set()
        self._thread.join()


def run(directory, master):
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "PYSPARK_PYTHON": sys.executable}
    with (directory / "log").open("a") as log:
        return subprocess.run(
            [sys.executable, str(PROGRAM), master, str(directory)],
            env=environment, stdout=log, stderr=log, timeout=600, check=False,
        ).returncode  # fmt: skip


def test_drivers(tmp_path):
    feeding = Feeding(tmp_path / "in")
    killed, code = 0, -signal.SIGKILL
    try:
        while code == -signal.SIGKILL:
            if sum(1 for _ in (tmp_path / "deaths").glob("*")) == len(POINTS):
                feeding.stop()
                (tmp_path / "last").write_text(str(feeding.rows))
            # With more cores Spark would cut the same rows into other files.
            code = run(tmp_path, f"local[{2 + killed % 2}]")
            killed += code == -signal.SIGKILL
            wait_for_orphans(tmp_path)
    finally:
        feeding.stop()
    assert code == 0, (tmp_path / "log").read_text()[-5_000:]
    # A worker may pass the next point before the driver that it killed is gone.
    assert len(POINTS) - 1 <= killed <= len(POINTS)
    assert sorted(rows_in(tmp_path / "out")) == list(range(feeding.rows))
    check_minutes(tmp_path)
    assert not list(tmp_path.glob("*/.staging"))


def check_minutes(directory):
    parts = list((directory / "minutes").glob("*/part-*"))
    numbers = sorted(int(line) for path in parts for line in path.read_text().splitlines())
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > 10 * PER_MINUTE
    assert {path.parent.name for path in parts} == {
        path.parent.name for path in (directory / "minutes").glob("*/_SUCCESS")
    }
    # Whenever a partition was committed, all its records were there; the last one ends with the job.
    last, left = divmod(len(numbers), PER_MINUTE)
    for line in (directory / "noted").read_text().splitlines():
        minute, records = map(int, line.split())
        assert records == (left if minute == last else PER_MINUTE), line
