"""The two phases by themselves: whatever is asked twice, or too late, is answered rightly."""

from __future__ import annotations

import psycopg
import pytest

from flott.connectors import postgres_transactions
from flott.connectors.base import SinkScope
from flott.connectors.postgres_transactions import PreparedTransaction, prepare
from flott.datastream.connectors.postgres import PostgresSink
from flott.errors import CommitError
from flott.runtime.operators.commit_requests import commit_all

pytestmark = pytest.mark.job

SCOPE = SinkScope("job", "sink")


@pytest.fixture
def sink(dsn, table):
    return PostgresSink.builder().set_dsn(dsn).set_table(table, ["id", "text"]).build()


@pytest.fixture
def prepared_row(sink, table):
    """Prepares a transaction that writes one row."""

    def make(gid, number):
        address = sink.settings.address
        with address.connect(autocommit=False) as connection:
            connection.execute(f"INSERT INTO {table} VALUES (%s, 'text')", [number])  # noqa: S608 - our own name
            return prepare(address, connection, gid)

    return make


@pytest.fixture
def rows(db, table):
    return lambda: [n for (n,) in db.execute(f"SELECT id FROM {table} ORDER BY id")]  # noqa: S608 - our own name


def test_a_commit_that_is_asked_for_again_changes_nothing(sink, prepared_row, rows):
    one, two = prepared_row("flott:job:sink:0:a", 1), prepared_row("flott:job:sink:1:b", 2)
    assert rows() == []
    commit_all(sink, [one], recovered=False)
    assert rows() == [1]
    commit_all(sink, [one, two], recovered=True)
    assert rows() == [1, 2]
    commit_all(sink, [one, two], recovered=False)
    assert rows() == [1, 2]


@pytest.mark.parametrize("recovered", [False, True])
def test_a_transaction_that_somebody_rolled_back_is_no_silent_loss(sink, prepared_row, rows, db, recovered):
    lost, good = prepared_row("flott:job:sink:0:lost", 1), prepared_row("flott:job:sink:0:good", 2)
    db.execute("ROLLBACK PREPARED 'flott:job:sink:0:lost'")
    with pytest.raises(CommitError, match=r"'flott:job:sink:0:lost' is gone and was not committed \(it is aborted\)"):
        commit_all(sink, [lost, good], recovered=recovered)
    assert rows() == [2]


def test_one_that_ended_too_long_ago_to_know_counts_as_committed_after_a_restart(sink, rows):
    # The server forgets the end of transactions in time; number 3 belongs to the making of the database.
    old = PreparedTransaction("flott:job:sink:0:old", 3)
    with pytest.raises(CommitError, match="unknown to the server"):
        commit_all(sink, [old], recovered=False)
    commit_all(sink, [old], recovered=True)
    assert rows() == []


def test_only_stale_transactions_of_the_own_scope_are_rolled_back(sink, prepared_row, prepared_now, rows):
    gids = ["flott:job:sink:0:stale", "flott:job:sink:10:kept", "flott:job:sink2:0:x", "flott:job2:sink:0:x", "other"]
    made = [prepared_row(gid, number) for number, gid in enumerate(gids)]
    sink.abort_stale(SCOPE, [made[1]])
    assert sorted(prepared_now()) == sorted(gids[1:])
    sink.abort_stale(SCOPE, [])
    assert sorted(prepared_now()) == sorted(gids[2:])
    commit_all(sink, made[2:], recovered=False)
    assert rows() == [2, 3, 4]


def test_those_of_another_database_are_left_alone(sink, dsn, db, prepared_now):
    db.execute("CREATE DATABASE elsewhere")
    elsewhere = PostgresSink.builder().set_dsn(dsn).set_connection(dbname="elsewhere").set_table("t", ["id"]).build()
    with elsewhere.settings.address.connect(autocommit=False) as connection:
        connection.execute("CREATE TABLE t (id int)")
        prepare(elsewhere.settings.address, connection, "flott:job:sink:0:there")
    sink.abort_stale(SCOPE, [])
    assert prepared_now() == ["flott:job:sink:0:there"]
    elsewhere.abort_stale(SCOPE, [])
    assert prepared_now() == []


def test_a_commit_waits_for_a_server_that_comes_back(sink, prepared_row, rows, monkeypatch, caplog):
    one = prepared_row("flott:job:sink:0:a", 1)
    waits = []
    monkeypatch.setattr(postgres_transactions.time, "sleep", waits.append)
    connect, failures = psycopg.connect, [psycopg.OperationalError("the server is starting up")] * 2
    monkeypatch.setattr(psycopg, "connect", lambda *a, **k: raise_next(failures) if failures else connect(*a, **k))
    commit_all(sink, [one], recovered=False)
    assert waits == [0.1, 0.2]
    assert rows() == [1]
    assert "the commit is tried again" in caplog.text


def test_a_server_that_does_not_come_back_is_named(sink, prepared_row, monkeypatch, rows):
    one = prepared_row("flott:job:sink:0:a", 1)
    waits = []
    monkeypatch.setattr(postgres_transactions.time, "sleep", waits.append)
    with monkeypatch.context() as gone:
        gone.setattr(psycopg, "connect", lambda *a, **k: raise_next([psycopg.OperationalError("no route")]))
        with pytest.raises(CommitError, match=r"can't connect to PostgreSQL .*: no route"):
            commit_all(sink, [one], recovered=False)
    assert waits == list(postgres_transactions.PATIENCE)
    commit_all(sink, [one], recovered=True)
    assert rows() == [1]


def raise_next(errors):
    raise errors.pop()
