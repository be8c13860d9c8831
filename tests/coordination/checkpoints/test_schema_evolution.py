"""Jobs that go on with state of another type: converted where nothing is lost, else refused with both schemas."""

from __future__ import annotations

import pytest
from tests.coordination.checkpoints.every_state_job import Hold, Stamp, text_sink
from tests.waiting import PATIENCE, wait_while_running

from flott.common import Configuration, Duration, Row, Types, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.datastream import (
    CheckpointedFunction,
    KeyedBroadcastProcessFunction,
    KeyedProcessFunction,
    MapFunction,
    StreamExecutionEnvironment,
)
from flott.datastream.state import ListStateDescriptor, MapStateDescriptor, StateTtlConfig, ValueStateDescriptor
from flott.datastream.window import TumblingEventTimeWindows
from flott.errors import JobExecutionError

pytestmark = pytest.mark.job

NARROW = Types.ROW_NAMED(["n", "gone"], [Types.INT(), Types.STRING()])
WIDE = Types.ROW_NAMED(["n", "new"], [Types.DOUBLE(), Types.STRING()])
KINDS = {
    "value": lambda ctx, d: ctx.get_state(d),
    "list": lambda ctx, d: ctx.get_list_state(d),
    "map": lambda ctx, d: ctx.get_map_state(d),
}
DESCRIPTORS = {
    "value": ValueStateDescriptor,
    "list": ListStateDescriptor,
    "map": lambda name, type_info: MapStateDescriptor(name, Types.LONG(), type_info),
}


class Keeps(KeyedProcessFunction):
    """Keeps one thing for each key in a state of some type, and tells what it found there before."""

    found: dict = {}  # noqa: RUF012 - shared by all copies in this process

    def __init__(self, kind, type_info, value, *, ttl=False, late=False):
        self.kind = kind
        self.type_info = type_info
        self.value = value
        self.ttl = ttl
        self.late = late
        self.state = None

    def open(self, runtime_context):
        self.context = runtime_context
        if not self.late:
            self.declare()

    def declare(self):
        descriptor = DESCRIPTORS[self.kind]("kept", self.type_info)
        if self.ttl:
            descriptor.enable_time_to_live(StateTtlConfig.new_builder(Duration.of_hours(1)).build())
        self.state = KINDS[self.kind](self.context, descriptor)

    def process_element(self, value, ctx):
        if self.state is None:
            # A key group that no record comes to never asks for the state.
            if value < 390:
                return
            self.declare()
        if self.kind == "value":
            found = self.state.value()
            self.state.update(self.value)
        elif self.kind == "list":
            found = self.state.get()
            self.state.update([self.value, self.value])
        else:
            found = dict(self.state.items())
            self.state.put(1, self.value)
        Keeps.found.setdefault(ctx.get_current_key(), found)
        yield str(value)


@pytest.fixture(autouse=True)
def small_epochs(monkeypatch):
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", 10)
    monkeypatch.setattr("flott.coordination.sizing.LARGEST_STEP", 1.0)
    Keeps.found.clear()
    yield
    Hold.at = None
    Hold.go_on.set()


def numbers(parallelism=2, path=None, records=700):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    configuration.set_string("restart-strategy.type", "none")
    if path is not None:
        configuration.set_string("execution.state-recovery.path", path)
    env = StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(parallelism)
    source = DataGeneratorSource(lambda index: index, records)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
    return env, stream.map(Hold(), Types.LONG()).uid("hold")


def keeping(tmp_path, function, parallelism=2, path=None):
    env, stream = numbers(parallelism, path)
    kept = stream.key_by(lambda n: n % 20).process(function).uid("keeps").name("keeper")
    kept.sink_to(text_sink(tmp_path / "out")).uid("out")
    return env


def savepoint(env, directory, hold=120):
    Hold.at = hold
    Hold.reached.clear()
    Hold.go_on.clear()
    client = env.execute_async("before")
    wait_while_running(client, "the record to hold at", Hold.reached.is_set)
    promise = client.stop_with_savepoint(False, str(directory))
    Hold.go_on.set()
    path = promise.result(PATIENCE)
    Hold.at = None
    return path


