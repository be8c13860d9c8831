"""Waiting for a condition: the one place of the tests that pauses and looks at a clock."""

from __future__ import annotations

import time

PATIENCE = 600
"""Seconds until a wait fails. Generous, for a machine several times slower: only a test that fails waits that long."""
LONGEST_PAUSE = 0.1
"""Seconds between two looks; the first ones follow each other faster."""


def wait_until(what, look, accept=bool):
    """Call `look` until `accept` takes the value it returns, and return that value."""
    deadline = time.monotonic() + PATIENCE
    pause = 0.001
    while not accept(seen := look()):
        assert time.monotonic() < deadline, f"waited {PATIENCE} s for {what}; last seen: {seen!r:.2000}"
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
    return seen


def at_least(count):
    return lambda seen: seen >= count


def wait_while_running(client, what, look, accept=bool):
    """Wait for something that a job does; if the job ends before, raise its failure at once."""
    result = client.get_job_execution_result()

    def seen():
        over = result.done()
        value = look()
        if over and not accept(value):
            result.result()
            raise AssertionError(f"the job ended before {what}; last seen: {value!r:.2000}")
        return value

    return wait_until(what, seen, accept)


def wait_for_checkpoints(client, count):
    statistics = client.master.checkpoints.statistics
    wait_while_running(client, f"{count} completed checkpoints", lambda: statistics.completed, at_least(count))


def wait_for_epoch(client, epoch):
    wait_while_running(client, f"epoch {epoch}", lambda: client.master._version.epoch, at_least(epoch))
