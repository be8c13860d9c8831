"""Whole jobs that write to PostgreSQL, and fail, are stopped or lose their driver: each row shows exactly once."""

from __future__ import annotations

import gc
import warnings

import psycopg
import pytest
from tests.failing_jobs import Die, FailsAt, abandon, environment, small_epochs
from tests.waiting import PATIENCE, wait_until

from flott.common import Configuration, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.postgres import DeliveryGuarantee, PostgresSink
from flott.errors import JobExecutionError
from flott.runtime.crash_points import ARMED

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _small_epochs(monkeypatch):
    small_epochs(monkeypatch)
    yield
    ARMED.clear()
    # A driver that was killed closes no connection; its objects go here, before another test meets their warnings.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()


SELDOM = {"execution.checkpointing.interval": "1 h"}


def into(dsn, table):
    return PostgresSink.builder().set_dsn(dsn).set_table(table, ["id", "text"]).set_batch_size(20)


def write_numbers(env, sink, numbers=3_000, *, fails=(), rate=None):
    limit = RateLimiterStrategy.no_op() if rate is None else RateLimiterStrategy.per_second(rate)
    source = DataGeneratorSource(lambda index: index, numbers, limit)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
    stream = stream.map(FailsAt(*fails)).uid("fails").map(lambda n: (n, str(n))).uid("rows")
    stream.sink_to(sink).uid("postgres").name("to postgres")


def shown(db, table):
    return [n for (n,) in db.execute(f"SELECT id FROM {table} ORDER BY id")]  # noqa: S608 - our own name


def test_a_failing_job_writes_each_row_once(dsn, db, table):
    env = environment()
    write_numbers(env, into(dsn, table).build(), fails=(0, 777, 2_500))
    client = env.execute_async("fails")
    client.get_job_execution_result().result(PATIENCE)
    assert len(client.master.failures) == 3
    assert shown(db, table) == list(range(3_000))


def test_rows_show_when_a_checkpoint_is_complete_and_not_before(dsn, db, table, prepared_now, tmp_path):
    env = environment(**SELDOM)
    write_numbers(env, into(dsn, table).build(), None, rate=5_000)
    client = env.execute_async("hidden")
    wait_until("four prepared transactions", prepared_now, lambda names: len(names) >= 4)
    assert shown(db, table) == []
    names = prepared_now()
    scopes = {gid.rsplit(":", 2)[0] for gid in names}
    assert len(scopes) == 1
    scope = scopes.pop()
    assert scope.startswith(f"flott:{client.get_job_id()}:")
    assert scope.endswith(":d1")
    assert {gid.split(":")[4] for gid in names} == {"0", "1"}
    client.stop_with_savepoint(False, str(tmp_path)).result(PATIENCE)
    rows = shown(db, table)
    assert len(rows) >= 4
    assert prepared_now() == []


def test_what_no_checkpoint_holds_is_rolled_back_when_the_job_ends(dsn, db, table, prepared_now):
    env = environment(**SELDOM)
    write_numbers(env, into(dsn, table).build(), None, rate=5_000)
    client = env.execute_async("cancelled")
    wait_until("four prepared transactions", prepared_now, lambda names: len(names) >= 4)
    client.cancel().result(PATIENCE)
    assert prepared_now() == []
    assert shown(db, table) == []


def test_without_checkpoints_rows_show_when_their_epoch_counts(dsn, db, table):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    write_numbers(env, into(dsn, table).build(), 500)
    env.execute("no checkpoints")
    assert shown(db, table) == list(range(500))


@pytest.mark.parametrize("parallelism", [2, 3])
@pytest.mark.parametrize("point", ["metadata.before", "metadata.after", "commit.before", "commit.after"])
def test_a_new_driver_goes_on_where_the_old_one_was_killed(dsn, db, table, tmp_path, point, parallelism):
    env = environment(tmp_path / "checkpoints")
    write_numbers(env, into(dsn, table).build(), 6_000, rate=3_000)
    die = ARMED[point] = Die(after=2)
    client = env.execute_async("taken over")
    abandon(client, die)
    env = environment(tmp_path / "checkpoints", parallelism)
    write_numbers(env, into(dsn, table).build(), 6_000)
    second = env.execute_async("taken over")
    second.get_job_execution_result().result(PATIENCE)
    assert second.get_job_id() == client.get_job_id()
    assert second.master.checkpoints.statistics.restored == 1
    assert shown(db, table) == list(range(6_000))


def test_what_an_attempt_prepared_that_does_not_count_is_rolled_back_at_the_restart(dsn, db, table, prepared_now):
    seen = []

    def after_prepare():
        if not seen:
            seen.extend(prepared_now())
            raise RuntimeError("dies with a prepared transaction")

    env = environment(parallelism=1)
    write_numbers(env, into(dsn, table).build(), 1_000)
    ARMED["sink.after-prepare"] = after_prepare
    client = env.execute_async("stale")
    client.get_job_execution_result().result(PATIENCE)
    # The rows came again: had the stale transaction still been there, its primary keys would have blocked them.
    assert len(seen) == 1
    assert len(client.master.failures) == 1
    assert shown(db, table) == list(range(1_000))


