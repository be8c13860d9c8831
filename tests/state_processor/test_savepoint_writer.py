"""Savepoints are written and changed, and jobs start from them."""

from __future__ import annotations

import pandas as pd
import pytest
from tests.coordination.checkpoints.every_state_job import FROM, Job, lines, text_sink
from tests.waiting import PATIENCE

from flott.common import Configuration, Duration, Row, Types
from flott.datastream import (
    CheckpointedFunction,
    KeyedBroadcastProcessFunction,
    KeyedProcessFunction,
    MapFunction,
    StreamExecutionEnvironment,
)
from flott.datastream.state import ListStateDescriptor, MapStateDescriptor, StateTtlConfig, ValueStateDescriptor
from flott.errors import CheckpointError, JobExecutionError, StateAccessError
from flott.runtime.clock import ManualClock
from flott.state_processor import (
    BroadcastStateBootstrapFunction,
    KeyedStateBootstrapFunction,
    OperatorIdentifier,
    OperatorTransformation,
    SavepointReader,
    SavepointWriter,
    StateBootstrapFunction,
)
from flott.testing.cluster import submit

pytestmark = pytest.mark.job

BALANCE = ValueStateDescriptor("balance", Types.DOUBLE())
SEEN = ListStateDescriptor("seen", Types.STRING())
LIMITS = MapStateDescriptor("limits", Types.STRING(), Types.LONG())
ACCOUNTS = pd.DataFrame({"user": ["ann", "bob", "cid"], "balance": [10.0, 20.0, 30.0], "limit": [1, 2, 3]})


def kept(name):
    descriptor = ValueStateDescriptor(name, Types.STRING())
    descriptor.enable_time_to_live(StateTtlConfig.new_builder(Duration.of_hours(1)).build())
    return descriptor


class Bootstrap(KeyedStateBootstrapFunction):
    def open(self, runtime_context):
        self.balance = runtime_context.get_state(BALANCE)
        self.seen = runtime_context.get_list_state(SEEN)
        self.limits = runtime_context.get_map_state(LIMITS)
        self.note = runtime_context.get_state(kept("note"))

    def process_element(self, value, ctx):
        assert ctx.get_current_key() == value.user
        self.balance.update((self.balance.value() or 0) + value["balance"])
        self.seen.add("bootstrap")
        self.limits.put("day", value["limit"])
        self.note.update(f"of {value['user']}")
        ctx.timer_service().register_event_time_timer(1_000)


class Accounts(KeyedProcessFunction):
    def open(self, runtime_context):
        self.balance = runtime_context.get_state(BALANCE)
        self.seen = runtime_context.get_list_state(SEEN)
        self.limits = runtime_context.get_map_state(LIMITS)
        self.note = runtime_context.get_state(kept("note"))

    def process_element(self, value, ctx):
        self.balance.update((self.balance.value() or 0.0) + value[1])
        self.seen.add("job")

    def on_timer(self, timestamp, ctx):
        key, limits = ctx.get_current_key(), dict(self.limits.items())
        yield f"{key} {self.balance.value()} {self.seen.get()} {limits} {self.note.value()} {timestamp}"


def environment(path=None, parallelism=2):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    configuration.set_string("restart-strategy.type", "none")
    if path is not None:
        configuration.set_string("execution.state-recovery.path", str(path))
    return StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(parallelism)


def accounts(path, out, parallelism=2, uid="accounts"):
    env = environment(path, parallelism)
    stream = env.from_collection([("ann", 1.0), ("dan", 4.0)])
    stream.key_by(lambda record: record[0]).process(Accounts()).uid(uid).sink_to(text_sink(out)).uid("out")
    env.execute("accounts")
    return lines(out)


def bootstrapped(data=ACCOUNTS):
    return OperatorTransformation.bootstrap_with(data).key_by(lambda row: row["user"]).transform(Bootstrap())


EXPECTED = [
    "ann 11.0 ['bootstrap', 'job'] {'day': 1} of ann 1000",
    "bob 20.0 ['bootstrap'] {'day': 2} of bob 1000",
    "cid 30.0 ['bootstrap'] {'day': 3} of cid 1000",
]


