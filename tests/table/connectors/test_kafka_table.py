"""Tables in Kafka: where they are read from, what is in key, value and metadata, and what is written."""

from __future__ import annotations

import json

import pytest
from tests.connectors.kafka.conftest import broker as _broker

from flott.errors import FlottError

pytestmark = pytest.mark.job

broker = _broker


def options(broker, name, **more):
    known = {
        "connector": "kafka", "topic": name, "properties.bootstrap.servers": broker.servers, "format": "json",
        "scan.startup.mode": "earliest-offset", "scan.bounded.mode": "latest-offset", **more,
    }  # fmt: skip
    return ", ".join(f"'{key}' = '{value}'" for key, value in known.items() if value is not None)


def create(t_env, columns, given, name="t"):
    t_env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ({given})")


def rows(t_env, query):
    with t_env.execute_sql(query).collect() as found:
        return sorted(map(tuple, found), key=repr)


@pytest.fixture
def orders(broker):
    topic = broker.create()
    for number, item in enumerate(["tea", "milk", "oat"]):
        broker.send_one(
            topic, number % 2, json.dumps({"id": number, "item": item}, indent=1),
            key=json.dumps({"shop": f"s{number}"}), timestamp=1000 * (number + 1), headers={"h": item},
        )  # fmt: skip
    broker.send_one(topic, 0, None, key="gone")
    return topic


def test_reads_values(t_env, broker, orders):
    create(t_env, "id INT, item STRING", options(broker, orders))
    assert rows(t_env, "SELECT item, id + 1 FROM t") == [("milk", 2), ("oat", 3), ("tea", 1)]


def test_reads_keys_and_metadata(t_env, broker, orders):
    columns = (
        "k_shop STRING, id INT, item STRING, `partition` INT METADATA, pos BIGINT METADATA FROM 'offset', "
        "ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', `topic` STRING METADATA, "
        "headers MAP<STRING, BYTES> METADATA"
    )
    keys = {"key.format": "json", "key.fields": "k_shop", "key.fields-prefix": "k_"}
    given = options(broker, orders, format=None, **{"value.format": "json"}, **keys)
    create(t_env, columns, f"{given}, 'value.fields-include' = 'EXCEPT_KEY'")
    query = "SELECT k_shop, `partition`, pos, CAST(UNIX_TIMESTAMP(CAST(ts AS STRING)) > -100000 AS INT), `topic` FROM t"
    assert rows(t_env, query) == [("s0", 0, 0, 1, orders), ("s1", 1, 0, 1, orders), ("s2", 0, 1, 1, orders)]
    assert rows(t_env, "SELECT id, headers['h'] FROM t") == [(0, b"tea"), (1, b"milk"), (2, b"oat")]


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ({"scan.startup.mode": "latest-offset"}, []),
        ({"scan.startup.mode": "timestamp", "scan.startup.timestamp-millis": "2000"}, [(1,), (2,)]),
        (
            {
                "scan.startup.mode": "specific-offsets",
                "scan.startup.specific-offsets": "partition:0,offset:1;partition:1,offset:0",
            },
            [(1,), (2,)],
        ),
        ({"scan.startup.mode": "group-offsets", "properties.auto.offset.reset": "earliest"}, [(0,), (1,), (2,)]),
    ],
)
def test_where_it_starts(t_env, broker, orders, start, expected):
    create(t_env, "id INT, item STRING", options(broker, orders, **start))
    assert rows(t_env, "SELECT id FROM t") == expected


def test_each_partition_has_a_watermark_of_its_own(t_env, broker):
    topic = broker.create()
    for partition in (0, 1):
        for second in (1, 61, 121):
            row = {"id": partition, "at": f"2020-01-01 00:{second // 60:02d}:{second % 60:02d}"}
            broker.send_one(topic, partition, json.dumps(row))
    create(t_env, "id INT, at TIMESTAMP(3), WATERMARK FOR at AS at", options(broker, topic))
    query = (
        "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(at), INTERVAL '1' MINUTE)) "
        "GROUP BY window_start, window_end"
    )
    # One subtask reads all of a partition before the next: with one watermark for both, the second would be late.
    assert [count for _, count in rows(t_env, query)] == [2, 2, 2]
    assert "WatermarkAssigner" not in t_env.explain_sql(query).split("Optimized Physical Plan")[-1]


