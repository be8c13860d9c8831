"""Tables of PostgreSQL: read whole and in partitions, appended to exactly once, and updated by key."""

from __future__ import annotations

import psycopg
import pytest
from tests.connectors.postgres.conftest import SETTINGS, start

from flott.errors import FlottError

pytestmark = pytest.mark.job


@pytest.fixture(scope="module")
def dsn():
    server = start(SETTINGS)
    yield server.get_uri()
    server.cleanup()


@pytest.fixture
def db(dsn):
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE sales (id bigint, city text, amount numeric(8, 2), at timestamp)")
        connection.execute("CREATE TABLE totals (city text PRIMARY KEY, n bigint, best text)")
        yield connection
        connection.execute("DROP TABLE sales; DROP TABLE totals")


def create(t_env, dsn, name, columns, **options):
    given = {"connector": "jdbc", "url": f"jdbc:{dsn}", "table-name": name, **options}
    text = ", ".join(f"'{key}' = '{value}'" for key, value in given.items() if value)
    t_env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ({text})")


def values(t_env, name, columns, rows):
    t_env.execute_sql(f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'values', 'data' = '{rows}')")


SALES = "id BIGINT, city STRING, amount DECIMAL(8, 2), at TIMESTAMP(3)"


@pytest.mark.parametrize("number", ["", "3"])
def test_reads(environment, dsn, db, number):
    with db.cursor().copy("COPY sales FROM STDIN") as copy:
        for number_of_row in range(100):
            copy.write_row((number_of_row, None if number_of_row == 7 else "Bonn", "1.50", "2020-01-31 12:00:00.5"))
    t_env = environment(parallelism=2)
    partitions = {
        "scan.partition.column": "id", "scan.partition.lower-bound": "10", "scan.partition.upper-bound": "80",
        "scan.partition.num": number, "scan.fetch-size": "7",
    }  # fmt: skip
    create(t_env, dsn, "sales", SALES, **(partitions if number else {}))
    with t_env.execute_sql("SELECT id, amount, at FROM sales WHERE city IS NOT NULL").collect() as rows:
        found = sorted(map(tuple, rows))
    assert [row[0] for row in found] == [number for number in range(100) if number != 7]
    assert {(str(row[1]), str(row[2])) for row in found} == {("1.50", "2020-01-31 12:00:00.500000")}


def test_reads_a_query(t_env, dsn, db):
    db.execute("INSERT INTO sales (id, amount) VALUES (1, 5), (2, 7)")
    query = "SELECT sum(amount)::numeric(8, 2) AS total FROM sales"
    create(t_env, dsn, "sales", "total DECIMAL(8, 2)", **{"table-name": "", "query": query})
    with t_env.execute_sql("SELECT * FROM sales").collect() as rows:
        assert [str(row[0]) for row in rows] == ["12.00"]


def test_appends(environment, dsn, db):
    t_env = environment(parallelism=2)
    create(t_env, dsn, "sales", SALES)
    t_env.execute_sql("INSERT INTO sales (id, city) VALUES (1, 'Bonn'), (2, 'Kiel')").wait()
    assert sorted(db.execute("SELECT id, city, amount FROM sales").fetchall()) == [(1, "Bonn", None), (2, "Kiel", None)]


@pytest.mark.parametrize("parallelism", [1, 2])
def test_updates_by_key(environment, dsn, db, parallelism):
    t_env = environment(parallelism=parallelism)
    rows = '[["Bonn", 1], ["Bonn", 2], ["Kiel", 1], ["-D", "Kiel", 1], ["Ulm", 3]]'
    values(t_env, "changes", "city STRING, amount INT", rows)
    create(t_env, dsn, "totals", "city STRING, n BIGINT, PRIMARY KEY (city) NOT ENFORCED")
    db.execute("INSERT INTO totals VALUES ('Ulm', 99)")
    insert = "INSERT INTO totals SELECT city, COUNT(*) FROM changes GROUP BY city"
    assert "UpsertMaterialize(upsertKey=[city], exchange=[hash])" in t_env.explain_sql(insert)
    t_env.execute_sql(insert).wait()
    assert sorted(db.execute("SELECT city, n FROM totals").fetchall()) == [("Bonn", 2), ("Ulm", 1)]


def test_the_key_of_the_sink_is_not_that_of_the_query(t_env, dsn, db):
    # Each name is a group of its own; the city keeps the row that came last, also when one before it goes.
    rows = '[["Bonn", "ann"], ["Bonn", "bob"], ["-D", "Bonn", "ann"], ["Kiel", "eve"], ["-D", "Kiel", "eve"]]'
    values(t_env, "changes", "city STRING, name STRING", rows)
    create(t_env, dsn, "totals", "city STRING, n BIGINT, best STRING, PRIMARY KEY (city) NOT ENFORCED")
    t_env.execute_sql("INSERT INTO totals SELECT city, COUNT(*), name FROM changes GROUP BY city, name").wait()
    assert db.execute("SELECT city, n, best FROM totals").fetchall() == [("Bonn", 1, "bob")]


def test_updates_need_a_key(t_env, dsn, db):
    create(t_env, dsn, "totals", "city STRING, n BIGINT")
    with pytest.raises(FlottError, match=r"from GroupAggregate\); declare its PRIMARY KEY"):
        t_env.execute_sql("INSERT INTO totals SELECT 'x', COUNT(*) FROM (VALUES (1), (2)) AS t(a)")


def test_mistakes(t_env, dsn, db):
    create(t_env, dsn, "sales", SALES, **{"scan.partition.column": "id"})
    with pytest.raises(FlottError, match=r"'scan.partition.lower-bound' is missing"):
        t_env.execute_sql("SELECT * FROM sales")
    create(t_env, dsn, "totals", "city STRING, PRIMARY KEY (city) NOT ENFORCED",
           **{"sink.delivery-guarantee": "exactly-once"})  # fmt: skip
    with pytest.raises(FlottError, match="may come again"):
        t_env.execute_sql("INSERT INTO totals SELECT 'x'")


def test_a_wrong_password_is_named_with_the_table(t_env, dsn, db):
    db.execute("DROP ROLE IF EXISTS locked; CREATE ROLE locked LOGIN PASSWORD 'hunter2'")
    create(t_env, dsn, "sales", SALES, username="locked", password="hunter3")  # noqa: S106
    wanted = r"operator 'Source: jdbc: .*sales'.*can't connect to PostgreSQL.*Give the right user and password"
    with pytest.raises(FlottError, match=wanted) as error, t_env.execute_sql("SELECT * FROM sales").collect() as rows:
        list(rows)
    assert "hunter3" not in str(error.value)
