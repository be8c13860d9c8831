from __future__ import annotations

import pytest

from flott.common import CompletableFuture, JobClient, JobExecutionResult, JobID, JobStatus


class Finished(JobClient):
    def __init__(self):
        self.job_id = JobID()

    def get_job_id(self):
        return self.job_id

    def get_job_status(self):
        return CompletableFuture.completed_future(JobStatus.FINISHED)

    def cancel(self):
        return CompletableFuture.completed_future(None)

    def stop_with_savepoint(self, advance_to_end_of_event_time, savepoint_directory=None):
        return CompletableFuture.completed_future(f"{savepoint_directory}/sp-1")

    def trigger_savepoint(self, savepoint_directory=None):
        return CompletableFuture.completed_future(f"{savepoint_directory}/sp-1")

    def get_accumulators(self):
        return CompletableFuture.completed_future({})

    def get_job_execution_result(self):
        return CompletableFuture.completed_future(JobExecutionResult(self.job_id, 5))


def test_a_client_must_answer_everything():
    with pytest.raises(TypeError, match="abstract"):
        JobClient()


def test_a_client_answers_with_futures():
    client = Finished()
    assert client.get_job_status().result().is_globally_terminal_state()
    assert client.get_job_execution_result().result().get_job_id() == client.get_job_id()
    assert client.stop_with_savepoint(False, "d").result() == "d/sp-1"
