from __future__ import annotations

import pytest
from tests.coordination.checkpoints.every_state_job import HOLD_AT, Hold, Job
from tests.waiting import PATIENCE, wait_while_running

from flott.runtime.clock import ManualClock
from flott.testing.cluster import submit


def stop_at(env, directory, record=HOLD_AT):
    """Run a program up to a record, stop it there, and return where its savepoint is."""
    Hold.at = record
    Hold.reached.clear()
    Hold.go_on.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 30)
        patch.setattr("flott.coordination.sizing.LARGEST_STEP", 1.0)
        client = submit(env.program("every state"), env._configuration, ManualClock(1_000))
        wait_while_running(client, "the record to hold at", Hold.reached.is_set)
        promise = client.stop_with_savepoint(False, str(directory))
        Hold.go_on.set()
        path = promise.result(PATIENCE)
    Hold.at = None
    return path


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """A savepoint of the job with every kind of state, taken after 300 records; and the job's output up to there."""
    root = tmp_path_factory.mktemp("saved")
    return stop_at(Job(root / "out").build(), root), root / "out"
