"""Tables of Spark's: read by name and by path, written exactly once, and seen in the catalog."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from flott.common import Configuration
from flott.errors import GraphError
from flott.spark.session import embedded_session
from flott.table.errors import TableError

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """The application that all tests of a process share, with a database of these tests' own."""
    settings = Configuration().set_string("flott.spark.master", "local[2]")
    session = SparkSession.getActiveSession() or embedded_session(settings)
    place = tmp_path_factory.mktemp("shop")
    session.sql(f"CREATE DATABASE shop LOCATION 'file://{place}'")
    rows = [(number, f"city-{number % 3}", number * 10) for number in range(9)]
    session.createDataFrame(rows, "id LONG, city STRING, amount INT").write.saveAsTable("shop.orders")
    session.sql("CREATE VIEW shop.large AS SELECT id, amount FROM shop.orders WHERE amount > 60")
    yield session
    session.sql("DROP DATABASE shop CASCADE")


@pytest.fixture
def tables(spark, environment):
    return environment(parallelism=2, target="spark", flott__spark__master="local[2]")


def rows_of(t_env, query):
    with t_env.execute_sql(query).collect() as rows:
        return sorted(tuple(row) for row in rows)


def test_a_table_by_name(tables):
    tables.execute_sql(
        "CREATE TABLE orders (id BIGINT, city STRING) WITH ('connector' = 'spark', 'table' = 'shop.orders')"
    )
    assert rows_of(tables, "SELECT city FROM orders WHERE id > 6") == [("city-1",), ("city-2",)]


@pytest.mark.parametrize("form", ["csv", "orc"])
def test_files_that_only_spark_reads_and_writes(form, tables, spark, tmp_path):
    tables.execute_sql(
        "CREATE TABLE files (id BIGINT, at TIMESTAMP(3), day STRING) PARTITIONED BY (day) "
        f"WITH ('connector' = 'spark', 'format' = '{form}', 'path' = '{tmp_path}/out')"
    )
    tables.execute_sql("INSERT INTO files VALUES (1, TIMESTAMP '2024-01-01 10:00:00.5', '01'), (2, NULL, 'tue')").wait()
    assert spark.read.format(form).load(str(tmp_path / "out")).count() == 2
    assert sorted(path.name for path in (tmp_path / "out").glob("day=*")) == ["day=01", "day=tue"]
    assert rows_of(tables, "SELECT id, CAST(at AS STRING), day FROM files") == [
        (1, "2024-01-01 10:00:00.500", "01"), (2, None, "tue"),
    ]  # fmt: skip


def test_the_catalog_of_the_session(tables):
    tables.execute_sql("CREATE CATALOG cluster WITH ('type' = 'spark', 'default-database' = 'shop')")
    tables.execute_sql("USE CATALOG cluster")
    assert {"orders", "large"} <= set(tables.list_tables())
    assert tables.list_views() == ["large"]
    described = rows_of(tables, "DESCRIBE orders")
    assert [row[:2] for row in described] == [("amount", "INT"), ("city", "STRING"), ("id", "BIGINT")]
    assert rows_of(tables, "SELECT id, amount FROM large") == [(7, 70), (8, 80)]
    with pytest.raises(TableError, match="did you mean 'orders'"):
        tables.execute_sql("SELECT * FROM order")


def test_tables_made_and_written_in_the_catalog(tables, spark):
    tables.execute_sql("CREATE CATALOG cluster WITH ('type' = 'spark')")
    tables.execute_sql("CREATE TABLE cluster.shop.totals (city STRING, total INT)")
    tables.execute_sql(
        "CREATE TABLE cluster.shop.by_day (n BIGINT, day STRING) PARTITIONED BY (day) WITH ('format' = 'json')"
    )
    insert = "INSERT INTO cluster.shop.totals SELECT city, amount FROM cluster.shop.orders WHERE id < 2"
    tables.execute_sql(insert).wait()
    tables.execute_sql("INSERT INTO cluster.shop.by_day VALUES (1, 'mon'), (2, 'tue')").wait()
    assert sorted(map(tuple, spark.table("shop.totals").collect())) == [("city-0", 0), ("city-1", 10)]
    assert sorted(map(tuple, spark.table("shop.by_day").collect())) == [(1, "mon"), (2, "tue")]
    tables.execute_sql("DROP TABLE cluster.shop.totals")
    assert "totals" not in rows_of(tables, "SHOW TABLES")
    with pytest.raises(TableError, match="has only columns"):
        tables.execute_sql("CREATE TABLE cluster.shop.timed (at TIMESTAMP(3), WATERMARK FOR at AS at)")


def test_event_time_over_a_table_of_the_cluster(tables, spark):
    spark.sql("SELECT 'a' AS k, TIMESTAMP_NTZ '2024-01-01 00:00:03' AS at").createOrReplaceTempView("clicks")
    tables.execute_sql("CREATE CATALOG cluster WITH ('type' = 'spark')")
    tables.execute_sql(
        "CREATE TEMPORARY TABLE timed (t AS CAST(at AS TIMESTAMP(3)), WATERMARK FOR t AS t) LIKE cluster.shop.clicks"
    )
    query = "SELECT k, COUNT(*), CAST(window_start AS STRING) FROM TABLE(TUMBLE(TABLE timed, DESCRIPTOR(t), "
    found = rows_of(tables, f"{query} INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end")
    assert found == [("a", 1, "2024-01-01 00:00:00.000")]


def test_a_directory_as_a_stream(tables, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "one.json").write_text('{"k": "a"}\n{"k": "b"}\n')
    tables.execute_sql(
        "CREATE TABLE coming (k STRING) WITH ('connector' = 'spark', 'format' = 'json', 'streaming' = 'true', "
        f"'path' = '{tmp_path}/in', 'option.maxFilesPerTrigger' = '1')"
    )
    result = tables.execute_sql("SELECT k FROM coming")
    with result.collect() as rows:
        assert sorted(next(rows)[0] for _ in range(2)) == ["a", "b"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("'path' = 'x'", "give either"),
        ("'table' = 'shop.orders', 'path' = 'x'", "leave 'path' out"),
        ("'table' = 'shop.orders', 'formt' = 'x'", "did you mean 'format'"),
    ],
)
def test_wrong_options(options, said, tables):
    tables.execute_sql(f"CREATE TABLE wrong (id BIGINT) WITH ('connector' = 'spark', {options})")
    with pytest.raises(TableError, match=said):
        tables.execute_sql("SELECT * FROM wrong")


def test_what_spark_does_not_find(tables):
    tables.execute_sql("CREATE TABLE gone (id BIGINT) WITH ('connector' = 'spark', 'table' = 'shop.nothing')")
    with pytest.raises(GraphError, match=r"Spark can't read shop\.nothing"):
        tables.execute_sql("SELECT * FROM gone")
    tables.execute_sql("CREATE TABLE other (nr BIGINT) WITH ('connector' = 'spark', 'table' = 'shop.orders')")
    with pytest.raises(GraphError, match="has no column 'nr'; it has id, city, amount"):
        tables.execute_sql("SELECT * FROM other")
