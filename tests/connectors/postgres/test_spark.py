"""The PostgreSQL sink on Spark: writers in worker processes, the committer in the driver."""

from __future__ import annotations

import pytest

from flott.common import Configuration, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import MapFunction, StreamExecutionEnvironment
from flott.datastream.connectors.postgres import PostgresSink

pytestmark = pytest.mark.spark


class FailsAfterCheckpoint(MapFunction):
    """Fails when the second checkpoint is there, so that the driver knows of the first.

    Unless a file says that it did: workers share nothing else.
    """

    def __init__(self, directory):
        self.checkpoints = directory / "checkpoints"
        self.marker = directory / "failed"

    def map(self, value):
        if value % 100 == 0 and not self.marker.exists() and any(self.checkpoints.glob("*/chk-[2-9]/_metadata")):
            self.marker.touch()
            raise RuntimeError(f"fails at {value}")
        return value, str(value)


def test_a_job_that_fails_on_spark_writes_each_row_once(dsn, db, table, tmp_path, monkeypatch):
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 200)
    configuration = Configuration().set_string("flott.spark.master", "local[2]")
    configuration.set_string("execution.checkpointing.interval", "10 ms")
    configuration.set_string("execution.checkpointing.dir", str(tmp_path / "checkpoints"))
    configuration.set_string("restart-strategy.type", "fixed-delay")
    configuration.set_string("restart-strategy.fixed-delay.delay", "1 ms")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    source = DataGeneratorSource(lambda index: index, 20_000, RateLimiterStrategy.no_op())
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
    rows = numbers.map(FailsAfterCheckpoint(tmp_path))
    rows.sink_to(PostgresSink.builder().set_dsn(dsn).set_table(table, ["id", "text"]).build())
    client = env.execute_async("to postgres on Spark")
    client.get_job_execution_result().result(120)
    assert len(client.master.failures) == 1
    assert client.master.checkpoints.statistics.restored == 1
    found = db.execute(f"SELECT id FROM {table} ORDER BY id").fetchall()  # noqa: S608 - our own name
    assert [n for (n,) in found] == list(range(20_000))
