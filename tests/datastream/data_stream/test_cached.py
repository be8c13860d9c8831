from __future__ import annotations

import pytest

from flott.common import Configuration, Types, WatermarkStrategy
from flott.datastream import CachedDataStream, MapFunction, RuntimeExecutionMode, StreamExecutionEnvironment
from flott.datastream.connectors.datagen import ColumnGenerator, DataGeneratorSource
from flott.datastream.window import TumblingEventTimeWindows
from flott.errors import GraphError, JobExecutionError

pytestmark = pytest.mark.job


class Counted(MapFunction):
    """Counts how often it was called, in this process."""

    calls = 0
    fails = False

    def map(self, value):
        Counted.calls += 1
        if Counted.fails:
            raise RuntimeError("fails")
        return value * 10


@pytest.fixture(params=["beside the checkpoints", "on this machine"])
def env(request, tmp_path):
    Counted.calls, Counted.fails = 0, False
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    if request.param == "beside the checkpoints":
        configuration.set_string("execution.checkpointing.dir", str(tmp_path / "checkpoints"))
    return StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(2)


def collect(stream):
    with stream.execute_and_collect() as results:
        return sorted(results, key=str)


def test_later_jobs_read_what_the_first_one_wrote(env):
    cached = env.from_sequence(1, 100).map(Counted()).cache()
    assert isinstance(cached, CachedDataStream)
    tens = [number * 10 for number in range(1, 101)]
    assert sorted(collect(cached.map(lambda n: n))) == tens
    assert Counted.calls == 100
    assert sorted(collect(cached.filter(lambda n: n > 900))) == tens[90:]
    assert sorted(collect(cached)) == tens
    assert Counted.calls == 100


def test_after_invalidate_it_is_computed_and_kept_again(env):
    cached = env.from_sequence(1, 10).map(Counted()).cache()
    for _ in range(2):
        assert len(collect(cached)) == len(collect(cached.map(str))) == 10
        cached.invalidate()
    assert Counted.calls == 20
    cached.invalidate()
    assert len(collect(cached)) == 10
    assert Counted.calls == 30


def test_what_a_failed_job_wrote_does_not_count(env):
    cached = env.from_sequence(1, 10).map(Counted()).cache()
    Counted.fails = True
    with pytest.raises(JobExecutionError):
        collect(cached)
    Counted.fails, Counted.calls = False, 0
    assert len(collect(cached)) == 10
    assert len(collect(cached)) == 10
    assert Counted.calls == 10


def test_timestamps_and_columns_are_kept(env):
    kind = Types.ROW_NAMED(["user", "time"], [Types.LONG(), Types.LONG()])
    orders = ColumnGenerator(lambda index: {"user": index % 3, "time": index}, kind)
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda row, _: row.time)
    cached = env.from_source(DataGeneratorSource(orders, 60), strategy, "orders").cache()
    counts = [
        [tuple(row) for row in collect(cached.key_by("user").window(TumblingEventTimeWindows.of(20)).count())]
        for _ in range(2)
    ]
    assert counts[0] == counts[1]
    assert len(counts[0]) == 9
    assert sum(row[3] for row in counts[0]) == 60


def test_several_programs_share_one_cache_and_a_cache_of_a_cache(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    first = env.from_sequence(1, 10).map(Counted()).cache()
    second = first.key_by(lambda n: n % 3).reduce(lambda one, other: one + other).cache()
    assert sum(collect(second)) == 550
    assert sum(collect(second.union(first))) == 1_100
    assert Counted.calls == 10


def test_building_the_graph_does_not_fill_it(env):
    cached = env.from_sequence(1, 10).map(Counted()).cache()
    cached.print()
    assert str(env.get_stream_graph()).count("Cache") == 2
    assert "Sink: Cache" in str(env.get_stream_graph(clear_transformations=True))
    assert len(collect(cached)) == len(collect(cached)) == 10
    assert Counted.calls == 10


def test_what_never_ends_can_not_be_kept(env):
    with pytest.raises(GraphError, match="never ends, so its records can't be kept"):
        env.socket_text_stream("localhost", 9999).map(str).cache()


def test_without_generated_uids(env):
    env.get_config().disable_auto_generated_uids()
    cached = env.from_sequence(1, 3).uid("numbers").map(Counted()).uid("tens").cache().uid("cache")
    mapped = cached.map(str).uid("texts")
    mapped.print().uid("sink")
    env.execute("first")
    assert Counted.calls == 3
