"""What a writer does in a task, epoch by epoch."""

from __future__ import annotations

from datetime import datetime, timezone
from decimal import Decimal

import pytest
from psycopg.types.json import Jsonb

from flott.connectors.postgres_writer import PostgresWriter
from flott.datastream.connectors.postgres import DeliveryGuarantee, PostgresSink
from flott.runtime.clock import ManualClock
from flott.runtime.context import OperatorContext
from flott.runtime.operators.commit_requests import commit_all
from flott.runtime.operators.sinks import WriteContext, WriterInitContext

pytestmark = pytest.mark.job

CONTEXT = WriteContext()


@pytest.fixture
def make(dsn, table):
    """Makes a sink and a writer of it, subtask 1 of 2."""
    writers = []

    def make(batch_size=3, guarantee=DeliveryGuarantee.EXACTLY_ONCE):
        builder = PostgresSink.builder().set_dsn(dsn).set_connection(application_name="writer test")
        builder.set_table(table, ["id", "text"]).set_batch_size(batch_size)
        sink = builder.set_delivery_guarantee(guarantee).build()
        context = OperatorContext("sink", "op", None, 1, 2, 128, ManualClock(), job_id="job")
        writers.append(sink.create_writer(WriterInitContext(context)))
        return sink, writers[-1]

    yield make
    for writer in writers:
        writer.close()


@pytest.fixture
def rows(db, table):
    return lambda: [n for (n,) in db.execute(f"SELECT id FROM {table} ORDER BY id")]  # noqa: S608 - our own name


def epoch(writer, numbers):
    for number in numbers:
        writer.write((number, "text"), CONTEXT)
    writer.flush(end_of_input=False)
    return writer.prepare_commit()


def cut(db):
    """Cut all connections of sinks, as a restart of the server does."""
    query = "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE application_name = 'writer test'"
    return db.execute(query).fetchall()[0][0]


def test_an_epoch_is_a_transaction(make, rows, prepared_now):
    sink, writer = make()
    first = epoch(writer, range(7))
    assert epoch(writer, []) == []
    second = epoch(writer, range(7, 9))
    assert rows() == []
    assert prepared_now() == [first[0].gid, second[0].gid]
    assert all(gid.startswith("flott:job:op:d1:1:") for gid in prepared_now())
    commit_all(sink, second, recovered=False)
    assert rows() == [7, 8]
    commit_all(sink, first, recovered=False)
    assert rows() == list(range(9))


def test_values_arrive_as_they_are(make, db, dsn):
    db.execute('CREATE TABLE "Many 100%" (a int, b text, c timestamptz, d numeric, e bytea, f int[], g jsonb, h bool)')
    when = datetime(2024, 5, 6, 7, 8, 9, 10, timezone.utc)
    row = (1, "tab\tnew\nline \\N", when, Decimal("1.50"), b"\0\xff", [1, None], Jsonb({"a": 1}), None)
    columns = list("abcdefgh")
    places = ", ".join(["%s"] * len(columns))
    by_copy = PostgresSink.builder().set_table("Many 100%", columns)
    by_statement = PostgresSink.builder().set_statement(f'INSERT INTO "Many 100%%" VALUES ({places})')  # noqa: S608
    for builder in (by_copy, by_statement):
        context = OperatorContext("sink", "op", None, 0, 1, 128, ManualClock(), job_id="job")
        sink = builder.set_dsn(dsn).build()
        writer = sink.create_writer(WriterInitContext(context))
        writer.write(row, CONTEXT)
        writer.flush(end_of_input=True)
        commit_all(sink, writer.prepare_commit(), recovered=False)
        writer.close()
    expected = (*row[:6], {"a": 1}, None)
    assert db.execute('SELECT * FROM "Many 100%"').fetchall() == [expected, expected]


def test_an_empty_epoch_needs_no_connection(make, db):
    _, writer = make()
    assert epoch(writer, []) == []
    assert cut(db) == 0


def test_a_writer_that_is_closed_takes_back_what_it_has_not_prepared(make, rows):
    _, writer = make()
    for number in range(5):
        writer.write((number, "text"), CONTEXT)
    writer.close()
    assert rows() == []


def test_at_least_once_shows_at_the_end_of_the_epoch(make, rows):
    _, writer = make(guarantee=DeliveryGuarantee.AT_LEAST_ONCE)
    for number in range(5):
        writer.write((number, "text"), CONTEXT)
    assert rows() == []
    writer.flush(end_of_input=False)
    assert rows() == [0, 1, 2, 3, 4]
    assert writer.prepare_commit() == []


def test_a_connection_that_was_cut_between_epochs_is_made_anew(make, rows, db):
    sink, writer = make()
    first = epoch(writer, range(4))
    assert cut(db) == 1
    second = epoch(writer, range(4, 8))
    commit_all(sink, first + second, recovered=False)
    assert rows() == list(range(8))


@pytest.mark.parametrize("guarantee", [DeliveryGuarantee.EXACTLY_ONCE, DeliveryGuarantee.AT_LEAST_ONCE])
def test_one_that_was_cut_within_an_epoch_fails_the_epoch(make, rows, db, guarantee):
    _, writer = make(guarantee=guarantee)
    for number in range(3):
        writer.write((number, "text"), CONTEXT)
    assert cut(db) == 1
    with pytest.raises(ConnectionError, match=r"gave up while writing a batch of 2 rows"):
        epoch(writer, [3, 4])
    assert rows() == []


def test_one_that_was_cut_before_the_end_of_the_epoch_fails_it_too(make, rows, db):
    _, writer = make()
    for number in range(3):
        writer.write((number, "text"), CONTEXT)
    assert cut(db) == 1
    with pytest.raises(ConnectionError, match="gave up while preparing a transaction"):
        epoch(writer, [])
    assert rows() == []


def test_names_fit_the_servers_limit(make):
    _, writer = make()
    assert isinstance(writer, PostgresWriter)
    # Job ids, operator ids and what makes it unique have 32 characters each; PostgreSQL allows 199.
    assert len(writer._prefix) - len("job") - len("op") + 3 * 32 < 199
