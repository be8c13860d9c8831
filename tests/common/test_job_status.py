from __future__ import annotations

from flott.common import JobStatus


def test_terminal_states_are_flinks():
    assert {status.name for status in JobStatus if status.is_globally_terminal_state()} == {
        "FAILED",
        "CANCELED",
        "FINISHED",
    }
    assert {status.name for status in JobStatus if status.is_terminal_state()} == {
        "FAILED",
        "CANCELED",
        "FINISHED",
        "SUSPENDED",
    }


def test_pyflinks_numbers():
    names = "CREATED RUNNING FAILING FAILED CANCELLING CANCELED FINISHED RESTARTING SUSPENDED RECONCILING"
    assert [JobStatus(number).name for number in range(10)] == names.split()
