"""Metrics are told while the job runs, and once more at its end."""

from __future__ import annotations

import logging
import threading

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.metrics.measured_job import Epoch, measured, metrics_of, plan_of, report
from tests.waiting import PATIENCE

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment
from flott.errors import ConfigurationError
from flott.metrics.reporters import Reporter, lines_of, reporters_of
from flott.testing.cluster import submit


def configured(**settings):
    configuration = Configuration()
    for key, value in settings.items():
        configuration.set_string(key.replace("_", "."), str(value))
    return configuration


def test_one_line_for_the_job_each_subtask_and_each_operator():
    plan = plan_of("orders")
    metrics, _ = metrics_of(plan, job_values=lambda: {"numRestarts": 0, "uptime": 5})
    metrics.observe(Epoch(1, [report(plan, 1, 0, metrics=measured(plan))]))
    lines = list(lines_of(metrics))
    assert lines[0] == "job 'orders': numRestarts=0 uptime=5"
    assert lines[1].startswith("job 'orders' vertex 'Map -> Sink: Print to Std. Out' subtask 0: numRecordsIn=10 ")
    assert "operator 'Map': numRecordsIn=10 numRecordsOut=10 seen=3 " in lines[2]
    assert "length_p95=95." in lines[2]


def test_a_reporter_that_fails_goes_on(caplog):
    enough = threading.Semaphore(0)

    def tell(_):
        enough.release()
        raise OSError("disk full")

    reporter = Reporter(None, tell, 0.001)
    with caplog.at_level(logging.WARNING, logger="flott"):
        reporter.start()
        assert enough.acquire(timeout=PATIENCE)
        assert enough.acquire(timeout=PATIENCE)
        reporter.stop()
    assert "metrics could not be reported: disk full" in caplog.messages


def test_wrong_settings_are_named():
    with pytest.raises(ConfigurationError, match="names 'jmx'; there are log and file"):
        reporters_of(configured(metrics_reporters="log;jmx"), None)
    with pytest.raises(ConfigurationError, match=r"set metrics\.reporter\.file\.path"):
        reporters_of(configured(metrics_reporters="file"), None)


@pytest.mark.job
def test_a_job_tells_its_last_values_to_the_log_and_a_file(tmp_path, caplog):
    path = tmp_path / "new" / "flott.prom"
    configuration = configured(metrics_reporters="log;file", metrics_reporter_file_path=path)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.from_sequence(1, 1_000).print()
    with caplog.at_level(logging.INFO, logger="flott.metrics.report"):
        submit(env.program("told"), configuration).get_job_execution_result().result(PATIENCE)
    families = {family.name: family for family in text_string_to_metric_families(path.read_text())}
    read = families["flink_taskmanager_job_task_numRecordsIn"].samples
    assert sum(one.value for one in read) == 1_000
    assert any(line.startswith("job 'told': numRestarts=0") for line in caplog.messages)
    assert [one.name for one in path.parent.iterdir()] == ["flott.prom"]
