"""Checkpoints and savepoints of jobs on Spark; tests/chaos kills their processes at every point."""

from __future__ import annotations

import threading

import pandas as pd
import pytest
from tests.chaos.self_checking import build, check, written
from tests.waiting import PATIENCE, wait_while_running

from flott.datastream import MapFunction

pytestmark = pytest.mark.spark

CHECKPOINTING = {
    "execution_checkpointing_interval": "300 ms",
    "restart__strategy_type": "fixed-delay",
    "restart__strategy_fixed__delay_delay": "10 ms",
}


class FailsOnce(MapFunction):
    """Fails as soon as there is a checkpoint."""

    def __init__(self, checkpoints, mark):
        self.checkpoints = checkpoints
        self.mark = mark

    def map(self, value):
        if value % 500 == 0 and any(self.checkpoints.glob("*/chk-*/_metadata")):
            try:
                self.mark.open("x").close()
            except FileExistsError:
                return value
            raise RuntimeError("fails once")
        return value


def test_a_failing_function_restarts_the_job_from_the_last_checkpoint(make_env, tmp_path):
    checkpoints = tmp_path / "checkpoints"
    env = make_env(execution_checkpointing_dir=checkpoints, **CHECKPOINTING)
    build(env, tmp_path / "out", None, rate=2_000, before=FailsOnce(checkpoints, tmp_path / "failed"))
    client = env.execute_async("restarts")
    again = threading.Event()
    client.master.listeners.append(lambda _: client.master.checkpoints.statistics.restored and again.set())
    wait_while_running(client, "a restart", again.is_set)
    client.stop_with_savepoint(True, str(tmp_path / "savepoints")).result(PATIENCE)
    lines = written(tmp_path / "out")
    check(lines, sum(1 for line in lines if line.startswith("record")))
    [failure] = client.master.failures
    assert "fails once" in str(failure)
    assert client.master.checkpoints.statistics.latest_restore.kind == "checkpoint"


def test_stop_with_a_savepoint_and_go_on_with_another_parallelism(make_env, tmp_path):
    env = make_env(**CHECKPOINTING)
    build(env, tmp_path / "out", 30_000, rate=1_000)
    client = env.execute_async("before")
    enough = threading.Event()
    client.master.listeners.append(lambda _: client.master.checkpoints.statistics.completed >= 2 and enough.set())
    wait_while_running(client, "two checkpoints", enough.is_set)
    path = client.stop_with_savepoint(False, str(tmp_path / "savepoints")).result(PATIENCE)
    state = pd.concat(pd.read_parquet(file) for file in (tmp_path / "savepoints").rglob("*.parquet"))
    counts = state[state["state"] == "count"]
    assert sorted(counts["key"]) == [str(key) for key in range(7)]
    env = make_env(execution_state__recovery_path=path, **CHECKPOINTING)
    env.set_parallelism(3)
    build(env, tmp_path / "out", 30_000)
    env.execute("after")
    check(written(tmp_path / "out"), 30_000, rescaled=True)
