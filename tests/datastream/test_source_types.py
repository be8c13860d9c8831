"""Whatever looks at a source's records sees them in the shape of their declared type."""

from __future__ import annotations

import pytest

from flott.common import Configuration, Row, Types, WatermarkGenerator, WatermarkStrategy
from flott.connectors.index_range import IndexRangeEnumerator
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.base import Source
from flott.datastream.connectors.datagen import DataGeneratorSource
from flott.runtime.batch import Batch

NAMED = Types.ROW_NAMED(["at", "name"], [Types.LONG(), Types.STRING()])
SEEN: list[list[str] | None] = []


class Unnamed(Source):
    def is_bounded(self):
        return True

    def create_enumerator(self, parallelism):
        return IndexRangeEnumerator(0, 3, parallelism)

    def read(self, read):
        yield Batch([Row(number, "x") for number in range(read.start, read.end)])

    def get_produced_type(self):
        return NAMED


class Marks(WatermarkGenerator):
    def on_event(self, event, event_timestamp, output):
        SEEN.append(event.get_field_names())
        assert event.at == event_timestamp

    def on_periodic_emit(self, output):
        pass


SOURCES = {
    "a generator": lambda: DataGeneratorSource(lambda number: Row(number, "x"), 3, None, NAMED),
    "a source of one's own": Unnamed,
}


@pytest.fixture
def env():
    SEEN.clear()
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    return StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(1)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_timestamp_assigner_sees_the_names_of_the_declared_type(env, source):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda row, _: row.at)
    stream = env.from_source(source(), strategy, "source")
    assert list(stream.map(lambda row: row.at).execute_and_collect()) == [0, 1, 2]


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_watermark_generator_sees_the_names_of_the_declared_type(env, source):
    strategy = WatermarkStrategy.for_generator(Marks).with_timestamp_assigner(lambda row, _: row.at)
    stream = env.from_source(source(), strategy, "source")
    assert list(stream.map(lambda row: row.name).execute_and_collect()) == ["x"] * 3
    assert SEEN == [["at", "name"]] * 3


def test_records_that_do_not_fit_the_declared_type_are_refused_before_they_are_stamped(env):
    source = DataGeneratorSource(Row, 3, None, NAMED)
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda row, _: row.at)
    with pytest.raises(Exception, match=r"source.* is not what was declared"):
        list(env.from_source(source, strategy, "source").execute_and_collect())
