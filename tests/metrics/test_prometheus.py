"""The text is what Prometheus' own parser reads."""

from __future__ import annotations

import math

import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.metrics.measured_job import Epoch, epoch_of, measured, metrics_of, plan_of, report

from flott.metrics.prometheus import render


@pytest.fixture(scope="module")
def families():
    plan = plan_of()
    metrics, _ = metrics_of(plan, job_values=lambda: {"numRestarts": 1, "path": "n/a"}, latency_interval=1)
    metrics.observe(epoch_of(plan))
    metrics.observe(Epoch(2, [report(plan, 1, 0, metrics=measured(plan))]))
    text = render([metrics])
    assert text.endswith("\n")
    return {family.name: family for family in text_string_to_metric_families(text)}


def test_each_family_comes_once_and_each_series_too(families):
    series = [(one.name, tuple(sorted(one.labels.items()))) for f in families.values() for one in f.samples]
    assert len(series) == len(set(series)) > 50
    assert {family.type for family in families.values()} == {"gauge", "summary"}


def test_names_and_labels_are_those_of_flinks_reporter(families):
    (restarts,) = families["flink_jobmanager_job_numRestarts"].samples
    assert (restarts.labels["job_name"], restarts.value) == ('a "job"\n\\', 1)
    busy = families["flink_taskmanager_job_task_busyTimeMsPerSecond"].samples
    assert {one.labels["subtask_index"] for one in busy} == {"0", "1"}
    (seen,) = families["flink_taskmanager_job_task_operator_seen"].samples
    assert (seen.labels["operator_name"], seen.value) == ("Map", 3)


def test_variables_are_labels(families):
    (one,) = families["flink_taskmanager_job_task_operator_city_2nd_order"].samples
    assert (one.labels["city"], one.value) == ('R"om\\e\n', 1)


def test_histograms_are_summaries(families):
    samples = families["flink_taskmanager_job_task_operator_length"].samples
    quantiles = {one.labels["quantile"]: one.value for one in samples if "quantile" in one.labels}
    assert quantiles["0.5"] == 50.5
    assert [one.value for one in samples if one.name.endswith("_count")] == [100]
    latency = families["flink_jobmanager_job_latency_source_id_operator_id_operator_subtask_index_latency"]
    assert latency.type == "summary"


def test_what_is_no_number_is_left_out(families):
    assert "flink_jobmanager_job_path" not in families
    assert "flink_taskmanager_job_task_operator_word" not in families


def test_numbers_of_numpy_and_those_that_are_none():
    plan = plan_of()
    values = {"one": np.int64(3), "two": np.float32(0.5), "three": math.inf, "four": math.nan}
    metrics, _ = metrics_of(plan, job_values=lambda: values)
    found = {one.name: one.samples[0].value for one in text_string_to_metric_families(render([metrics]))}
    told = [found[f"flink_jobmanager_job_{name}"] for name in values]
    assert told[:3] == [3, 0.5, math.inf]
    assert math.isnan(told[3])


def test_a_name_of_two_kinds_is_reported_once():
    plan = plan_of()
    metrics, _ = metrics_of(plan)
    group = measured(plan)
    (told,) = group.values()
    clash = [type(one)(one.name, "counter", 1, "length") for one in told if one.name == "seen"]
    metrics.observe(Epoch(1, [report(plan, 1, 0, metrics={plan.vertices[1].id: [*told, *clash]})]))
    names = [family.name for family in text_string_to_metric_families(render([metrics, metrics]))]
    assert len(names) == len(set(names))
