"""Where the REST server listens and who may use it."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flott.common.options import RestOptions
from flott.errors import ConfigurationError

if TYPE_CHECKING:
    from flott.common import Configuration

HIGHEST_PORT = 65535
SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True)
class RestSettings:
    """Where the REST server listens and who may use it."""

    bind_address: str = "127.0.0.1"
    ports: range = range(1)
    """Tried one after the other; 0 is any that is free."""
    address: str | None = None
    token: str | None = None

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.bind_address)

    @staticmethod
    def of(configuration: Configuration) -> RestSettings | None:
        """Read the settings; None when no server is wanted."""
        port, span = configuration.get(RestOptions.PORT), configuration.get(RestOptions.BIND_PORT)
        if port is not None:
            ports = ports_of(str(port))
        elif span is not None:
            ports = ports_of(span)
        else:
            return None
        settings = RestSettings(
            configuration.get(RestOptions.BIND_ADDRESS),
            ports,
            configuration.get(RestOptions.ADDRESS),
            token_of(configuration),
        )
        if not settings.loopback and settings.token is None:
            message = (
                f"{RestOptions.BIND_ADDRESS.key} is {settings.bind_address}, which other machines reach: set "
                f"{RestOptions.TOKEN_FILE.key} to a file with a secret, or leave the address at 127.0.0.1"
            )
            raise ConfigurationError(message)
        return settings


def ports_of(text: str) -> range:
    """Return the ports that an option names.

    >>> ports_of("8081"), ports_of("8081-8083")
    (range(8081, 8082), range(8081, 8084))
    """
    first, _, last = text.partition("-")
    try:
        ports = range(int(first), int(last or first) + 1)
    except ValueError:
        ports = range(0)
    if not ports or ports[0] < 0 or ports[-1] > HIGHEST_PORT:
        message = (
            f"'{text}' is no port: give {RestOptions.PORT.key} a number from 0 to {HIGHEST_PORT}, "
            f"{RestOptions.BIND_PORT.key} also a range such as 8081-8180"
        )
        raise ConfigurationError(message)
    return ports


def token_of(configuration: Configuration) -> str | None:
    """Return the token that is set."""
    token, path = configuration.get(RestOptions.TOKEN), configuration.get(RestOptions.TOKEN_FILE)
    where = RestOptions.TOKEN.key
    if token is None and path is not None:
        where = path
        try:
            token = Path(path).read_text(encoding="utf-8").strip()
        except OSError as error:
            message = f"{RestOptions.TOKEN_FILE.key} can't be read: {error}"
            raise ConfigurationError(message) from error
    if token is not None and (len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable()):
        message = (
            f"the token in {where} is no good secret: it needs {SHORTEST_TOKEN} characters or more, all ASCII; make "
            f"one with python -c 'import secrets; print(secrets.token_urlsafe())'"
        )
        raise ConfigurationError(message)
    return token


def is_loopback(address: str) -> bool:
    """Say whether an address is of this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if address.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return False