def test_lines_that_cannot_be_read(t_env, broker):
    topic = broker.create()
    broker.send(topic, ["1,tea", "what is this", "2,milk"])
    create(t_env, "id INT, item STRING", options(broker, topic, format="csv"))
    with pytest.raises(FlottError, match="'what is this' can't be read: it has 1 values for 2 columns"):
        rows(t_env, "SELECT * FROM t")
    mild = {"csv.ignore-parse-errors": "true"}
    create(t_env, "id INT, item STRING, `offset` BIGINT METADATA", options(broker, topic, format="csv", **mild), "u")
    assert rows(t_env, "SELECT id, item, `offset` FROM u") == [(1, "tea", 0), (2, "milk", 1)]


@pytest.mark.parametrize("guarantee", ["at-least-once", "exactly-once", "none"])
def test_writes_rows_as_messages(t_env, broker, guarantee):
    topic = broker.create()
    more = {
        "key.format": "csv", "key.fields": "id", "format": "json", "sink.delivery-guarantee": guarantee,
        "sink.transactional-id-prefix": topic,
    }  # fmt: skip
    create(t_env, "id INT, item STRING", options(broker, topic, **more))
    t_env.execute_sql("INSERT INTO t VALUES (1, 'tea'), (2, CAST(NULL AS STRING))").wait()
    found = sorted((message.key(), message.value()) for message in broker.messages(topic))
    assert found == [(b"1", b'{"id":1,"item":"tea"}'), (b"2", b'{"id":2,"item":null}')]
    assert rows(t_env, "SELECT * FROM t") == [(1, "tea"), (2, None)]


def test_upserts_and_deletes_by_key(t_env, broker):
    topic = broker.create()
    given = {"connector": "upsert-kafka", "key.format": "json", "value.format": "json", "format": None}
    bare = {"scan.startup.mode": None, "scan.bounded.mode": None}
    columns = "word STRING, n BIGINT, PRIMARY KEY (word) NOT ENFORCED"
    create(t_env, columns, options(broker, topic, **given, **bare), "counts")
    changes = '[["a", 1], ["b", 1], ["a", 2], ["-D", "b", 1]]'
    t_env.execute_sql(
        f"CREATE TABLE changes (word STRING, n INT) WITH ('connector' = 'values', 'data' = '{changes}', "
        "'batch-size' = '1')"
    )
    t_env.execute_sql("INSERT INTO counts SELECT word, COUNT(*) FROM changes GROUP BY word").wait()
    last = {}
    for message in broker.messages(topic):
        last[message.key()] = message.value()
    assert last == {b'{"word":"a"}': b'{"word":"a","n":2}', b'{"word":"b"}': None}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"properties.bootstrap.servers": None}, r"'properties\.bootstrap\.servers' is missing"),
        ({"topic": None}, r"'topic' = 'a;b' or 'topic-pattern'"),
        ({"format": "avro"}, "there is no format 'avro'"),
        ({"key.fields": "id"}, r"'key\.format' and 'key\.fields' go together"),
        ({"scan.startup.mode": "earliest"}, r"'scan\.startup\.mode' 'earliest'; did you mean 'earliest-offset'"),
        ({"scan.startup.mode": "specific-offsets", "scan.startup.specific-offsets": "0:1"}, "partition:0,offset:42"),
        ({"scan.topic-partition-discovery.interval": "often"}, "often"),
        ({"json.ignore": "true"}, r"no option 'json\.ignore'"),
    ],
)
def test_mistakes(t_env, broker, change, message):
    create(t_env, "id INT, item STRING", options(broker, "some", **change))
    with pytest.raises(FlottError, match=message):
        rows(t_env, "SELECT * FROM t")


def test_updates_need_upserts(t_env, broker):
    create(t_env, "id BIGINT, item STRING", options(broker, "some"))
    with pytest.raises(FlottError, match=r"only takes new rows.*'upsert-kafka' table with a PRIMARY KEY"):
        t_env.execute_sql("INSERT INTO t SELECT COUNT(*), item FROM t GROUP BY item")


def test_windows_over_kafkas_timestamps(t_env, broker, orders):
    columns = "id BIGINT, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"
    create(t_env, columns, options(broker, orders))
    query = "SELECT COUNT(*), SUM(id) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '2' SECOND)) "
    assert rows(t_env, f"{query} GROUP BY window_start, window_end") == [(1, 0), (2, 3)]
