"""Connecting to PostgreSQL, and saying what went wrong without giving a password away."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flott.errors import GraphError

if TYPE_CHECKING:
    from types import ModuleType

    from psycopg import Connection

SECRETS = ("password", "sslpassword")
SHOWN = ("host", "hostaddr", "port", "dbname", "user", "service")
HINTS = {
    "password authentication failed": "Give the right user and password",
    "no password supplied": "Give a password, or let libpq find one (PGPASSWORD, ~/.pgpass) where tasks run",
    "does not exist": "Create it, or name another",
    "could not translate host name": "Is that the server's name, as the machines of the job know it?",
    "failed to resolve host": "Is that the server's name, as the machines of the job know it?",
}
"""What to do, by what libpq says."""
DEFAULTS = {"connect_timeout": "10", "application_name": "flott"}


class PostgresError(Exception):
    """PostgreSQL refused what the sink asked for; trying the same again would not help."""


class PostgresConnectionError(ConnectionError):
    """The server can't be reached or gave up on what it was doing; trying again may help."""


def psycopg_module() -> ModuleType:
    """Return psycopg, which is an extra, or say how to get it."""
    try:
        import psycopg
    except ImportError as error:
        message = "PostgresSink needs psycopg 3, which is not installed here: pip install 'flott[postgres]'"
        raise GraphError(message) from error
    return psycopg


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """Where the server is and who connects. Its text has no passwords in it."""

    conninfo: str = field(repr=False)
    text: str
    secrets: tuple[str, ...] = field(repr=False)

    @staticmethod
    def parse(dsn: str, parameters: dict[str, Any]) -> PostgresAddress:
        """Read a connection string and single parameters, which come before it."""
        psycopg = psycopg_module()
        try:
            known = {**DEFAULTS, **psycopg.conninfo.conninfo_to_dict(dsn, **parameters)}
            conninfo = psycopg.conninfo.make_conninfo(**known)
        except psycopg.ProgrammingError:
            # What libpq says repeats the string, and the string may hold a password.
            names = ", ".join(parameters) or "none"
            message = (
                "PostgresSink: the connection string can't be read, or a parameter has a name that libpq does not know "
                f"(parameters given: {names}). The forms are 'postgresql://user@host:5432/database' and "
                "'host=... port=... dbname=... user=...'"
            )
            raise GraphError(message) from None
        text = " ".join(f"{name}={known[name]}" for name in SHOWN if known.get(name))
        secrets = tuple(str(known[name]) for name in SECRETS if known.get(name))
        return PostgresAddress(conninfo, text or "the local server", secrets)

    def connect(self, *, autocommit: bool) -> Connection[tuple[Any, ...]]:
        """Open a connection."""
        psycopg = psycopg_module()
        try:
            connection: Connection[tuple[Any, ...]] = psycopg.connect(self.conninfo, autocommit=autocommit)
        except psycopg.Error as error:
            reason = self.hide(str(error).strip())
            hint = next((f". {hint}" for said, hint in HINTS.items() if said in reason), "")
            message = f"can't connect to PostgreSQL ({self.text}): {reason}{hint}"
            raise PostgresConnectionError(message) from None
        return connection

    def hide(self, text: str) -> str:
        """Take passwords out of a message."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text

    def explain(self, error: Exception, doing: str, connection: Connection[tuple[Any, ...]] | None) -> Exception:
        """Return what to raise for an error of psycopg: one that is tried again, or one that teaches."""
        psycopg = psycopg_module()
        reason = self.hide(str(error).strip())
        lost = connection is not None and connection.closed
        if lost or isinstance(error, (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected)):
            return PostgresConnectionError(f"PostgreSQL ({self.text}) gave up while {doing}: {reason}")
        if isinstance(error, psycopg.errors.LockNotAvailable):
            reason += (
                ". Another transaction holds the rows: one of this sink that waits for its checkpoint, if the same "
                "rows are written again (updates, upserts, a unique key), or somebody else's. Write such rows with "
                "DeliveryGuarantee.AT_LEAST_ONCE, or raise set_lock_timeout(...)"
            )
        return PostgresError(f"PostgreSQL ({self.text}) refused while {doing}: {reason}")
