"""Who may do what: a page of another site reaches nothing, and nobody reads or changes anything without a token."""

from __future__ import annotations

import ipaddress
import socket
from http import HTTPStatus
from typing import TYPE_CHECKING

from flott.rest.http import RefusedError
from flott.rest.settings import is_loopback

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flott.rest.access import Access
    from flott.rest.settings import RestSettings

BEARER = "bearer "


def check_origin(headers: Mapping[str, str], settings: RestSettings) -> None:
    """Refuse a request that a page of another site may have sent, or that was meant for another machine.

    Headers are by names in lower case.
    """
    host = headers.get("host", "")
    if not is_this_machine(host_name(host), settings):
        message = f"'{host}' is not the name of this server; a server behind another name needs rest.address"
        raise RefusedError(HTTPStatus.FORBIDDEN, message)
    origin = headers.get("origin")
    if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
        message = f"pages of {origin} may not use this server"
        raise RefusedError(HTTPStatus.FORBIDDEN, message)


def check_entitled(headers: Mapping[str, str], access: Access) -> None:
    """Refuse a request of somebody who does not show a token; other users of this machine reach loopback too."""
    shown = headers.get("authorization", "")
    if shown.lower().startswith(BEARER) and access.knows(shown[len(BEARER) :].strip()):
        return
    message = "show a token: Authorization: Bearer <token>; `flott info JOB` prints a link for the page"
    raise RefusedError(HTTPStatus.UNAUTHORIZED, message)


def host_name(host: str) -> str:
    """Return the name in a Host header, without the port.

    >>> host_name("localhost:8081"), host_name("[::1]:8081"), host_name("::1"), host_name("")
    ('localhost', '::1', '::1', '')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host if host.count(":") > 1 else host.partition(":")[0]


def is_this_machine(name: str, settings: RestSettings) -> bool:
    """Say whether a name is one that this server may have.

    A name that somebody else made lead here is the way in for pages of other sites; an address is not.
    """
    if settings.address is not None and name.lower() == settings.address.lower():
        return True
    if settings.loopback:
        return is_loopback(name)
    try:
        ipaddress.ip_address(name)
    except ValueError:
        own = {settings.bind_address.lower(), socket.gethostname().lower(), "localhost"}
        return name.lower() in own
    return True