@pytest.mark.parametrize("ttl", [False, True])
@pytest.mark.parametrize("parallelism", [2, 3])
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("value", Row(n=7.0, new=None)),
        ("list", [Row(n=7.0, new=None)] * 2),
        ("map", {1: Row(n=7.0, new=None)}),
    ],
)
def test_rows_come_back_with_the_fields_they_have_now(tmp_path, kind, expected, parallelism, ttl):
    before, after = Row(n=7, gone="x"), Row(n=8.5, new="y")
    path = savepoint(keeping(tmp_path, Keeps(kind, NARROW, before, ttl=ttl)), tmp_path)
    Keeps.found.clear()
    second = savepoint(keeping(tmp_path, Keeps(kind, WIDE, after, ttl=ttl), parallelism, path), tmp_path, hold=400)
    assert Keeps.found == dict.fromkeys(range(20), expected)
    # From then on there is nothing to convert.
    Keeps.found.clear()
    keeping(tmp_path, Keeps(kind, WIDE, after, ttl=ttl), 2, second).execute("after")
    assert Keeps.found
    assert all("new" in str(found) and "8.5" in str(found) for found in Keeps.found.values())


def test_what_no_record_came_for_is_converted_too(tmp_path):
    """Some keys are never seen again; a third program finds them as the second one would have left them."""
    path = savepoint(keeping(tmp_path, Keeps("value", NARROW, Row(n=7, gone="x"))), tmp_path)
    env, stream = numbers(path=path)
    few = stream.filter(lambda n: n % 20 == 3).uid("few")
    few.key_by(lambda n: n % 20).process(Keeps("value", WIDE, Row(n=1.5, new="y"))).uid("keeps").sink_to(
        text_sink(tmp_path / "out")
    ).uid("out")
    second = savepoint(env, tmp_path, hold=400)
    Keeps.found.clear()
    keeping(tmp_path, Keeps("value", WIDE, Row(n=2.5, new="z")), 3, second).execute("after")
    assert Keeps.found.pop(3) == Row(n=1.5, new="y")
    assert Keeps.found == {key: Row(n=7.0, new=None) for key in range(20) if key != 3}


def test_a_subtask_that_asks_late_still_gets_it_right(tmp_path):
    """Only some subtasks have declared the new type when the next savepoint is taken, at another parallelism."""
    path = savepoint(keeping(tmp_path, Keeps("value", NARROW, Row(n=7, gone="x"))), tmp_path)
    env, stream = numbers(path=path)
    one = stream.filter(lambda n: n % 20 == 3).uid("few")
    one.key_by(lambda n: n % 20).process(Keeps("value", WIDE, Row(n=1.5, new="y"), late=True)).uid("keeps").sink_to(
        text_sink(tmp_path / "out")
    ).uid("out")
    second = savepoint(env, tmp_path, hold=400)
    Keeps.found.clear()
    env, stream = numbers(3, second)
    stream.key_by(lambda n: n % 20).process(Keeps("value", WIDE, Row(n=2.5, new="z"))).uid("keeps").sink_to(
        text_sink(tmp_path / "out")
    ).uid("out")
    env.execute("after")
    assert Keeps.found.pop(3) == Row(n=1.5, new="y")
    assert Keeps.found == {key: Row(n=7.0, new=None) for key in range(20) if key != 3}


@pytest.mark.parametrize(
    ("kind", "before", "after", "message"),
    [
        (
            "value", Types.STRING(), Types.LONG(),
            r"operator 'keeper' \(uid=keeps\): value state 'kept' was saved with the schema \"STRING\", and is now",
        ),
        (
            "value", NARROW, Types.ROW_NAMED(["n"], [Types.STRING()]),
            r'\{"row": \{"n": "INT", "gone": "STRING"\}\}, and is now declared with \{"row": \{"n": "STRING"\}\}',
        ),
        ("list", Types.DOUBLE(), Types.LONG(), r'"list": "DOUBLE".*"list": "LONG".*an element was DOUBLE'),
        ("map", Types.LONG(), Types.INT(), r'"LONG", "LONG".*"LONG", "INT".*the value was LONG'),
    ],
)  # fmt: skip
def test_what_would_lose_something_is_refused_with_both_schemas(tmp_path, kind, before, after, message):
    path = savepoint(keeping(tmp_path, Keeps(kind, before, 7)), tmp_path)
    with pytest.raises(JobExecutionError, match=message):
        keeping(tmp_path, Keeps(kind, after, 7), 2, path).execute("after")


