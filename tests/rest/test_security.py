from __future__ import annotations

from http import HTTPStatus
from types import SimpleNamespace

import pytest

from flott.common import Configuration
from flott.errors import ConfigurationError
from flott.rest.http import RefusedError
from flott.rest.jobs import Jobs
from flott.rest.security import check_entitled, check_origin
from flott.rest.settings import RestSettings

HERE = RestSettings()
SECRET = "a-token-of-some-length"
EVERYWHERE = RestSettings(bind_address="0.0.0.0", address="driver.example.org", token=SECRET)  # noqa: S104


@pytest.mark.parametrize("host", ["localhost:8081", "127.0.0.1:8081", "[::1]:8081", "127.0.0.1", "LOCALHOST:1"])
def test_a_loopback_server_is_reached_by_the_names_of_this_machine(host):
    check_origin({"host": host}, HERE)
    check_origin({"host": host, "origin": f"http://{host}"}, HERE)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"host": ""},
        {"host": "evil.example.org:8081"},
        {"host": "localhost.evil.example.org"},
        {"host": "127.0.0.1.evil.example.org"},
        {"host": "10.0.0.1:8081"},
        {"host": "0.0.0.0:8081"},
        {"host": "localhost:8081", "origin": "http://evil.example.org"},
        {"host": "localhost:8081", "origin": "http://localhost:9999"},
        {"host": "localhost:8081", "origin": "null"},
        {"host": "localhost:8081", "origin": "file://"},
        {"host": "localhost:8081", "origin": ""},
    ],
)
def test_whatever_a_page_of_another_site_may_send_is_refused(headers):
    with pytest.raises(RefusedError) as refusal:
        check_origin(headers, HERE)
    assert refusal.value.status is HTTPStatus.FORBIDDEN


def test_a_server_for_others_is_reached_by_its_name_or_any_address():
    for host in ("driver.example.org:8081", "10.1.2.3:8081", "localhost:8081"):
        check_origin({"host": host}, EVERYWHERE)
    with pytest.raises(RefusedError):
        check_origin({"host": "evil.example.org:8081"}, EVERYWHERE)


def refused(settings, *, changes, **headers):
    tokens = {"a" * 32: "the-jobs-own", "b" * 32: "other"}
    jobs = Jobs(settings, {job_id: SimpleNamespace(token=token) for job_id, token in tokens.items()})
    try:
        check_entitled(
            {name.replace("_", "-"): value for name, value in headers.items()}, jobs, "a" * 32, changes=changes
        )
    except RefusedError as refusal:
        return refusal.status.value
    return None


def test_on_loopback_everybody_reads_and_a_header_or_the_jobs_token_changes():
    assert refused(HERE, changes=False) is None
    assert refused(HERE, changes=True) == 403
    assert refused(HERE, changes=True, x_flott_client="1") is None
    assert refused(HERE, changes=True, authorization="Bearer the-jobs-own") is None
    assert refused(HERE, changes=True, authorization="Bearer other") == 401
    assert refused(HERE, changes=True, authorization="Basic the-jobs-own") == 401


def test_where_a_token_is_set_nothing_changes_without_it():
    with_token = RestSettings(token=SECRET)
    assert refused(with_token, changes=False) is None
    assert refused(with_token, changes=True, x_flott_client="1") == 401
    assert refused(with_token, changes=True, authorization="Bearer wrong") == 401
    assert refused(with_token, changes=True, authorization="Bearer ") == 401
    assert refused(with_token, changes=True, authorization="Bearer fälsch") == 401
    assert refused(with_token, changes=True, authorization=f"bearer {SECRET}") is None


def test_other_machines_need_the_token_even_to_read():
    assert refused(EVERYWHERE, changes=False) == 401
    assert refused(EVERYWHERE, changes=False, x_flott_client="1") == 401
    assert refused(EVERYWHERE, changes=False, authorization=f"Bearer {SECRET}") is None


def test_settings(tmp_path):
    assert RestSettings.of(Configuration()) is None
    assert RestSettings.of(Configuration.from_dict({"rest.port": "0"})) == RestSettings()
    (tmp_path / "token").write_text(f"{SECRET}\n")
    told = {
        "rest.bind-port": "8081-8083",
        "rest.bind-address": "0.0.0.0",  # noqa: S104
        "rest.token-file": str(tmp_path / "token"),
    }
    assert RestSettings.of(Configuration.from_dict(told)) == RestSettings(
        "0.0.0.0",  # noqa: S104
        range(8081, 8084),
        token=SECRET,
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rest.bind-address": "0.0.0.0"}, "rest.token-file"),  # noqa: S104
        ({"rest.token": "short"}, "16 characters"),
        ({"rest.token-file": "/no/such/file"}, "rest.token-file can't be read"),
        ({"rest.bind-port": "many"}, "8081-8180"),
        ({"rest.bind-port": "9-8"}, "no port"),
        ({"rest.port": "70000"}, "from 0 to 65535"),
    ],
)
def test_settings_that_cannot_be_used_say_what_to_do(wrong, message):
    with pytest.raises(ConfigurationError, match=message):
        RestSettings.of(Configuration.from_dict({"rest.bind-port": "0", **wrong}))
