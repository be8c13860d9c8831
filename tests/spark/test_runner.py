"""What a driver on Spark removes at its end; no Spark is started here."""

from __future__ import annotations

from pathlib import Path

from tests.object_stores import objects_in_memory  # noqa: F401 - fixture

from flott.common import Configuration
from flott.coordination.find_job import find_job
from flott.coordination.job_end import give_back
from flott.coordination.job_note import RUNNING, JobNote
from flott.coordination.job_record import JobRecord
from flott.coordination.liveness import Lease
from flott.datastream import StreamExecutionEnvironment
from flott.graph.epoch_plan import build_epoch_plan
from flott.graph.stream_graph import generate_stream_graph
from flott.runtime.state.store import StateStore
from flott.spark.runner import SparkRunner
from flott.spark.submit import places

JOB = "5" * 32


def runner_of(record, configuration):
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.from_collection([1]).print()
    storage, stores = places(configuration, JOB, "local[2]", record.root)
    plan = build_epoch_plan(generate_stream_graph(env.program("orders")))
    return SparkRunner(None, plan, JOB, storage, stores, configuration), Path(stores)


def test_a_driver_that_was_replaced_leaves_the_stores_to_its_successor(objects_in_memory, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setattr(JobRecord, "_start_renewing", lambda _: None)
    configuration = Configuration()
    configuration.set_string("flott.state.dir", str(tmp_path / "state"))
    configuration.set_string("flott.log.prints", "false")
    directory, at = f"{objects_in_memory}/checkpoints", 1_000.0
    paused = JobRecord(f"{directory}/{JOB}", JOB, JobNote("orders", RUNNING, checkpoints=()), Lease(now=lambda: at))
    paused.create()
    old, stores = runner_of(paused, configuration)

    successor = find_job(directory, "orders", None, Lease(now=lambda: at + 61), durable=True)
    new, shared = runner_of(successor, configuration)
    assert shared == stores  # both run on this machine
    store = StateStore(stores / "count" / "0")

    give_back(paused, old)
    assert paused.fenced is not None
    assert (store.path / "data.mdb").exists()
    successor.check()
    store.close()
    new.close()
    assert list((tmp_path / "state").iterdir()) == []
