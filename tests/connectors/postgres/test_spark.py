"""The PostgreSQL sink on Spark: writers in worker processes, the committer in the driver."""

from __future__ import annotations

import pytest
from tests.waiting import PATIENCE, at_least, wait_until

from flott.common import Configuration, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import MapFunction, StreamExecutionEnvironment
from flott.datastream.connectors.postgres import PostgresSink

pytestmark = pytest.mark.spark


class FailsAfterCheckpoint(MapFunction):
    """Fails once at a record far behind the first, when the second checkpoint is there: the driver knows of the first.

    A file says that it did: workers share nothing else.
    """

    def __init__(self, directory, at):
        self.checkpoints = directory / "checkpoints"
        self.marker = directory / "failed"
        self.at = at

    def map(self, value):
        if value == self.at and not self.marker.exists():
            wait_until("the second checkpoint", self.newest_checkpoint, at_least(2))
            self.marker.touch()
            raise RuntimeError(f"fails at {value}")
        return value, str(value)

    def newest_checkpoint(self):
        files = self.checkpoints.glob("*/chk-*/_metadata")
        return max((int(file.parent.name[len("chk-") :]) for file in files), default=0)


def test_a_job_that_fails_on_spark_writes_each_row_once(dsn, db, table, tmp_path, monkeypatch):
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 200)
    monkeypatch.setattr("flott.coordination.sizing.LARGEST_SCALE", 1.0)  # so it takes 20 epochs or more, always
    configuration = Configuration().set_string("flott.spark.master", "local[2]")
    configuration.set_string("execution.checkpointing.interval", "10 ms")
    configuration.set_string("execution.checkpointing.dir", str(tmp_path / "checkpoints"))
    configuration.set_string("restart-strategy.type", "fixed-delay")
    configuration.set_string("restart-strategy.fixed-delay.delay", "1 ms")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    source = DataGeneratorSource(lambda index: index, 8_000, RateLimiterStrategy.no_op())
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
    rows = numbers.map(FailsAfterCheckpoint(tmp_path, at=4_000))
    rows.sink_to(PostgresSink.builder().set_dsn(dsn).set_table(table, ["id", "text"]).build())
    client = env.execute_async("to postgres on Spark")
    client.get_job_execution_result().result(PATIENCE)
    assert len(client.master.failures) == 1
    assert client.master.checkpoints.statistics.restored == 1
    found = db.execute(f"SELECT id FROM {table} ORDER BY id").fetchall()  # noqa: S608 - our own name
    assert [n for (n,) in found] == list(range(8_000))
