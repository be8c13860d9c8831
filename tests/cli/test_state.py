"""``flott state`` shows what a savepoint, or the checkpoints of a running job, hold."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from tests.waiting import PATIENCE, wait_for_checkpoints

from flott.cli.main import main
from flott.common import Configuration, Types, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import CheckpointedFunction, KeyedProcessFunction, MapFunction, StreamExecutionEnvironment
from flott.datastream.connectors.discard import DiscardingSink
from flott.datastream.state import ListStateDescriptor, MapStateDescriptor, ValueStateDescriptor

pytestmark = pytest.mark.job


class Counts(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.digits = runtime_context.get_map_state(MapStateDescriptor("digits", Types.STRING(), Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        self.digits.put(str(value % 2), value)
        ctx.timer_service().register_event_time_timer(10**9)


class Totals(MapFunction, CheckpointedFunction):
    def initialize_state(self, context):
        self.state = context.get_operator_state_store().get_list_state(ListStateDescriptor("totals", Types.LONG()))

    def snapshot_state(self, context):
        self.state.update([7])

    def map(self, value):
        return value


def key(value):
    return ("ann", value % 3) if value % 2 else f"k{value % 3}"


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A job that runs, with its checkpoints in a directory, and a savepoint of it."""
    directory = tmp_path_factory.mktemp("state")
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    configuration.set_string("execution.checkpointing.interval", "20 ms")
    configuration.set_string("execution.checkpointing.num-retained", "5")
    configuration.set_string("execution.checkpointing.dir", str(directory / "checkpoints"))
    env = StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(2)
    source = DataGeneratorSource(int, None, RateLimiterStrategy.per_second(2_000))
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers").map(Totals())
    stream.uid("totals").key_by(key).process(Counts()).uid("counts").name("counter").sink_to(DiscardingSink())
    client = env.execute_async("running")
    wait_for_checkpoints(client, 2)
    savepoint = client.trigger_savepoint(str(directory / "savepoints")).result(PATIENCE)
    yield directory, savepoint
    client.cancel().result(PATIENCE)


def flott(*arguments):
    result = CliRunner().invoke(main, ["state", *map(str, arguments)])
    return result.exit_code, result.output


def test_ls(running):
    code, output = flott("ls", running[1])
    assert code == 0
    header, *lines = [line.split() for line in output.splitlines()]
    assert header == ["operator", "name", "state", "kind", "type"]
    assert ["counts", "counter", "count", "value", "state", "LONG"] in lines
    assert any(line[0] == "totals" and "even-split" in line for line in lines)
    assert flott("ls", running[1], "counts", "--json")[1].startswith('{"uid": "counts"')


def test_get(running):
    code, output = flott("get", running[1], "counts", "count", "k0", "--json")
    assert code == 0
    assert json.loads(output)["key"] == "k0"
    assert json.loads(output)["value"] > 0
    assert "ann" in flott("get", running[1], "counter", "count", '["ann", 1]')[1]
    entries = flott("get", running[1], "counts", "digits", "k0", "--json")[1].splitlines()
    assert [json.loads(entry)["map_key"] for entry in entries] == ["0"]
    code, output = flott("get", running[1], "counts", "count", "nobody")
    assert code == 1
    assert "state 'count' of 'counts' holds nothing for the key nobody" in output


def test_scan(running):
    lines = [json.loads(line) for line in flott("scan", running[1], "counts", "count", "--json")[1].splitlines()]
    assert {str(line["key"]) for line in lines} == {"k0", "k1", "k2", "['ann', 0]", "['ann', 1]", "['ann', 2]"}
    assert len(flott("scan", running[1], "counts", "count", "--limit", "2")[1].splitlines()) == 3
    assert "1000000000" in flott("scan", running[1], "counts", "timers")[1]
    assert "7" in flott("scan", running[1], "totals", "totals")[1]


def test_a_running_jobs_newest_checkpoint(running):
    code, output = flott("scan", running[0] / "checkpoints", "counts", "count")
    assert code == 0, output
    assert "k0" in output


def test_errors(running, tmp_path):
    assert "it has that of 'Source: numbers'" in flott("scan", running[1], "cuonts", "count")[1]
    assert "has no state 'cuont' there; it has 'count' (value state)" in flott("scan", running[1], "counts", "cuont")[1]
    code, output = flott("ls", tmp_path)
    assert code == 1
    assert "no savepoint and no complete checkpoint" in output
    assert "there is savepoint-" in flott("ls", running[0] / "savepoints")[1]
