"""The REST API of a running job: every answer has the shape that its OpenAPI document says."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path

import jsonschema
import pytest
from tests.rest.conftest import running_job
from tests.waiting import PATIENCE, wait_until, wait_while_running

from flott.common import JobStatus
from flott.rest.registry import registered_jobs
from flott.rest.routes import ROUTES

pytestmark = pytest.mark.job

DOCS = Path(__file__).parents[2] / "docs" / "rest.md"


def wait_for(client, condition):
    met = threading.Event()
    client.master.listeners.append(lambda stats: condition(stats) and met.set())
    wait_while_running(client, "what the statistics of an epoch say", met.is_set)


def test_every_answer_has_its_shape(job):
    client, api, _ = job
    statistics = client.master.checkpoints.statistics
    wait_for(client, lambda stats: stats.epoch >= 3 and statistics.completed >= 2)
    jid = str(client.get_job_id())
    document = api.get("/openapi.json")
    trigger = json.loads(api.ask("POST", f"/jobs/{jid}/savepoints", {})[2])["request-id"]
    client.trigger_savepoint().result(PATIENCE)
    names = {
        "jid": jid,
        "vid": api.get(f"/jobs/{jid}")["vertices"][1]["id"],
        "number": str(statistics.latest_completed.checkpoint_id),
        "trigger": trigger,
    }
    asked = 0
    for path, operations in document["paths"].items():
        if "get" not in operations:
            continue
        [content_type, content] = next(iter(operations["get"]["responses"]["200"]["content"].items()))
        status, headers, answer = api.ask("GET", path.format_map(names))
        assert (status, headers["Content-Type"].partition(";")[0]) == (200, content_type), path
        assert headers["Cache-Control"] == "no-store"
        if content_type == "application/json":
            schema = {**content["schema"], "components": document["components"]}
            jsonschema.validate(json.loads(answer), schema)
            asked += 1
    assert asked >= 20


def test_the_numbers_are_those_of_the_job(job):
    client, api, _ = job
    wait_for(client, lambda stats: stats.epoch >= 3)
    jid = str(client.get_job_id())
    details = api.get(f"/jobs/{jid}")
    assert (details["name"], details["state"]) == ("numbers", "RUNNING")
    source, totals = details["vertices"]
    assert (source["name"], totals["parallelism"]) == ("Source: numbers", 2)
    assert details["plan"]["nodes"][1]["inputs"] == [
        {"num": 0, "id": source["id"], "ship_strategy": "HASH", "exchange": "pipelined_bounded"}
    ]
    assert details["plan"]["nodes"][1]["flott"]["operators"][0]["uid"] == "totals"
    assert totals["metrics"]["read-records"] > 0
    assert sum(totals["flott"][name] for name in ("busy-ratio", "backpressured-ratio", "idle-ratio")) == pytest.approx(
        1
    )
    vertex = api.get(f"/jobs/{jid}/vertices/{totals['id']}")
    assert [one["status"] for one in vertex["subtasks"]] == ["RUNNING", "RUNNING"]
    epochs = api.get(f"/jobs/{jid}/epochs?limit=2")
    assert [one["epoch"] for one in epochs["epochs"]] == [
        epochs["epochs"][0]["epoch"],
        epochs["epochs"][0]["epoch"] - 1,
    ]
    newest = epochs["epochs"][0]
    assert newest["duration"] == pytest.approx(sum(newest["phases"].values()))
    configuration = {one["key"]: one["value"] for one in api.get(f"/jobs/{jid}/config")["configuration"]}
    assert configuration["execution.checkpointing.interval"] == "50 ms"


def test_the_docs_name_every_path():
    text = DOCS.read_text(encoding="utf-8")
    told = {re.sub(r"\{[^}]*\}", "{}", path) for path in re.findall(r"`(?:GET|POST|PATCH) ([^`?]+)[^`]*`", text)}
    assert {re.sub(r"\{[^}]*\}", "{}", route.path) for route in ROUTES} <= told


def test_stop_with_a_savepoint_through_the_api(tmp_path):
    with running_job(tmp_path) as (client, api, _):
        jid = str(client.get_job_id())
        body = {"targetDirectory": str(tmp_path / "elsewhere"), "drain": True}
        status, _, answer = api.ask("POST", f"/jobs/{jid}/stop", body)
        assert status == 202
        client.get_job_execution_result().result(PATIENCE)
        [over] = registered_jobs(tmp_path / "registry")
        assert over.status == "FINISHED"
        assert over.savepoint.startswith(str(tmp_path / "elsewhere" / "savepoint-"))
        assert Path(over.savepoint, "_metadata").exists()
        # The server stays a moment, so that whoever asked hears of it.
        path = f"/jobs/{jid}/savepoints/{json.loads(answer)['request-id']}"
        told = wait_until("the savepoint", lambda: api.get(path), lambda told: told["status"]["id"] != "IN_PROGRESS")
        assert told == {"status": {"id": "COMPLETED"}, "operation": {"location": over.savepoint}}
        status, _, answer = api.ask("PATCH", f"/jobs/{jid}")
        assert (status, "FINISHED already" in answer.decode()) == (409, True)


def test_cancel_through_the_api(tmp_path):
    with running_job(tmp_path) as (client, api, _):
        jid = str(client.get_job_id())
        assert api.ask("PATCH", f"/jobs/{jid}?mode=stop")[0] == 400
        assert api.ask("PATCH", f"/jobs/{jid}?mode=cancel")[0] == 202
        with pytest.raises(Exception, match="was cancelled"):
            client.get_job_execution_result().result(PATIENCE)
        assert client.master.status is JobStatus.CANCELED
        assert registered_jobs(tmp_path / "registry")[0].status == "CANCELED"


def test_metrics_over_all_subtasks_of_a_vertex(job):
    client, api, _ = job
    wait_for(client, lambda stats: stats.epoch >= 3)
    vertex = f"/jobs/{client.get_job_id()}/vertices/{client.master.plan.vertices[1].id}"
    [read] = api.get(f"{vertex}/subtasks/metrics?get=numRecordsIn,unknown")
    assert read["id"] == "numRecordsIn"
    assert 0 < read["min"] <= read["avg"] <= read["max"] < read["sum"]
    assert list(api.get(f"{vertex}/subtasks/metrics?get=numRecordsIn&agg=sum")[0]) == ["id", "sum"]
    assert {"id": "busyTimeMsPerSecond"} in api.get(f"{vertex}/subtasks/metrics")
    status, _, content = api.ask("GET", f"{vertex}/subtasks/metrics?agg=median")
    assert (status, b"there are min, max, avg, sum" in content) == (400, True)
