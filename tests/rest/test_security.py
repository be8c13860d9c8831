from __future__ import annotations

import stat
from http import HTTPStatus

import pytest

from flott.common import Configuration
from flott.errors import ConfigurationError
from flott.rest.access import MOST, Access, user_token
from flott.rest.http import RefusedError
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


def refused(access, **headers):
    try:
        check_entitled(headers, access)
    except RefusedError as refusal:
        return refusal.status.value
    return None


def test_nothing_is_read_or_changed_without_a_token():
    access = Access("the-users-own", SECRET)
    assert refused(access) == 401
    assert refused(access, authorization="Bearer wrong") == 401
    assert refused(access, authorization="Bearer ") == 401
    assert refused(access, authorization="Bearer f\u00e4lsch") == 401
    assert refused(access, authorization="Basic the-users-own") == 401
    assert refused(access, authorization="Bearer the-users-own") is None
    assert refused(access, authorization=f"bearer {SECRET}") is None


def test_a_link_gives_one_page_a_token_of_its_own():
    access = Access("the-users-own")
    code = access.new_code()
    assert refused(access, authorization=f"Bearer {code}") == 401
    token = access.redeem(code)
    assert refused(access, authorization=f"Bearer {token}") is None
    assert access.redeem(code) is None
    assert access.redeem("the-users-own") is None
    assert refused(Access("the-users-own"), authorization=f"Bearer {token}") == 401


def test_links_that_nobody_opens_do_not_pile_up():
    access = Access("the-users-own")
    first, *others = [access.new_code() for _ in range(MOST + 1)]
    assert access.redeem(first) is None
    assert access.redeem(others[0]) is not None


def test_all_jobs_of_a_user_share_a_token_that_only_this_user_can_read(tmp_path):
    registry = tmp_path / "state" / "jobs"
    token, path = user_token(registry)
    assert user_token(registry) == (token, path)
    assert [stat.S_IMODE(one.stat().st_mode) for one in (registry, path)] == [0o700, 0o600]
    assert [one.name for one in registry.iterdir()] == ["token"]


def test_a_token_that_others_could_read_is_replaced(tmp_path):
    token, path = user_token(tmp_path / "jobs")
    path.chmod(0o644)
    other, _ = user_token(tmp_path / "jobs")
    assert other != token
    assert user_token(tmp_path / "jobs")[0] == other


def test_a_link_to_a_token_elsewhere_is_not_followed(tmp_path):
    token, path = user_token(tmp_path / "jobs")
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    other, nowhere = user_token(tmp_path / "jobs")
    assert (other != token, nowhere) == (True, None)


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