@pytest.mark.parametrize("parallelism", [1, 3])
@pytest.mark.parametrize("max_parallelism", [128, 10])
def test_a_job_starts_from_what_was_written(tmp_path, parallelism, max_parallelism):
    writer = SavepointWriter.new_savepoint(max_parallelism)
    writer.with_operator(OperatorIdentifier.for_uid("accounts"), bootstrapped()).write(str(tmp_path / "savepoint"))
    assert accounts(tmp_path / "savepoint", tmp_path / "out", parallelism) == EXPECTED


def test_elements_come_from_anything_that_can_be_gone_over(tmp_path):
    rows = (Row(**record) for record in ACCOUNTS.to_dict("records"))
    SavepointWriter.new_savepoint().with_operator("accounts", bootstrapped(rows)).write(tmp_path / "savepoint")
    assert accounts(tmp_path / "savepoint", tmp_path / "out") == EXPECTED


def test_what_was_written_can_be_read(tmp_path):
    SavepointWriter.new_savepoint().with_operator("accounts", bootstrapped()).write(tmp_path / "savepoint")
    reader = SavepointReader.read(tmp_path / "savepoint")
    assert dict(reader.read_keyed_state("accounts", "balance")) == {"ann": 10.0, "bob": 20.0, "cid": 30.0}
    assert [time for _, time, *_ in reader.read_timers("accounts")] == [1_000] * 3


def test_a_type_that_does_not_fit_is_refused_by_the_job(tmp_path):
    class Wrong(KeyedStateBootstrapFunction):
        def open(self, runtime_context):
            self.balance = runtime_context.get_state(ValueStateDescriptor("balance", Types.STRING()))

        def process_element(self, value, ctx):
            self.balance.update("much")

    data = OperatorTransformation.bootstrap_with(ACCOUNTS).key_by(lambda row: row["user"]).transform(Wrong())
    SavepointWriter.new_savepoint().with_operator("accounts", data).write(tmp_path / "savepoint")
    with pytest.raises(JobExecutionError, match='saved with the schema "STRING", and is now declared with "DOUBLE"'):
        accounts(tmp_path / "savepoint", tmp_path / "out")


# State of operators


class Numbers(StateBootstrapFunction):
    def initialize_state(self, context):
        store = context.get_operator_state_store()
        self.split = store.get_list_state(ListStateDescriptor("split", Types.LONG()))
        self.union = store.get_union_list_state(ListStateDescriptor("union", Types.LONG()))

    def process_element(self, value, ctx):
        self.split.add(value)

    def snapshot_state(self, context):
        self.union.update([sum(self.split.get())])


class ReadsNumbers(MapFunction, CheckpointedFunction):
    found: list = []  # noqa: RUF012 - shared by all copies in this process

    def initialize_state(self, context):
        store = context.get_operator_state_store()
        split = store.get_list_state(ListStateDescriptor("split", Types.LONG()))
        union = store.get_union_list_state(ListStateDescriptor("union", Types.LONG()))
        ReadsNumbers.found.append((split.get(), union.get()))

    def snapshot_state(self, context):
        pass

    def map(self, value):
        return value


def test_lists_of_an_operator(tmp_path):
    data = OperatorTransformation.bootstrap_with(range(5)).transform(Numbers())
    SavepointWriter.new_savepoint().with_operator("numbers", data).write(tmp_path / "savepoint")
    ReadsNumbers.found.clear()
    env = environment(tmp_path / "savepoint", parallelism=3)
    env.from_collection(["x"]).map(ReadsNumbers()).uid("numbers").sink_to(text_sink(tmp_path / "out")).uid("out")
    env.execute("numbers")
    assert [split for split, _ in ReadsNumbers.found] == [[0, 1], [2, 3], [4]]
    assert [union for _, union in ReadsNumbers.found] == [[10]] * 3


RULES = MapStateDescriptor("rules", Types.STRING(), Types.LONG())


class BootstrapRules(BroadcastStateBootstrapFunction):
    def process_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(value["user"], value["limit"])


class Limits(KeyedBroadcastProcessFunction):
    def open(self, runtime_context):
        self.balance = runtime_context.get_state(BALANCE)

    def process_element(self, value, ctx):
        yield f"{value} {self.balance.value()} {ctx.get_broadcast_state(RULES).get(value)}"

    def process_broadcast_element(self, value, ctx):
        pass


