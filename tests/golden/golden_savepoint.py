"""Writes the golden savepoint of this version: the job with every kind of state, stopped half-way.

Run it from the root of the repository when a new version is made, or when the format changes on purpose:

    PYTHONPATH=src:. python -m tests.golden.golden_savepoint

A golden savepoint of an earlier version is never written again: it shows that this version still reads it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from tests.coordination.checkpoints.every_state_job import FROM, HOLD_AT, Hold, Job, lines
from tests.waiting import PATIENCE, wait_while_running

from flott import __version__
from flott.runtime.clock import ManualClock
from flott.testing.cluster import submit

HERE = Path(__file__).parent
REST = "rest-of-output.txt"
"""What the job puts out when it goes on from the savepoint."""


@contextmanager
def small_epochs():
    with (
        patch("flott.connectors.index_range.RECORDS_PER_SUBTASK", 20),
        patch("flott.coordination.sizing.LARGEST_STEP", 1.0),
    ):
        yield


def run(job, *, savepoints=None, clock=10_000):
    """Run the job to its end; or up to a record, and return where its savepoint is."""
    Hold.at = None if savepoints is None else HOLD_AT
    Hold.reached.clear()
    Hold.go_on.clear()
    env = job.build()
    with small_epochs():
        client = submit(env.program("golden"), env._configuration, ManualClock(clock))
        if savepoints is None:
            client.get_job_execution_result().result(PATIENCE)
            return None
        wait_while_running(client, "the record to hold at", Hold.reached.is_set)
        promise = client.stop_with_savepoint(False, str(savepoints))
        Hold.go_on.set()
        return promise.result(PATIENCE)


def golden_savepoints():
    """Return the savepoints there are, of this version and of earlier ones."""
    return sorted(path for path in HERE.glob("savepoint-*") if path.is_dir())


def write():
    """Write the savepoint of this version, and what follows from it."""
    target = HERE / f"savepoint-{__version__}"
    shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        shutil.copytree(run(Job(root / "before", checkpoints=False), savepoints=root, clock=1_000), target)
        run(Job(root / "after", checkpoints=False, options={FROM: str(target)}))
        (target / REST).write_text("".join(f"{line}\n" for line in lines(root / "after")), encoding="utf-8")
    return target


if __name__ == "__main__":
    sys.stdout.write(f"{write()}\n")
