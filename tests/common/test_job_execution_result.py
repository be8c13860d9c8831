from __future__ import annotations

from flott.common import JobExecutionResult, JobID


def test_a_result():
    job = JobID()
    result = JobExecutionResult(job, 1234, {"words": 7})
    assert result.get_job_id() == job
    assert result.get_net_runtime() == 1234
    assert result.get_accumulator_result("words") == 7
    assert result.get_accumulator_result("lines") is None
    assert result.get_all_accumulator_results() == {"words": 7}
    assert str(result) == f"Job {job} finished after 1234 ms\n- words: 7"


def test_the_accumulators_handed_out_are_a_copy():
    result = JobExecutionResult(JobID(), 0)
    result.get_all_accumulator_results()["words"] = 1
    assert result.get_all_accumulator_results() == {}
