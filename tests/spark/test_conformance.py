"""DataFrames as sources and sinks go through the conformance kit, on Spark."""

from __future__ import annotations

from uuid import uuid4

import pytest
from pyspark.sql import SparkSession
from tests.spark.conftest import environment
from tests.spark.test_dataframes import write_orders
from tests.table.conftest import table_environment
from tests.table.connectors.program import sink_of

from flott.common import Configuration, Row, Types
from flott.spark.frame_writes import FormatWrite
from flott.spark.session import embedded_session
from flott.testing.connectors import SINK_CHECKS, SOURCE_CHECKS, SinkCase, SourceCase

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ORDER = Types.ROW_NAMED(["user", "amount"], [Types.STRING(), Types.LONG()])


@pytest.fixture(scope="module")
def spark():
    """The application that all tests of a process share."""
    settings = Configuration().set_string("flott.spark.master", "local[2]")
    return SparkSession.getActiveSession() or embedded_session(settings)


# -- sources


@pytest.mark.parametrize("check", SOURCE_CHECKS, ids=lambda check: check.__name__)
def test_a_batch_dataframe(spark, tmp_path, check):
    frame = spark.range(0, 60, 1, 3).selectExpr("CAST(id % 7 AS STRING) AS user", "id AS amount")

    def make():
        # A place that is named is left alone, so that a checkpoint can be gone back to after all was read.
        return environment().from_spark(frame, directory=str(tmp_path)).get_transformation().source

    check(SourceCase(make, expected=[Row(user=str(n % 7), amount=n) for n in range(60)]))


@pytest.mark.parametrize("check", SOURCE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("available_now", [True, False], ids=["bounded", "unbounded"])
def test_a_streaming_dataframe(spark, tmp_path, available_now, check):
    for number in range(3):
        write_orders(tmp_path / "in", number, [("ann", number, 0), ("bob", 10 + number, 0)])

    def make():
        frame = spark.readStream.schema("user STRING, amount LONG").option("maxFilesPerTrigger", 1)
        stream = environment().from_spark(
            frame.json(str(tmp_path / "in")), directory=str(tmp_path / "rows"), available_now=available_now
        )
        return stream.get_transformation().source

    def more():
        write_orders(tmp_path / "in", 3, [("cyd", 99, 0)])
        return [Row(user="cyd", amount=99)]

    expected = [Row(user=user, amount=start + n) for n in range(3) for user, start in (("ann", 0), ("bob", 10))]
    check(SourceCase(make, expected, None if available_now else more, patience=300))


# -- sinks


def record(number):
    return Row(user=f"user {number % 2}", amount=number)


def rows_of(frame):
    return [Row(user=row.user, amount=row.amount) for row in frame.collect()]


def case(tmp_path, options, read):
    """A case for `sink_to_spark`; each driver runs the program anew."""

    def make():
        env = environment()
        env.from_collection([Row("user 1", 1)], ORDER).sink_to_spark(directory=str(tmp_path / "rows"), **options)
        return next(step.operator.sink for step in env.get_transformations() if step.is_sink)

    return SinkCase(make, read, record, leftovers=lambda: [*tmp_path.glob("rows/**/*"), *tmp_path.glob("out/.*")])


@pytest.mark.parametrize("check", SINK_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("partition_by", [[], ["user"]], ids=["whole", "in-partitions"])
def test_files(spark, tmp_path, partition_by, check):
    def read():
        there = any(tmp_path.glob("out/**/part-*"))
        return rows_of(spark.read.parquet(str(tmp_path / "out"))) if there else []

    options = {"format": "parquet", "path": str(tmp_path / "out"), "partition_by": partition_by}
    check(case(tmp_path, options, read))


@pytest.mark.parametrize("check", SINK_CHECKS, ids=lambda check: check.__name__)
def test_a_function_that_leaves_out_a_number_it_has_seen(spark, tmp_path, check):
    written = {}

    def write(frame, number):
        written.setdefault(number, rows_of(frame))

    check(case(tmp_path, {"write": write}, lambda: [row for rows in written.values() for row in rows]))


@pytest.mark.parametrize("check", SINK_CHECKS, ids=lambda check: check.__name__)
def test_a_table_of_a_catalog(spark, tmp_path, check):
    name = f"orders_{uuid4().hex}"
    spark.sql(
        f"CREATE TABLE {name} (amount LONG, user STRING) USING json PARTITIONED BY (user) LOCATION 'file://{tmp_path}/out'"
    )

    def make():
        t_env = table_environment(2, "spark", flott__spark__master="local[2]", flott__storage__dir=str(tmp_path / "st"))
        t_env.execute_sql(
            f"CREATE TABLE t (user STRING, amount BIGINT) WITH ('connector' = 'spark', 'table' = '{name}')"
        )
        return sink_of(t_env, "t", "SELECT 'user 1', 1")

    hidden = lambda: [*tmp_path.glob("st/**/*.parquet"), *tmp_path.glob("out/.*")]  # noqa: E731
    try:
        check(SinkCase(make, lambda: rows_of(spark.table(name)), record, leftovers=hidden))
    finally:
        spark.sql(f"DROP TABLE {name}")


def test_a_second_attempt_that_would_cut_the_rows_otherwise_changes_nothing(spark, tmp_path):
    """A driver dies behind the write; the next one has another number of cores."""
    staged = []
    for number in range(4):
        spark.range(number * 10, number * 10 + 10, 1, 1).write.parquet(str(tmp_path / f"rows-{number}"))
        staged += map(str, (tmp_path / f"rows-{number}").glob("part-*"))
    write = FormatWrite("parquet", str(tmp_path / "out"))
    write(7, staged)
    before = sorted(path.name for path in (tmp_path / "out").glob("part-*"))
    spark.conf.set("spark.sql.files.maxPartitionBytes", "1024")
    spark.conf.set("spark.sql.files.openCostInBytes", "1")
    try:
        write(7, staged)
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
        spark.conf.unset("spark.sql.files.openCostInBytes")
    assert sorted(path.name for path in (tmp_path / "out").glob("part-*")) == before
    assert spark.read.parquet(str(tmp_path / "out")).count() == 40
    write.forget(7, staged)
    assert not list((tmp_path / "out").glob(".*"))
