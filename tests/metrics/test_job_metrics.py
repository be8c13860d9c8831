"""What the driver makes of reports."""

from __future__ import annotations

import pytest
from tests.metrics.measured_job import Epoch, epoch_of, measured, metrics_of, plan_of, report

from flott.metrics.flink_json import aggregated_json, metrics_json
from flott.metrics.recent import of_vertex, shares, skew_of
from flott.runtime.batch import MIN_TIMESTAMP


def values(metrics, vertex, *names):
    found = metrics_json(metrics, vertex, names)
    return [one["value"] for one in found]


def test_counts_add_up_and_begin_again_when_the_job_goes_back():
    plan = plan_of()
    metrics, _ = metrics_of(plan)
    keyed = plan.vertices[1].id
    for number in (1, 2):
        metrics.observe(epoch_of(plan, number))
    assert values(metrics, keyed, "0.numRecordsIn", "1.numBytesOut") == ["20", "400"]
    metrics.observe(epoch_of(plan, 2))
    assert values(metrics, keyed, "0.numRecordsIn") == ["10"]


def test_operators_of_a_chain_have_counts_of_their_own():
    plan = plan_of()
    metrics, _ = metrics_of(plan)
    metrics.observe(epoch_of(plan))
    source = plan.vertices[0]
    names = [name["id"] for name in metrics_json(metrics, source.id)]
    assert "0.up__down.numRecordsIn" in names
    assert values(metrics, source.id, "0.up__down.numRecordsIn", "0.up__down.numRecordsOut") == ["10", "20"]


def test_rates_and_shares_are_over_the_last_ten_seconds():
    plan = plan_of()
    metrics, now = metrics_of(plan)
    for number in range(1, 41):
        now.now += 1.0
        metrics.observe(epoch_of(plan, number))
    keyed = plan.vertices[1].id
    rate, busy, idle = values(
        metrics, keyed, "0.numRecordsInPerSecond", "0.busyTimeMsPerSecond", "0.idleTimeMsPerSecond"
    )
    assert float(rate) == pytest.approx(10, rel=0.1)
    assert float(busy) == pytest.approx(100, rel=0.1)
    assert float(busy) + float(idle) == pytest.approx(1000)
    now.now += 11
    assert values(metrics, keyed, "0.numRecordsInPerSecond", "0.busyTimeMsPerSecond") == ["0.0", "0.0"]


def test_with_a_backlog_what_comes_before_slow_work_is_back_pressured():
    plan = plan_of()
    metrics, now = metrics_of(plan)
    now.now += 1.0
    reports = [report(plan, 0, s, total=0.2) for s in (0, 1)] + [
        report(plan, 1, s, total=0.8 - s * 0.4) for s in (0, 1)
    ]
    metrics.observe(Epoch(1, reports, 1.0, backlog=True))
    done, span = metrics.recent.work()
    first, second = (shares(of_vertex(done, vertex), span, vertex.parallelism) for vertex in plan.vertices)
    assert (first.busy, first.back_pressured) == pytest.approx((0.2, 0.8))
    assert (second.busy, second.back_pressured, second.idle) == pytest.approx((0.6, 0.0, 0.4))


def test_an_epoch_longer_than_the_span_counts_alone():
    plan = plan_of()
    metrics, now = metrics_of(plan)
    now.now += 30
    metrics.observe(epoch_of(plan, seconds=30.0))
    now.now += 20
    assert float(values(metrics, plan.vertices[1].id, "0.numRecordsInPerSecond")[0]) == pytest.approx(10 / 30)


def test_skew_is_the_busiest_over_the_average():
    plan = plan_of()
    metrics, _ = metrics_of(plan)
    metrics.observe(Epoch(1, [report(plan, 0, 0, records=300), report(plan, 0, 1, records=100)]))
    done, _ = metrics.recent.work()
    assert skew_of(done, plan.vertices[0]) == 1.5
    assert skew_of(done, plan.vertices[1]) == 1.0


def test_watermarks_and_their_lag():
    plan = plan_of()
    metrics, _ = metrics_of(plan)
    metrics.observe(Epoch(1, [report(plan, 1, 0), report(plan, 1, 1, input_watermark=1_000_000, watermark=999_000)]))
    keyed = plan.vertices[1].id
    assert values(metrics, keyed, "0.currentInputWatermark", "0.watermarkLag") == [str(MIN_TIMESTAMP)]
    names = ("1.currentInputWatermark", "1.currentOutputWatermark", "1.watermarkLag")
    assert values(metrics, keyed, *names) == ["1000000", "999000", "250"]


def test_user_metrics_of_every_kind():
    plan = plan_of()
    metrics, now = metrics_of(plan)
    metrics.observe(Epoch(1, [report(plan, 1, 0, metrics=measured(plan))]))
    told = dict(zip(NAMES, values(metrics, plan.vertices[1].id, *NAMES), strict=True))
    assert told == dict(zip(NAMES, ["3", "1.5", "calm", "0.0", "1", "5.0", "50.5", "75.75", "100"], strict=True))
    again = measured(plan)
    now.now += 2
    metrics.observe(Epoch(2, [report(plan, 1, 0, metrics={k: [bumped(m) for m in v] for k, v in again.items()})]))
    assert values(metrics, plan.vertices[1].id, "0.Map.rate") == ["2.0"]


NAMES = [f"0.Map.{name}" for name in (
    "seen", "level", "word", "rate", "size_count", "size_mean", "length_median", "length_p75", "length_max",
)]  # fmt: skip


def bumped(one):
    """Let a meter stand four further."""
    return type(one)(one.name, one.kind, (8, 10), one.plain_name) if one.kind == "meter" else one


def test_over_all_subtasks():
    plan = plan_of()
    metrics, _ = metrics_of(plan)
    metrics.observe(Epoch(1, [report(plan, 1, 0, records=10), report(plan, 1, 1, records=30)]))
    keyed = plan.vertices[1].id
    assert aggregated_json(metrics, keyed, ["numRecordsIn", "unknown"]) == [
        {"id": "numRecordsIn", "min": 10.0, "max": 30.0, "avg": 20.0, "sum": 40.0}
    ]
    assert aggregated_json(metrics, keyed, ["numRecordsIn"], ["max"]) == [{"id": "numRecordsIn", "max": 30}]
    assert {"id": "busyTimeMsPerSecond"} in aggregated_json(metrics, keyed)


def test_the_jobs_own_values():
    metrics, _ = metrics_of(plan_of(), job_values=lambda: {"numRestarts": 2, "lastCheckpointExternalPath": "n/a"})
    assert metrics_json(metrics) == [{"id": "numRestarts"}, {"id": "lastCheckpointExternalPath"}]
    assert metrics_json(metrics, None, ["numRestarts"]) == [{"id": "numRestarts", "value": "2"}]


def test_latency_is_from_the_plan_of_an_epoch_to_the_end_of_a_chain():
    plan = plan_of()
    metrics, _ = metrics_of(plan, latency_interval=500)
    metrics.observe(epoch_of(plan, 1))
    metrics.observe(epoch_of(plan, 2, started=1_000_100))  # too soon for another
    sink = plan.vertices[1].chain[-1].operator_id
    name = f"latency.source_id.{plan.vertices[0].id}.operator_id.{sink}.operator_subtask_index.1.latency"
    assert metrics_json(metrics, None, [f"{name}_mean", f"{name}_p99"]) == [
        {"id": f"{name}_mean", "value": "250.0"},
        {"id": f"{name}_p99", "value": "250"},
    ]
    assert not metrics_json(metrics_of(plan)[0])
