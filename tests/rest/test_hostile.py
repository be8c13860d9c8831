"""Whatever anybody sends: no server error, and no change by somebody who may not make one."""

from __future__ import annotations

import json
import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.rest.conftest import running_job

from flott.common import JobStatus
from flott.rest.openapi import document

pytestmark = pytest.mark.job

TOKEN = "the-token-of-the-server"
DOCUMENT = document()
OPERATIONS = [
    (method.upper(), path, operation)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
]
QUICK = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

text_in_path = st.text(string.ascii_letters + string.digits + "%._~-/", min_size=1, max_size=40)
header_text = st.text(string.printable[:-5], max_size=40).map(str.strip)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    with running_job(tmp_path_factory.mktemp("guarded"), **{"rest.token": TOKEN}) as running:
        yield running


@st.composite
def requests(draw, jid, vid):
    """A request of one of the operations, right or wrong in every part."""
    method, path, operation = draw(st.sampled_from(OPERATIONS))
    known = {"jid": jid, "vid": vid, "number": "1", "trigger": "0" * 32}
    names = {name: draw(st.just(right) | text_in_path) for name, right in known.items()}
    query = {one["name"]: draw(text_in_path) for one in operation["parameters"] if one["in"] == "query"}
    asked = "&".join(f"{name}={value}" for name, value in query.items() if draw(st.booleans()))
    schema = operation.get("requestBody")
    keys = ["x"] if schema is None else ["target-directory", "targetDirectory", "drain", "cancel-job", "triggerId"]
    body = draw(st.none() | json_values | st.dictionaries(st.sampled_from(keys), json_values))
    raw = draw(st.none() | st.binary(max_size=50))
    content = raw if raw is not None else None if body is None else json.dumps(body, allow_nan=True).encode()
    return method, path.format_map(names) + (f"?{asked}" if asked else ""), content


def vertex_of(client):
    return client.master.plan.vertices[0].id


def unchanged(client):
    statistics = client.master.checkpoints.statistics
    return client.master.status is JobStatus.RUNNING and statistics.latest_savepoint is None


@QUICK
@given(data=st.data())
def test_without_a_token_nobody_reads_or_changes_anything(guarded, data):
    client, api, _ = guarded
    method, path, body = data.draw(requests(str(client.get_job_id()), vertex_of(client)))
    headers = data.draw(
        st.dictionaries(st.sampled_from(["Authorization", "Cookie", "Content-Type", "Origin"]), header_text)
    )
    status, _, answer = api.ask(method, path, body, headers)
    assert status < 500, answer
    assert status in {400, 401, 403, 404, 405}, (status, answer)
    assert unchanged(client)


@QUICK
@given(data=st.data())
def test_an_entitled_client_gets_no_server_error_either(job, data):
    client, api, _ = job
    right = requests(str(client.get_job_id()), vertex_of(client))
    method, path, body = data.draw(
        right.filter(lambda one: one[0] == "GET" or not one[1].startswith("/jobs/" + "0" * 31))
    )
    if method != "GET":
        # A change that is right would end the job that the other examples need.
        path = path.replace(str(client.get_job_id()), "0" * 32)
    status, _, answer = api.ask(method, path, body)
    assert status < 500, answer


@QUICK
@given(method=st.text(string.ascii_uppercase, min_size=1, max_size=8), path=text_in_path)
def test_unknown_methods_and_paths_are_refused(job, method, path):
    _, api, _ = job
    status, _, _ = api.ask(method, f"/{path}")
    assert status in {200, 400, 404, 405, 501}


@pytest.mark.parametrize("host", ["evil.example.org", "localhost.evil.example.org:8081", "", "10.0.0.7"])
@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/jobs"), ("GET", "/"), ("PATCH", "/jobs/{jid}"), ("GET", "/openapi.json")]
)
def test_a_hostile_host_is_refused(job, host, method, path):
    client, api, _ = job
    status, _, _ = api.ask(method, path.format(jid=client.get_job_id()), host=host)
    assert status == 403
    assert client.master.status is JobStatus.RUNNING


@pytest.mark.parametrize("origin", ["http://evil.example.org", "https://localhost", "null"])
def test_a_hostile_origin_is_refused(job, origin):
    client, api, _ = job
    path = f"/jobs/{client.get_job_id()}"
    for method in ("GET", "POST", "PATCH", "OPTIONS"):
        status, headers, _ = api.ask(method, path, headers={**api.entitled, "Origin": origin})
        assert status == 403
        assert not any(name.lower().startswith("access-control") for name in headers)
    assert client.master.status is JobStatus.RUNNING
    assert api.ask("GET", path, headers={**api.entitled, "Origin": api.url})[0] == 200


def test_large_and_broken_bodies_are_refused(job):
    client, api, _ = job
    path = f"/jobs/{client.get_job_id()}/savepoints"
    for body, status in ((b"x" * 70_000, 413), (b"{", 400), (b"[1]", 400), (b"[" * 60_000, 400)):
        assert api.ask("POST", path, body)[0] == status
    assert api.ask("POST", path, b"", {**api.entitled, "Transfer-Encoding": "chunked"})[0] in {400, 411}


def test_the_page_is_served_and_nothing_beside_it(job):
    _, api, _ = job
    status, headers, page = api.ask("GET", "/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert b"<html" in page
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    for path in ("/../assets.py", "/..%2fassets.py", "/static/index.html", "//etc/passwd"):
        assert api.ask("GET", path)[0] == 404
