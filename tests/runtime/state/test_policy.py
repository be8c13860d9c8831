from __future__ import annotations

import pytest

from flott.common import Configuration, Types, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from flott.datastream.state import MapStateDescriptor
from flott.errors import JobExecutionError
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.policy import StatePolicy


def test_without_settings_it_is_what_the_classes_say():
    assert StatePolicy.of(Configuration()) == StatePolicy()


def test_all_of_it_can_be_set():
    settings = Configuration()
    settings.set_string("flott.state.cache-entries", "10")
    settings.set_string("flott.state.cache-memory", "1 mb")
    settings.set_string("flott.state.max-store-size", "3 mb")
    assert StatePolicy.of(settings) == StatePolicy(CacheLimits(10, 2**20), 3 * 2**20)


class Keep(KeyedProcessFunction):
    def open(self, runtime_context):
        self.kept = runtime_context.get_map_state(MapStateDescriptor("kept", Types.LONG(), Types.STRING()))

    def process_element(self, value, ctx):
        self.kept.put(value, str(value) * 200)


@pytest.mark.job
def test_a_job_whose_store_outgrows_its_limit_fails_and_names_the_setting(monkeypatch):
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 1_000)
    settings = Configuration()
    settings.set_string("flott.execution.target", "in-process")
    settings.set_string("flott.state.max-store-size", "1 mb")
    settings.set_string("restart-strategy.type", "none")
    env = StreamExecutionEnvironment.get_execution_environment(settings)
    source = DataGeneratorSource(lambda number: number, 20_000)
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
    numbers.key_by(lambda number: number % 10).process(Keep())
    with pytest.raises(JobExecutionError, match=r"flott\.state\.max-store-size lets its ordered part grow"):
        env.execute()
