"""The sinks of tables go through the conformance kit, each as INSERT INTO makes it."""

from __future__ import annotations

import json

import psycopg
import pytest
from tests.connectors.kafka.conftest import broker as _broker
from tests.connectors.postgres.conftest import SETTINGS, start
from tests.table.conftest import table_environment
from tests.table.connectors.program import sink_of

from flott.common import Row
from flott.testing.connectors import SINK_CHECKS, SinkCase

pytestmark = pytest.mark.job

broker = _broker
COLUMNS = "id BIGINT, day STRING"
KEYED = f"{COLUMNS}, PRIMARY KEY (id) NOT ENFORCED"


def record(number):
    return Row(id=number, day=f"d{number % 3}")


def case(ddl, shown, **options):
    """A case for a table; each driver runs the program anew."""

    def make():
        t_env = table_environment(parallelism=2)
        t_env.execute_sql(ddl)
        return sink_of(t_env, "t", "SELECT 1, 'd1'")

    return SinkCase(make, lambda: [Row(id=number, day=day) for number, day in shown()], record, **options)


def in_options(columns, rest="", **options):
    text = ", ".join(f"'{key.replace('__', '.').replace('_', '-')}' = '{value}'" for key, value in options.items())
    return f"CREATE TABLE t ({columns}) {rest} WITH ({text})"


@pytest.mark.parametrize("check", SINK_CHECKS, ids=lambda check: check.__name__)
def test_files_in_partitions_that_are_committed(check, tmp_path):
    def shown():
        parts = [path for path in tmp_path.rglob("part-*") if ".staging" not in path.parts]
        assert {path.parent for path in parts} == {path.parent for path in tmp_path.rglob("_SUCCESS")}
        return [
            (json.loads(line)["id"], path.parent.name.removeprefix("day="))
            for path in parts
            for line in path.read_text().splitlines()
        ]

    commit = {"sink__partition_commit__trigger": "process-time", "sink__partition_commit__policy__kind": "success-file"}
    ddl = in_options(COLUMNS, "PARTITIONED BY (day)", connector="filesystem", path=tmp_path, format="json", **commit)
    check(case(ddl, shown, leftovers=lambda: list(tmp_path.glob(".staging/**/*"))))


@pytest.fixture(scope="module")
def dsn():
    server = start(SETTINGS)
    yield server.get_uri()
    server.cleanup()


@pytest.mark.parametrize("check", SINK_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("columns", [COLUMNS, KEYED], ids=["append", "upsert"])
def test_jdbc(check, columns, dsn):
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute(f"DROP TABLE IF EXISTS t; CREATE TABLE t ({columns.replace('STRING', 'text')})".replace(
            "NOT ENFORCED", ""))  # fmt: skip
        check(
            case(
                in_options(columns, connector="jdbc", url=f"jdbc:{dsn}", table_name="t"),
                lambda: db.execute("SELECT id, day FROM t").fetchall(),
                exactly_once=columns == COLUMNS,
                leftovers=lambda: db.execute("SELECT gid FROM pg_prepared_xacts").fetchall(),
            )
        )


@pytest.mark.parametrize("check", SINK_CHECKS, ids=lambda check: check.__name__)
def test_kafka(check, broker):
    topic = broker.create()
    options = {
        "connector": "kafka", "topic": topic, "properties__bootstrap__servers": broker.servers, "format": "json",
        "sink__delivery_guarantee": "exactly-once", "sink__transactional_id_prefix": topic,
    }  # fmt: skip
    check(
        case(in_options(COLUMNS, **options), lambda: [tuple(json.loads(one).values()) for one in broker.values(topic)])
    )


@pytest.mark.parametrize("check", SINK_CHECKS, ids=lambda check: check.__name__)
def test_upsert_kafka(check, broker):
    topic = broker.create()
    options = {
        "connector": "upsert-kafka", "topic": topic, "properties__bootstrap__servers": broker.servers,
        "key__format": "json", "value__format": "json",
    }  # fmt: skip

    def shown():
        rows = {message.key(): json.loads(message.value()) for message in broker.messages(topic)}
        return [tuple(row.values()) for row in rows.values()]

    check(case(in_options(KEYED, **options), shown, exactly_once=False))
