from __future__ import annotations

import pytest

from flott.common import Configuration
from flott.connectors.base import Committer, CommittingSinkWriter, Sink
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.base import StreamTransformer, SupportsPreprocessing


class Times(StreamTransformer):
    def __init__(self, factor):
        self.factor = factor

    def apply(self, ds):
        factor = self.factor
        return ds.map(lambda value: value * factor)


class Shown(Sink, SupportsPreprocessing):
    """Keeps what was committed."""

    written = []  # noqa: RUF012 - one for the test, which runs in one process

    def __init__(self, transformer):
        self.transformer = transformer

    def get_transformer(self):
        return self.transformer

    def create_writer(self, context):
        return Writer()

    def create_committer(self):
        return Shows()


class Shows(Committer):
    def commit(self, requests):
        Shown.written.extend(request.get_committable() for request in requests)


class Writer(CommittingSinkWriter):
    def __init__(self):
        self.values = []

    def write(self, element, context):
        self.values.append(element)

    def prepare_commit(self):
        values, self.values = self.values, []
        return values


@pytest.mark.parametrize(("transformer", "expected"), [(Times(10), [10, 20, 30]), (None, [1, 2, 3])])
def test_a_sink_gets_its_stream_as_its_transformer_makes_it(transformer, expected):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    Shown.written.clear()
    env.from_collection([1, 2, 3]).sink_to(Shown(transformer))
    env.execute()
    assert sorted(Shown.written) == expected
