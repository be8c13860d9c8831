"""DataFrames as inputs and outputs: in one program with the rest, and over restarts."""

from __future__ import annotations

import os

import pytest
from pyspark.sql import SparkSession
from tests.waiting import wait_until

from flott.cep import CEP, Pattern
from flott.common import Configuration, Row, Types, WatermarkStrategy
from flott.common.watermark_strategy import TimestampAssigner
from flott.datastream import ProcessFunction
from flott.errors import GraphError, JobExecutionError
from flott.spark.session import embedded_session

pytestmark = pytest.mark.spark

ORDER = Types.ROW_NAMED(["user", "amount"], [Types.STRING(), Types.LONG()])


@pytest.fixture(scope="module")
def spark():
    """The application that all tests of a process share."""
    settings = Configuration().set_string("flott.spark.master", "local[2]")
    return SparkSession.getActiveSession() or embedded_session(settings)


@pytest.fixture
def checkpointed(make_env, tmp_path):
    """Makes environments that take a checkpoint with every epoch, and go on from the last."""

    def make(**options):
        return make_env(
            execution_checkpointing_interval="1 ms",
            execution_checkpointing_dir=tmp_path / "checkpoints",
            restart__strategy_type="fixed-delay",
            restart__strategy_fixed__delay_delay="1 ms",
            **options,
        )

    return make


class FailOnce(ProcessFunction):
    """Fails when it sees a row with a value, the first time in the life of a file."""

    def __init__(self, mark, value):
        self.mark = mark
        self.value = value

    def process_element(self, value, ctx):
        if self.value in tuple(value) and not self.mark.exists():
            self.mark.touch()
            raise RuntimeError("once")
        yield value


def test_a_batch_dataframe_becomes_a_stream_and_a_stream_a_dataframe(spark, env):
    frame = spark.range(0, 1000, 1, 4).selectExpr("id % 7 AS user", "id AS amount", "rand() AS chance")
    stream = env.from_spark(frame)
    assert stream.get_type() == Types.ROW_NAMED(
        ["user", "amount", "chance"], [Types.LONG(), Types.LONG(), Types.DOUBLE()]
    )
    totals = stream.map(lambda row: Row(str(row.user), row.amount), ORDER).key_by(lambda row: row.user)
    largest = totals.reduce(lambda one, other: max(one, other, key=lambda row: row.amount)).to_spark()
    found = {
        row.user: row.most for row in largest.groupBy("user").agg({"amount": "max"}).toDF("user", "most").collect()
    }
    assert found == {str(user): max(number for number in range(1000) if number % 7 == user) for user in range(7)}


def test_no_rows_are_a_dataframe_too(spark, env):
    stream = env.from_spark(spark.range(0)).map(lambda row: Row("a", row.id), ORDER)
    frame = stream.to_spark()
    assert frame.columns == ["user", "amount"]
    assert frame.count() == 0


def test_rows_come_again_the_same_after_a_failure(spark, checkpointed, tmp_path):
    frame = spark.range(0, 5000, 1, 4).selectExpr("id", "rand() AS chance")
    env = checkpointed()
    stream = env.from_spark(frame).process(FailOnce(tmp_path / "failed", 3000), Types.ROW_NAMED(
        ["id", "chance"], [Types.LONG(), Types.DOUBLE()]))  # fmt: skip
    written = stream.to_spark()
    assert (tmp_path / "failed").exists()
    assert [row.id for row in written.orderBy("id").collect()] == list(range(5000))


def write_orders(folder, number, rows):
    folder.mkdir(exist_ok=True)
    part = folder / f".{number}"
    part.write_text("".join(f'{{"user": "{user}", "amount": {amount}, "at": {at}}}\n' for user, amount, at in rows))
    os.utime(part, (number, number))  # Spark takes the older one first
    part.rename(folder / f"{number}.json")


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value.at


def orders_stream(spark, env, folder, *, available_now):
    frame = (
        spark.readStream.schema("user STRING, amount LONG, at LONG").option("maxFilesPerTrigger", 1).json(str(folder))
    )
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    return env.from_spark(frame, strategy, available_now=available_now)


