"""Nexmark's queries as DataStream programs end in what DuckDB computes of the same events."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path

import pytest
import yaml
from tests.table.nexmark import events

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment

ROOT = Path(__file__).parents[3]
sys.path.append(str(ROOT / "benchmarks" / "programs"))
import nexmark_streams  # noqa: E402

pytestmark = pytest.mark.job

duckdb = pytest.importorskip("duckdb")
QUERIES = yaml.safe_load((Path(__file__).parent / "queries.yaml").read_text(encoding="utf-8"))
DUCK = {name: query["duck"] for name, query in QUERIES.items()} | {
    # In SQL a bid at the very end of a window counts in both; here a window ends before its end.
    "q7": "WITH m AS (SELECT time_bucket(INTERVAL 10 SECONDS, dateTime) AS s, MAX(price) AS top FROM bid GROUP BY s) "
    "SELECT auction, price, bidder FROM bid JOIN m ON price = top AND time_bucket(INTERVAL 10 SECONDS, dateTime) = s",
    "q19": "SELECT auction, bidder, price FROM bid "
    "QUALIFY ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) <= 10",
    "q18": "SELECT auction, bidder, price FROM bid "
    "QUALIFY ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY dateTime DESC) = 1",
}
EVENTS = 2000
FIELDS = {
    "person": ("id", "name", "city", "state", "dateTime"),
    "auction": ("id", "itemName", "dateTime", "expires", "seller", "category"),
    "bid": ("auction", "bidder", "price", "channel", "url", "dateTime", "extra"),
}


def millis(value):
    return round(value.replace(tzinfo=dt.timezone.utc).timestamp() * 1000) if isinstance(value, dt.datetime) else value


@pytest.fixture(scope="module")
def made():
    return dict(events.tables(EVENTS))


@pytest.fixture(scope="module")
def duck(made):
    connection = duckdb.connect()
    for name, table in made.items():
        connection.register(name, table)
    yield connection
    connection.close()


def ends_in(name, results):
    keyed = nexmark_streams.KEYED.get(name)
    rows = results if keyed is None else list({row[:keyed]: row for row in results}.values())
    if name == "q19":
        return [(auction, bidder, price) for auction, top in rows for price, bidder in top]
    return rows


def comparable(rows):
    plain = (tuple(round(one, 3) if isinstance(one, float) else millis(one) for one in row) for row in rows)
    return sorted((tuple(map(as_number, row)) for row in plain), key=repr)


def as_number(value):
    return round(float(value), 3) if not isinstance(value, str) and value is not None else value


@pytest.mark.parametrize("name", nexmark_streams.QUERIES)
def test_ends_in_the_same_rows(name, made, duck):
    configuration = Configuration()
    configuration.set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    streams = [
        env.from_collection([tuple(map(millis, row.values())) for row in made[kind].select(fields).to_pylist()])
        for kind, fields in FIELDS.items()
    ]
    results = nexmark_streams.QUERIES[name](*streams)
    with results.execute_and_collect() as rows:
        found = comparable(ends_in(name, list(rows)))
    wanted = comparable(duck.execute(DUCK[name]).fetchall())
    assert len(wanted) > 0
    assert found == wanted
