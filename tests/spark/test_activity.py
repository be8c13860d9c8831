"""What Spark's workers do in the middle of a long epoch is known in the driver."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.waiting import PATIENCE, wait_while_running

from flott.rest.attach import served_jobs
from flott.rest.views.condition import condition

pytestmark = pytest.mark.spark


def test_a_subtask_that_takes_long_shows_the_line_it_is_in(make_env, tmp_path):
    go_on = str(tmp_path / "go-on")
    os.mkfifo(go_on)

    def slow_lookup(value):
        if value == 70:
            Path(go_on).read_text()  # a named pipe: waits until the test writes to it
        return value

    env = make_env(rest_port="0", flott_registry_dir=str(tmp_path / "registry"))
    env.from_sequence(1, 100).key_by(lambda n: n % 2).map(slow_lookup).name("lookup").filter(lambda _: False).print()
    client = env.execute_async("slow")
    [job] = [one for one in served_jobs() if one.master is client.master]
    said = wait_while_running(
        client, "what the subtask does", lambda: condition(job).text, lambda text: "slow_" in text
    )
    Path(go_on).write_text("go on")
    client.get_job_execution_result().result(PATIENCE)
    assert "Epoch 1 has been running for " in said
    assert "'lookup' (" in said
    assert f"is at work in slow_lookup ({Path(__file__).name}:" in said