def test_a_streaming_dataframe_through_cep_to_parquet_with_a_failure_in_the_middle(spark, checkpointed, tmp_path):
    for number in range(6):
        rows = [("ann", number, number * 10), ("ann", 100 + number, number * 10 + 1), ("bob", 1, number * 10 + 2)]
        write_orders(tmp_path / "in", number, rows)
    env = checkpointed()
    env.set_parallelism(1)
    orders = orders_stream(spark, env, tmp_path / "in", available_now=True)
    watched = orders.process(FailOnce(tmp_path / "failed", 103), orders.get_type())
    rise = Pattern.begin("low").where(lambda row: row.amount < 100).next("high").where(lambda row: row.amount >= 100)
    alerts = CEP.pattern(watched.key_by(lambda row: row.user), rise).select(
        lambda match: Row(match["low"][0].user, match["high"][0].amount), output_type=ORDER
    )
    alerts.sink_to_spark(format="parquet", path=str(tmp_path / "out"), partition_by=["user"])
    env.execute()
    assert (tmp_path / "failed").exists()
    found = spark.read.parquet(str(tmp_path / "out"))
    assert sorted((row.user, row.amount) for row in found.collect()) == [("ann", 100 + number) for number in range(6)]
    assert not (tmp_path / "out" / ".staging").exists()


def test_a_new_job_goes_on_from_a_savepoint_with_sparks_offsets(spark, checkpointed, tmp_path):
    folder, calls = tmp_path / "in", []
    write_orders(folder, 0, [("ann", 1, 1)])

    def start(**options):
        env = checkpointed(**options)
        stream = orders_stream(spark, env, folder, available_now=False).uid("orders")
        kept = stream.map(lambda row: Row(row.user, row.amount), ORDER).uid("kept")
        kept.sink_to_spark(lambda frame, number: calls.append((number, frame.collect()))).uid("out")
        return env.execute_async()

    def wait_for(amounts):
        wait_until(f"{amounts}", lambda: sorted(row.amount for _, rows in calls for row in rows), amounts.__eq__)

    client = start()
    wait_for([1])
    savepoint = client.stop_with_savepoint(False, str(tmp_path / "savepoints")).result()
    write_orders(folder, 1, [("bob", 2, 2)])
    client = start(execution_state__recovery_path=savepoint)
    try:
        wait_for([1, 2])
        write_orders(folder, 2, [("cyd", 3, 3)])
        wait_for([1, 2, 3])
    finally:
        client.cancel().result()
    numbers = [number for number, _ in calls]
    assert len(set(numbers)) == len(numbers)


def test_state_in_spark_is_refused(spark, env, tmp_path):
    write_orders(tmp_path / "in", 0, [("ann", 1, 1)])
    frame = spark.readStream.schema("user STRING, amount LONG").json(str(tmp_path / "in")).dropDuplicates(["user"])
    env.from_spark(frame, available_now=True).print()
    with pytest.raises(JobExecutionError, match="keeps state in Spark"):
        env.execute()


def test_wrong_use_is_named(spark, env):
    with pytest.raises(GraphError, match="give a DataFrame of pyspark"):
        env.from_spark([1, 2])
    stream = env.from_spark(spark.range(3))
    with pytest.raises(GraphError, match="give either a function"):
        stream.sink_to_spark()
    with pytest.raises(GraphError, match="is no row of columns"):
        stream.map(lambda row: row.id).sink_to_spark(format="parquet", path="x")
    with pytest.raises(GraphError, match="there is no column 'usr'; the stream has id"):
        stream.sink_to_spark(format="parquet", path="x", partition_by=["usr"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"format": "parquet", "path": "file/out"}, r"'.*/file/out' can't be written.*Not a directory"),
        ({"format": "parket", "path": "out"}, r"Spark can't write to parket .*DATA_SOURCE_NOT_FOUND"),
        (
            {"format": "jdbc", "url": "jdbc:nothing:x", "dbtable": "t"},
            r"Spark can't write to jdbc: .*No suitable driver",
        ),
        ({"write": lambda frame, number: 1 / number.nothing}, r"the function of sink_to_spark.*AttributeError"),
    ],
)
def test_what_spark_refuses_is_told_with_the_operator(spark, env, tmp_path, options, said):
    (tmp_path / "file").touch()
    options = {**options, "path": str(tmp_path / options["path"])} if "path" in options else options
    env.from_spark(spark.range(3)).sink_to_spark(**options).name("orders")
    with pytest.raises(JobExecutionError, match=rf"operator 'Sink: orders': .*{said}"):
        env.execute()
