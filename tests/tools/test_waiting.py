from __future__ import annotations

import pytest
from tests import waiting
from tests.waiting import at_least, wait_for_checkpoints, wait_until

from flott.common import CompletableFuture
from flott.errors import JobCanceledError


class Statistics:
    def __init__(self, *seen):
        self.seen = list(seen)

    @property
    def completed(self):
        return self.seen.pop(0) if len(self.seen) > 1 else self.seen[0]


class Client:
    """A job with statistics; it is its own master."""

    def __init__(self, *completed):
        self.result = CompletableFuture()
        self.master = self.checkpoints = self
        self.statistics = Statistics(*completed)

    def get_job_execution_result(self):
        return self.result


def test_it_looks_until_it_sees_what_is_wanted_and_returns_it():
    looks = iter([1, 2, 3, 4])
    assert wait_until("three", lambda: next(looks), at_least(3)) == 3
    assert next(looks) == 4


def test_a_failure_says_what_it_waited_for_and_what_it_saw_last(monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE", 0)
    with pytest.raises(AssertionError, match=r"waited 0 s for two executors; last seen: \['one'\]"):
        wait_until("two executors", lambda: ["one"], lambda found: len(found) == 2)


def test_a_job_that_completes_enough_checkpoints():
    wait_for_checkpoints(Client(0, 1, 2, 3), 3)


def test_a_job_that_ends_early_is_not_waited_for():
    client = Client(1)
    client.result.complete("done")
    with pytest.raises(AssertionError, match="the job ended before 3 completed checkpoints; last seen: 1"):
        wait_for_checkpoints(client, 3)


def test_the_failure_of_a_job_is_raised_at_once():
    client = Client(1)
    client.result.complete_exceptionally(JobCanceledError("cancelled"))
    with pytest.raises(JobCanceledError, match="cancelled"):
        wait_for_checkpoints(client, 3)
