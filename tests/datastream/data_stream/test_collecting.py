from __future__ import annotations

import threading

import pytest
from tests.waiting import PATIENCE

from flott.common import CompletableFuture, JobExecutionResult, JobID
from flott.datastream.data_stream import collecting
from flott.datastream.data_stream.collecting import CloseableIterator, ResultBuffer
from flott.errors import FlottError, JobCanceledError, JobExecutionError


class Client:
    def __init__(self):
        self.result = CompletableFuture()
        self.cancelled = 0

    def get_job_id(self):
        return "job-1"

    def get_job_execution_result(self):
        return self.result

    def cancel(self):
        self.cancelled += 1
        self.result.complete_exceptionally(JobCanceledError("cancelled"))
        return CompletableFuture.completed_future(None)

    def finish(self):
        self.result.complete(JobExecutionResult(JobID(), 1))


@pytest.fixture
def client():
    return Client()


def test_records_come_in_order_then_the_end(client):
    buffer = ResultBuffer()
    results = CloseableIterator(buffer, client)
    buffer.receive(0, 2, [1, 2])
    buffer.receive(1, 2, [3])
    client.finish()
    assert list(results) == [1, 2, 3]
    assert list(results) == []
    assert client.cancelled == 0


def test_the_reader_waits_for_the_job(client):
    buffer = ResultBuffer()
    results = CloseableIterator(buffer, client)

    def job():
        buffer.receive(0, 1, ["late"])
        client.finish()

    thread = threading.Thread(target=job)
    thread.start()
    assert list(results) == ["late"]
    thread.join()


def test_a_failure_comes_after_the_records_before_it(client):
    buffer = ResultBuffer()
    results = CloseableIterator(buffer, client)
    buffer.receive(0, 1, [1])
    client.result.complete_exceptionally(FlottError("it broke"))
    assert next(results) == 1
    with pytest.raises(JobExecutionError, match="it broke"):
        next(results)


def test_leaving_early_cancels_the_job(client):
    buffer = ResultBuffer()
    with CloseableIterator(buffer, client) as results:
        buffer.receive(0, 1, [1, 2])
        assert results.next() == 1
        assert results.get_job_client() is client
    assert client.cancelled == 1
    assert list(results) == []
    results.close()
    assert client.cancelled == 1


def test_closing_after_the_end_cancels_nothing(client):
    with CloseableIterator(ResultBuffer(), client) as results:
        client.finish()
        assert list(results) == []
    assert client.cancelled == 0


class WatchedCondition(threading.Condition):
    """Counts how often somebody had to wait."""

    def __init__(self):
        super().__init__()
        self.waits = threading.Semaphore(0)

    def wait(self, timeout=None):
        self.waits.release()
        return super().wait(timeout)


def test_a_fast_job_waits_for_a_slow_reader(client, monkeypatch):
    monkeypatch.setattr(collecting, "ENOUGH", 2)
    buffer = ResultBuffer()
    buffer._changed = WatchedCondition()
    results = CloseableIterator(buffer, client)
    received = []

    def job():
        for start in range(0, 6, 2):
            buffer.receive(0, 1, [start, start + 1])
            received.append(start)
        client.finish()

    thread = threading.Thread(target=job)
    thread.start()
    assert buffer._changed.waits.acquire(timeout=PATIENCE)
    assert received == [0]
    assert next(results) == 0
    assert buffer._changed.waits.acquire(timeout=PATIENCE)
    assert received == [0, 2]
    assert list(results) == [1, 2, 3, 4, 5]
    thread.join()
    assert received == [0, 2, 4]


def test_a_job_in_the_readers_own_thread_never_waits(client, monkeypatch):
    monkeypatch.setattr(collecting, "ENOUGH", 2)
    buffer = ResultBuffer()
    for _ in range(3):
        buffer.receive(0, 1, [1, 2])
    client.finish()
    assert len(list(CloseableIterator(buffer, client))) == 6


def test_closing_lets_a_waiting_job_go_on(client, monkeypatch):
    monkeypatch.setattr(collecting, "ENOUGH", 1)
    buffer = ResultBuffer()
    buffer._changed = WatchedCondition()
    results = CloseableIterator(buffer, client)
    buffer.receive(0, 1, [1])
    thread = threading.Thread(target=buffer.receive, args=(0, 1, [2]))
    thread.start()
    assert buffer._changed.waits.acquire(timeout=PATIENCE)
    results.close()
    thread.join(PATIENCE)
    assert not thread.is_alive()
