"""Every kind of state of a savepoint is read."""

from __future__ import annotations

import json

import pytest
from tests.coordination.checkpoints.every_state_job import KEYS, LONG_KEY, RULE_BOOK, STEP

from flott.common import Duration, Row, Types
from flott.datastream.state import (
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from flott.errors import CheckpointError, StateAccessError
from flott.state_processor import KeyedStateReaderFunction, OperatorIdentifier, SavepointReader

pytestmark = pytest.mark.job

SEEN = range(300)
"""The records before the savepoint."""


def of_key(key):
    return [n for n in SEEN if n % KEYS == key]


KEYS_OF_STATE = {LONG_KEY if key == 0 else key: of_key(key) for key in range(KEYS)}


@pytest.fixture(scope="module")
def reader(saved):
    return SavepointReader.read(saved[0])


def test_operators_and_states_are_listed(reader):
    operators = reader.list_operators().to_pandas()
    assert {"numbers", "every state", "rules", "tumbling", "sessions", "columns", "patterns"} <= set(operators["uid"])
    assert set(operators["parallelism"]) == {1, 2}
    states = reader.list_states("every state").to_pandas().set_index("state")
    assert states.loc["count", "kind"] == "value state"
    assert states.loc["rests", "kind"] == "map state"
    assert json.loads(states.loc["numbers", "type"]) == {"list": "LONG"}
    assert len(reader.list_states().to_pandas()) > len(states)


@pytest.mark.parametrize("name", ["count", "ttl count"])
def test_value_state(reader, name):
    frame = reader.read_keyed_state("every state", name)
    assert dict(frame) == {key: len(numbers) for key, numbers in KEYS_OF_STATE.items()}
    table = frame.to_pandas()
    assert list(table.columns) == ["key", "value"]
    assert table["value"].sum() == len(SEEN)


@pytest.mark.parametrize("name", ["numbers", "ttl numbers"])
def test_list_state(reader, name):
    found = {key: sorted(value) for key, value in reader.read_keyed_state("every state", name)}
    assert found == KEYS_OF_STATE


def test_map_state(reader):
    found = {(key, rest): count for key, rest, count in reader.read_keyed_state("every state", "rests")}
    assert found == {
        (key, rest): len([n for n in numbers if n % 3 == rest])
        for key, numbers in KEYS_OF_STATE.items()
        for rest in range(3)
    }


def test_reducing_and_aggregating_state(reader):
    assert dict(reader.read_keyed_state("every state", "total")) == {k: sum(n) for k, n in KEYS_OF_STATE.items()}
    averages = dict(reader.read_keyed_state("every state", "average"))
    assert averages == {key: (sum(numbers), len(numbers)) for key, numbers in KEYS_OF_STATE.items()}


def test_rows(reader):
    rows = dict(reader.read_keyed_state("row states", "row"))
    assert rows[3] == Row(old="dropped", count=len(of_key(3)), total=sum(of_key(3)))


def test_timers(reader):
    table = reader.read_timers("every state").to_pandas()
    assert set(table["time_domain"]) == {"event", "processing"}
    processing = table[table["time_domain"] == "processing"]
    assert sorted(processing["timestamp"]) == [5_000] * KEYS
    assert set(processing["key"]) == set(KEYS_OF_STATE)
    windows = reader.read_timers("tumbling").to_pandas()
    assert len(windows) == len(list(reader.read_window_state("tumbling"))) > 0
    assert set(windows["timestamp"]) == set(windows["window_end"] - 1)


def test_windows(reader):
    reached = (SEEN[-1]) * STEP
    for key, start, end, total in reader.read_window_state("tumbling"):
        assert total == sum(n for n in of_key(key) if start <= n * STEP < end)
        assert end > reached - 700
    listed = list(reader.read_window_state("listed"))
    assert listed
    for key, start, end, records in listed:
        assert sorted(records) == [n for n in of_key(key) if start <= n * STEP < end]
    counts = {key: len(records) for key, _, _, records in reader.read_window_state("counted")}
    assert counts == {key: len(of_key(key)) % 8 for key in range(KEYS) if len(of_key(key)) % 8}


def test_sessions(reader):
    sessions = {key: rest for key, *rest in reader.read_window_state("sessions")}
    assert sessions[4] == [280 * STEP, 299 * STEP + 50, sum(range(280, 300))]
    assert sessions[3] == [260 * STEP, 279 * STEP + 50, sum(range(260, 280))]
    assert {key for key, *_ in reader.read_window_state("listed sessions")} == set(range(5))


def test_aggregates_in_columns(reader):
    frame = reader.read_window_state("columns")
    assert frame.columns == ("key", "pane_start", "value")
    sums = {}
    for key, start, partial in frame:
        sums[key, start] = sums.get((key, start), 0) + partial["sum:amount"]
    assert sums
    for (key, start), total in sums.items():
        assert total == sum(n for n in of_key(key) if start <= n * STEP < start + 800)


def test_patterns(reader):
    assert {key for key, *_ in reader.read_keyed_state("patterns", "cep-runs")} <= set(range(KEYS))


def test_operator_state(reader):
    assert sum(value for (value,) in reader.read_list_state("split total", "total")) == len(SEEN)
    assert sum(value for (value,) in reader.read_union_state("union total", "all totals")) == len(SEEN)
    assert list(reader.read_broadcast_state("rules", "rules")) == RULE_BOOK
    assert reader.read_source_position("numbers") == len(SEEN)


class Everything(KeyedStateReaderFunction):
    def open(self, runtime_context):
        get = runtime_context
        self.count = get.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.numbers = get.get_list_state(ListStateDescriptor("numbers", Types.LONG()))
        self.rests = get.get_map_state(MapStateDescriptor("rests", Types.LONG(), Types.LONG()))
        self.total = get.get_reducing_state(ReducingStateDescriptor("total", lambda a, b: a + b, Types.LONG()))
        ttl = ValueStateDescriptor("ttl count", Types.LONG())
        ttl.enable_time_to_live(StateTtlConfig.new_builder(Duration.of_days(30_000)).build())
        self.ttl_count = get.get_state(ttl)

    def read_key(self, key, ctx):
        assert self.count.value() == self.ttl_count.value() == len(self.numbers.get()) == sum(self.rests.values())
        assert ctx.registered_processing_time_timers() == {5_000}
        yield key, self.total.get(), len(ctx.registered_event_time_timers())


def test_a_function_reads_states_and_timers_of_a_key(reader):
    frame = reader.read_keyed_state("every state", Everything())
    assert frame.columns == ("f0", "f1", "f2")
    assert {key: total for key, total, _ in frame} == {key: sum(n) for key, n in KEYS_OF_STATE.items()}
    timers = reader.read_timers("every state").to_pandas()
    assert sum(count for _, _, count in frame) == len(timers[timers["time_domain"] == "event"])


class Widened(KeyedStateReaderFunction):
    def open(self, runtime_context):
        row = Types.ROW_NAMED(["total"], [Types.DOUBLE()])
        self.row = runtime_context.get_state(ValueStateDescriptor("row", row))

    def read_key(self, key, ctx):
        yield self.row.value()


def test_a_function_may_declare_a_wider_type(reader):
    rows = [row for (row,) in reader.read_keyed_state("row states", Widened())]
    assert sorted(row["total"] for row in rows) == sorted(float(sum(of_key(key))) for key in range(KEYS))


class Forgets(Everything):
    def open(self, runtime_context):
        pass


def test_errors_say_what_there_is(reader, saved, tmp_path):
    with pytest.raises(CheckpointError, match=r"no state of an operator with uid 'everi state'; it has .*'every"):
        reader.read_keyed_state("everi state", "count")
    with pytest.raises(CheckpointError, match=r"has no state 'cuont' there; it has .*'count' \(value state\)"):
        reader.read_keyed_state("every state", "cuont")
    with pytest.raises(CheckpointError, match=r"'total' is even-split list state, and not union list state"):
        reader.read_union_state("split total", "total")
    with pytest.raises(CheckpointError, match=r"'rules' is broadcast state.*read_broadcast_state"):
        reader.read_keyed_state("rules", "rules")
    with pytest.raises(StateAccessError, match="declares no state in open"):
        list(reader.read_keyed_state("every state", Forgets()))
    with pytest.raises(CheckpointError, match=r"no savepoint and no complete checkpoint at"):
        SavepointReader.read(tmp_path)
    identifier = OperatorIdentifier.for_uid("every state")
    assert dict(reader.read_keyed_state(OperatorIdentifier.for_uid_hash(identifier.operator_id), "count"))


class Session:
    """Stands in for a Spark session."""

    def createDataFrame(self, rows, schema):
        return rows, schema


def test_for_spark_the_types_are_those_of_the_state(reader):
    rows, schema = reader.read_keyed_state("row states", "row").to_spark(Session())
    assert schema == "`key` BIGINT, `value` STRUCT<`old`: STRING, `count`: INT, `total`: BIGINT>"
    assert (3, ("dropped", len(of_key(3)), sum(of_key(3)))) in rows
    rows, schema = reader.read_keyed_state("every state", "numbers").to_spark(Session())
    assert schema == "`key` STRING, `value` ARRAY<BIGINT>"
    assert {key for key, _ in rows} == {json.dumps(key) for key in KEYS_OF_STATE}