def test_at_least_once_needs_no_checkpoint_and_no_setting(plain_dsn):
    with psycopg.connect(plain_dsn, autocommit=True) as db:
        db.execute("CREATE TABLE latest (key int PRIMARY KEY, value bigint)")
        upsert = "INSERT INTO latest VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        sink = (
            PostgresSink.builder()
            .set_dsn(plain_dsn)
            .set_statement(upsert)
            .set_parameters(lambda row: (row[0] % 7, row[0]))
            .set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE)
            .build()
        )
        env = environment(parallelism=1, **SELDOM)
        write_numbers(env, sink, 1_000, fails=(500,))
        client = env.execute_async("upserts")
        client.get_job_execution_result().result(PATIENCE)
        assert len(client.master.failures) == 1
        expected = {n % 7: n for n in range(1_000)}
        assert dict(db.execute("SELECT key, value FROM latest").fetchall()) == expected


def test_a_server_without_prepared_transactions_is_told_about_at_the_start(plain_dsn):
    env = environment()
    write_numbers(env, into(plain_dsn, "nowhere").build())
    with pytest.raises(JobExecutionError, match="set max_prepared_transactions to at least") as error:
        env.execute("not set")
    assert "AT_LEAST_ONCE" in str(error.value)


def test_a_server_that_is_full_is_explained(dsn, db, table):
    [(most,)] = db.execute("SELECT current_setting('max_prepared_transactions')::int").fetchall()
    for number in range(most):
        db.execute("BEGIN")
        db.execute(f"PREPARE TRANSACTION 'somebody''s {number}'")
    env = environment(**SELDOM, **{"restart-strategy.type": "none"})
    write_numbers(env, into(dsn, table).build(), 100)
    try:
        with pytest.raises(JobExecutionError, match="no room for another prepared transaction") as error:
            env.execute("full")
    finally:
        for number in range(most):
            db.execute(f"ROLLBACK PREPARED 'somebody''s {number}'")
    assert "Take checkpoints more often, or set max_prepared_transactions" in str(error.value)
    assert shown(db, table) == []


def test_rows_that_wait_for_their_checkpoint_are_locked_and_that_is_explained(dsn, db, table):
    upsert = f"INSERT INTO {table} VALUES (%s, %s) ON CONFLICT (id) DO UPDATE SET text = excluded.text"  # noqa: S608
    sink = PostgresSink.builder().set_dsn(dsn).set_statement(upsert).set_lock_timeout(50)
    sink.set_parameters(lambda row: (row[0] % 7, row[1]))
    env = environment(**SELDOM, **{"restart-strategy.type": "none"})
    write_numbers(env, sink.build(), 10_000)
    with pytest.raises(JobExecutionError, match="Another transaction holds the rows") as error:
        env.execute("locked")
    assert "operator 'Sink: to postgres', uid=postgres" in str(error.value)
    assert "AT_LEAST_ONCE" in str(error.value)


def test_a_row_that_the_server_refuses_is_explained(dsn, db, table):
    env = environment(parallelism=1, **{"restart-strategy.type": "none"})
    write_numbers(env, into(dsn, table).set_parameters(lambda row: (row[0], None)).build())
    with pytest.raises(JobExecutionError, match=r"refused while writing a batch of 20 rows \(COPY") as error:
        env.execute("refused")
    assert 'null value in column "text"' in str(error.value)
    assert "operator 'Sink: to postgres', uid=postgres" in str(error.value)


def test_a_table_that_is_not_there_is_explained(dsn, db):
    env = environment(parallelism=1, **{"restart-strategy.type": "none"})
    write_numbers(env, into(dsn, "nowhere").build())
    with pytest.raises(JobExecutionError, match='relation "nowhere" does not exist'):
        env.execute("refused")


def test_a_server_that_cannot_be_reached_is_named_without_the_password(dsn, db):
    db.execute("CREATE ROLE locked LOGIN PASSWORD 'hunter2'")
    for sink in (
        PostgresSink.builder().set_connection("localhost", 1, "shop", "me", "hunter3"),
        PostgresSink.builder().set_dsn(dsn).set_connection(user="locked", password="hunter3"),  # noqa: S106
    ):
        env = environment()
        write_numbers(env, sink.set_table("t", ["id", "text"]).build())
        with pytest.raises(JobExecutionError, match=r"connect to PostgreSQL \(host=") as error:
            env.execute("not there")
        assert "hunter3" not in str(error.value)
        assert "operator 'Sink: to postgres' (uid=postgres)" in str(error.value)
    assert "password authentication failed" in str(error.value)
    assert "Give the right user and password" in str(error.value)
    sink = PostgresSink.builder().set_dsn(dsn).set_connection(user="locked", password="hunter2")  # noqa: S106
    sink.set_table("t", ["id", "text"]).build().settings.address.connect(autocommit=True).close()