def test_broadcast_and_keyed_state_of_one_operator(tmp_path):
    rules = OperatorTransformation.bootstrap_with(ACCOUNTS).transform(BootstrapRules())
    writer = SavepointWriter.new_savepoint().with_operator("limits", bootstrapped()).with_operator("limits", rules)
    writer.write(tmp_path / "savepoint")
    env = environment(tmp_path / "savepoint", parallelism=3)
    nothing = env.from_collection([("x", 1)]).filter(lambda record: False).broadcast(RULES)
    users = env.from_collection(["ann", "bob", "cid", "dan"])
    limits = users.key_by(lambda user: user).connect(nothing).process(Limits()).uid("limits")
    limits.sink_to(text_sink(tmp_path / "out")).uid("out")
    env.execute("limits")
    assert lines(tmp_path / "out") == ["ann 10.0 1", "bob 20.0 2", "cid 30.0 3", "dan None None"]


# Changing one


def test_a_savepoint_is_copied_whole(saved, tmp_path):
    path, output = saved
    SavepointWriter.from_existing_savepoint(path).write(tmp_path / "copy")
    env = Job(tmp_path / "out", parallelism=3, options={FROM: str(tmp_path / "copy")}).build()
    submit(env.program("every state"), env._configuration, ManualClock(10_000)).get_job_execution_result().result(
        PATIENCE
    )
    env = Job(tmp_path / "uninterrupted").build()
    submit(env.program("every state"), env._configuration, ManualClock(10_000)).get_job_execution_result().result(
        PATIENCE
    )
    # Without a second epoch, timers of processing time have no occasion to fire.
    found = [line for line in lines(output) + lines(tmp_path / "out") if not line.startswith("processing")]
    assert sorted(found) == [line for line in lines(tmp_path / "uninterrupted") if not line.startswith("processing")]


def test_operators_are_removed_renamed_and_added(saved, tmp_path):
    path, _ = saved
    counts = dict(SavepointReader.read(path).read_keyed_state("every state", "count"))
    timers = sorted(map(str, SavepointReader.read(path).read_timers("every state")))
    writer = SavepointWriter.from_existing_savepoint(path).remove_operator("sessions")
    writer.change_operator_identifier("every state", OperatorIdentifier.for_uid("other"))
    writer.with_operator("accounts", bootstrapped()).write(tmp_path / "changed")
    reader = SavepointReader.read(tmp_path / "changed")
    uids = set(reader.list_operators().to_pandas()["uid"])
    assert {"other", "accounts", "numbers", "rules"} <= uids
    assert not uids & {"sessions", "every state"}
    assert dict(reader.read_keyed_state("other", "count")) == counts
    assert sorted(map(str, reader.read_timers("other"))) == timers


def test_a_renamed_operator_goes_on(tmp_path):
    SavepointWriter.new_savepoint().with_operator("old", bootstrapped()).write(tmp_path / "savepoint")
    writer = SavepointWriter.from_existing_savepoint(tmp_path / "savepoint")
    writer.change_operator_identifier("old", "accounts").write(tmp_path / "renamed")
    assert accounts(tmp_path / "renamed", tmp_path / "out", parallelism=3) == EXPECTED


def test_errors(tmp_path):
    writer = SavepointWriter.new_savepoint().with_operator("accounts", bootstrapped())
    writer.write(tmp_path / "savepoint")
    with pytest.raises(CheckpointError, match=r"there is a savepoint in .* already"):
        writer.write(tmp_path / "savepoint")
    again = SavepointWriter.from_existing_savepoint(tmp_path / "savepoint")
    with pytest.raises(CheckpointError, match=r"uid 'accounts' already .*remove_operator"):
        again.with_operator("accounts", bootstrapped())
    with pytest.raises(CheckpointError, match=r"no operator with uid 'accuonts'; there is .*'accounts'"):
        again.remove_operator("accuonts")
    with pytest.raises(CheckpointError, match="operator with uid 'accounts' already"):
        again.with_operator("other", bootstrapped()).change_operator_identifier("other", "accounts")
    with pytest.raises(CheckpointError, match="max parallelism is a number from 1 to 32768, not 0"):
        SavepointWriter.new_savepoint(0)
    with pytest.raises(StateAccessError, match=r"call key_by\(\.\.\.\) before"):
        OperatorTransformation.bootstrap_with([1]).transform(Bootstrap())
    with pytest.raises(StateAccessError, match=r"give a KeyedStateBootstrapFunction after key_by"):
        OperatorTransformation.bootstrap_with([1]).key_by(lambda x: x).transform(Numbers())