def test_another_kind_of_state_is_refused(tmp_path):
    path = savepoint(keeping(tmp_path, Keeps("value", Types.LONG(), 7)), tmp_path)
    with pytest.raises(JobExecutionError, match="state 'kept' was saved as value state, and is now list state"):
        keeping(tmp_path, Keeps("list", Types.LONG(), 7), 2, path).execute("after")


def test_pickled_state_is_not_checked(tmp_path):
    path = savepoint(keeping(tmp_path, Keeps("value", None, "text")), tmp_path)
    Keeps.found.clear()
    keeping(tmp_path, Keeps("value", Types.LONG(), 7), 2, path).execute("after")
    assert set(Keeps.found.values()) == {"text"}


def test_another_kind_of_operator_under_the_same_uid_is_refused(tmp_path):
    """A window that becomes a function: its records would be lost without a word."""
    env, stream = numbers()
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Stamp())
    stamped = stream.assign_timestamps_and_watermarks(strategy).uid("stamps")
    windows = stamped.key_by(lambda n: n % 20).window(TumblingEventTimeWindows.of(Duration.of_days(99)))
    windows.reduce(lambda a, b: a + b).uid("keeps").map(str, Types.STRING()).sink_to(text_sink(tmp_path / "out")).uid(
        "out"
    )
    path = savepoint(env, tmp_path)
    with pytest.raises(JobExecutionError, match=r"saved with state '\S*window\S*' .*another uid"):
        keeping(tmp_path, Keeps("value", Types.LONG(), 7), 2, path).execute("after")


class Lists(MapFunction, CheckpointedFunction):
    found: list = []  # noqa: RUF012 - shared by all copies in this process

    def __init__(self, row, value):
        self.row = row
        self.value = value

    def initialize_state(self, context):
        store = context.get_operator_state_store()
        self.split = store.get_list_state(ListStateDescriptor("split", self.row))
        self.union = store.get_union_list_state(ListStateDescriptor("union", self.row))
        if context.is_restored():
            Lists.found.append((self.split.get(), self.union.get()))

    def snapshot_state(self, context):
        self.split.update([self.value])
        self.union.update([self.value])

    def map(self, value):
        return value


@pytest.mark.parametrize("parallelism", [2, 3])
def test_operator_state_is_converted_too(tmp_path, parallelism):
    def job(row, value, *, path=None, parallelism=2):
        env, stream = numbers(parallelism, path)
        stream.map(Lists(row, value), Types.LONG()).uid("lists").sink_to(text_sink(tmp_path / "out")).uid("out")
        return env

    path = savepoint(job(NARROW, Row(n=7, gone="x")), tmp_path)
    Lists.found.clear()
    job(WIDE, Row(n=1.5, new="y"), path=path, parallelism=parallelism).execute("after")
    wide = Row(n=7.0, new=None)
    assert [union for _, union in Lists.found] == [[wide, wide]] * parallelism
    assert [row for split, _ in Lists.found for row in split] == [wide, wide]
    with pytest.raises(JobExecutionError, match=r"even-split list state 'split' was saved with the schema.*STRING"):
        job(Types.ROW_NAMED(["gone"], [Types.INT()]), None, path=path).execute("refused")


class Rules(KeyedBroadcastProcessFunction):
    found: list = []  # noqa: RUF012 - shared by all copies in this process

    def __init__(self, descriptor):
        self.descriptor = descriptor

    def process_element(self, value, ctx):
        Rules.found.append(dict(ctx.get_broadcast_state(self.descriptor).items()))
        yield str(value)

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(self.descriptor).put("rule", value)


def test_broadcast_state_is_converted_too(tmp_path):
    def job(row, path=None):
        env, stream = numbers(path=path)
        descriptor = MapStateDescriptor("rules", Types.STRING(), row)
        rules = env.from_collection([Row(n=7, gone="x")], NARROW).uid("rule book").broadcast(descriptor)
        stream.key_by(lambda n: n % 20).connect(rules).process(Rules(descriptor)).uid("rules").sink_to(
            text_sink(tmp_path / "out")
        ).uid("out")
        return env

    path = savepoint(job(NARROW), tmp_path)
    Rules.found.clear()
    job(WIDE, path).execute("after")
    assert Rules.found
    assert all(found == {"rule": Row(n=7.0, new=None)} for found in Rules.found)
    with pytest.raises(JobExecutionError, match=r"broadcast state 'rules' was saved with the schema"):
        job(Types.ROW_NAMED(["n"], [Types.STRING()]), path).execute("refused")
