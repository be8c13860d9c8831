"""Savepoints of whole jobs: taken, stopped with, claimed, and restored by programs that are not quite the same."""

from __future__ import annotations

import shutil
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest
from tests.coordination.checkpoints.every_state_job import (
    HOLD_AT,
    NEW_OPERATOR,
    OTHER_ORDER,
    RECORDS,
    REMOVED_OPERATOR,
    SAME,
    WIDENED,
    Hold,
    Job,
    SplitTotal,
    Stamp,
    UnionTotal,
    lines,
    text_sink,
)
from tests.failing_jobs import abandon
from tests.waiting import PATIENCE, wait_for_checkpoints, wait_for_epoch, wait_until, wait_while_running

from flott.common import Configuration, JobStatus, Time, Types, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.coordination.checkpoints.requests import SavepointRequest
from flott.datastream import KeyedProcessFunction, MapFunction, StreamExecutionEnvironment
from flott.datastream.state import StateTtlConfig, ValueStateDescriptor
from flott.errors import CheckpointError, JobExecutionError
from flott.runtime.clock import ManualClock
from flott.testing.cluster import submit

pytestmark = pytest.mark.job

VARIANTS = [SAME, NEW_OPERATOR, REMOVED_OPERATOR, OTHER_ORDER, WIDENED]
PARALLELISMS = [1, 2, 3, 5]
RECORDS_PER_EPOCH = 60
FROM, IGNORE, MODE = (
    "execution.state-recovery.path",
    "execution.state-recovery.ignore-unclaimed-state",
    "execution.state-recovery.claim-mode",
)


@pytest.fixture(autouse=True)
def nobody_holds():
    Hold.at = None
    yield
    Hold.at = None
    Hold.go_on.set()


@contextmanager
def epochs_of(records):
    """Let epochs stay small, so that even a short job has some."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", records)
        patch.setattr("flott.coordination.sizing.LARGEST_STEP", 1.0)
        yield


def held(record):
    """Let the next job wait at a record."""
    Hold.at = record
    Hold.reached.clear()
    Hold.go_on.clear()


def run(job, *, hold=None, clock=10_000, name="every state"):
    """Run a job to its end; or hold it at a record, and return the client with the job waiting there."""
    SplitTotal.totals.clear()
    UnionTotal.totals.clear()
    held(hold)
    env = job.build()
    with epochs_of(RECORDS_PER_EPOCH // job.parallelism):
        client = submit(env.program(name), env._configuration, ManualClock(clock))
        if hold is not None:
            wait_while_running(client, "the record to hold at", Hold.reached.is_set)
        else:
            client.get_job_execution_result().result(PATIENCE)
        return client


def stopped(job, directory, *, drain=False, hold=HOLD_AT):
    """Run a job up to a record and stop it there; return where its savepoint is."""
    # Processing-time timers are not due yet.
    client = run(job, hold=hold, clock=1_000)
    promise = client.stop_with_savepoint(drain, str(directory))
    with epochs_of(RECORDS_PER_EPOCH // job.parallelism):
        Hold.go_on.set()
        return promise.result(PATIENCE)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """What the job puts out that nobody disturbs."""
    out = tmp_path_factory.mktemp("uninterrupted")
    run(Job(out))
    return lines(out)


@pytest.fixture(scope="module")
def savepoints(tmp_path_factory):
    """Savepoints by parallelism and max parallelism, each with the output up to it; made when first asked for."""
    made = {}

    def get(parallelism, max_parallelism=None):
        case = parallelism, max_parallelism
        if case not in made:
            root = tmp_path_factory.mktemp("savepoint")
            job = Job(root / "out", parallelism=parallelism, max_parallelism=max_parallelism)
            made[case] = stopped(job, root), root / "out"
        return made[case]

    return get


# The matrix


def restore(tmp_path, savepoints, uninterrupted, variant, before, after, max_parallelism):
    path, output = savepoints(before, max_parallelism)
    shutil.copytree(output, tmp_path / "out")
    options = {FROM: path}
    if variant == REMOVED_OPERATOR:
        with pytest.raises(CheckpointError, match="uid 'sessions'") as refused:
            run(Job(tmp_path / "out", variant, after, max_parallelism, options))
        assert "--allow-non-restored-state" in str(refused.value)
        options[IGNORE] = "true"
    run(Job(tmp_path / "out", variant, after, max_parallelism, options))
    expected, found = Counter(uninterrupted), Counter(lines(tmp_path / "out"))
    if variant == REMOVED_OPERATOR:
        # What it had put out before stays; nothing is added.
        kept = Counter(lines(output))
        expected = Counter({line: kept[line] if "session" in line else n for line, n in expected.items()})
        expected += Counter()
    assert found == expected
    assert sum(SplitTotal.totals.values()) == RECORDS
    assert sum(UnionTotal.totals.values()) == RECORDS


FAST = [
    (SAME, 1, 2, None), (SAME, 3, 2, None), (SAME, 3, 3, 10), (SAME, 2, 5, 10),
    (NEW_OPERATOR, 2, 2, 10), (NEW_OPERATOR, 5, 3, None),
    (REMOVED_OPERATOR, 2, 3, None), (OTHER_ORDER, 3, 3, None), (OTHER_ORDER, 1, 5, 10),
    (WIDENED, 2, 2, None), (WIDENED, 3, 5, 10),
]  # fmt: skip


@pytest.mark.parametrize(("variant", "before", "after", "max_parallelism"), FAST)
def test_a_restored_job_puts_out_what_an_uninterrupted_one_does(
    tmp_path, savepoints, uninterrupted, variant, before, after, max_parallelism
):
    restore(tmp_path, savepoints, uninterrupted, variant, before, after, max_parallelism)


@pytest.mark.nightly
@pytest.mark.parametrize("max_parallelism", [None, 10])
@pytest.mark.parametrize("after", PARALLELISMS)
@pytest.mark.parametrize("before", PARALLELISMS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_whole_matrix(tmp_path, savepoints, uninterrupted, variant, before, after, max_parallelism):
    restore(tmp_path, savepoints, uninterrupted, variant, before, after, max_parallelism)


@pytest.mark.slow
@pytest.mark.parametrize("hold", [0, 65, 130, 299])
def test_wherever_it_is_stopped(tmp_path, uninterrupted, hold):
    path = stopped(Job(tmp_path / "out", parallelism=2), tmp_path, hold=hold)
    run(Job(tmp_path / "out", parallelism=3, options={FROM: path}))
    assert Counter(lines(tmp_path / "out")) == Counter(uninterrupted)


def test_a_chain_of_savepoints(tmp_path, uninterrupted):
    first = stopped(Job(tmp_path / "out", parallelism=2), tmp_path, hold=100)
    second = stopped(Job(tmp_path / "out", parallelism=3, options={FROM: first}), tmp_path, hold=250)
    run(Job(tmp_path / "out", OTHER_ORDER, parallelism=1, options={FROM: second}))
    assert Counter(lines(tmp_path / "out")) == Counter(uninterrupted)
    assert sum(UnionTotal.totals.values()) == RECORDS


def test_another_max_parallelism_is_refused(tmp_path, savepoints):
    path, _ = savepoints(2, 10)
    with pytest.raises(CheckpointError, match=r"max parallelism 128, its state was saved with 10.*can't be regrouped"):
        run(Job(tmp_path / "out", max_parallelism=128, options={FROM: path}))


def test_left_out_the_max_parallelism_is_that_of_the_state(tmp_path, savepoints, uninterrupted):
    path, output = savepoints(2, 10)
    client = run(Job(tmp_path / "out", parallelism=3, options={FROM: path}))
    assert Counter(lines(tmp_path / "out")) + Counter(lines(output)) == Counter(uninterrupted)
    assert {vertex.max_parallelism for vertex in client.master.plan.vertices if "every" in vertex.chain[0].uid} == {10}


def test_more_subtasks_than_key_groups_are_refused(tmp_path, savepoints):
    path, _ = savepoints(2, 10)
    with pytest.raises(CheckpointError, match=r"parallelism 11, above the max parallelism 10"):
        run(Job(tmp_path / "out", parallelism=11, options={FROM: path}))


def test_a_path_without_a_savepoint_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match=r"no savepoint or checkpoint at '.*nothing'.*trigger_savepoint"):
        run(Job(tmp_path / "out", options={FROM: str(tmp_path / "nothing")}))


def test_a_function_that_starts_in_another_worker_gets_the_whole_union(tmp_path):
    """Subtasks move between workers at any epoch, and what they count stays right."""
    job = Job(tmp_path / "out", parallelism=3)
    env = job.build()
    with epochs_of(RECORDS_PER_EPOCH // job.parallelism):
        client = submit(env.program("moves"), env._configuration, ManualClock(10_000))
        client.master.listeners.append(lambda _: client.master._runner._subtasks.clear())
        client.get_job_execution_result().result(PATIENCE)
    assert sum(UnionTotal.totals.values()) == sum(SplitTotal.totals.values()) == RECORDS


# What is in the directory


def test_a_savepoint_is_read_with_pandas(savepoints):
    path, _ = savepoints(2)
    folders = [folder for folder in Path(path).iterdir() if folder.is_dir()]
    table = pd.concat([pd.read_parquet(folder) for folder in folders])
    assert {"count", "numbers", "rests", "total", "average"} <= set(table["state"])
    counts = table[(table["state"] == "count") & (table["kind"] == "value state")]
    assert set(counts["key"]) > {"1", "2", "3"}
    assert all(int(value) > 0 for value in counts["value"])
    numbers = table[(table["state"] == "numbers") & (table["key"] == "3")]
    assert numbers["value"].iloc[0].startswith("[3, 10,")


def test_operators_without_state_leave_no_file(tmp_path):
    env = Job(tmp_path / "out").environment()
    stream = env.from_source(DataGeneratorSource(lambda index: index, 500), watermarks(), "numbers").uid("numbers")
    stream = stream.map(Hold(), Types.LONG()).uid("hold")
    stream.key_by(lambda n: n % 3).map(lambda n: n, Types.LONG()).uid("keeps nothing").sink_to(
        text_sink(tmp_path / "out")
    ).uid("out")
    path = stopped_at(env, tmp_path, 100)
    assert [file.name for file in path.rglob("*") if file.is_file()] == ["_metadata"]
    env = Job(tmp_path / "out", options={FROM: str(path)}).environment()
    stream = env.from_source(DataGeneratorSource(lambda index: index, 500), watermarks(), "numbers").uid("numbers")
    stream.sink_to(text_sink(tmp_path / "out")).uid("out")
    env.execute("without the operator that kept nothing")
    assert sorted(map(int, lines(tmp_path / "out"))) == list(range(500))


def watermarks():
    return WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Stamp())


def stopped_at(env, directory, record, *, drain=False):
    """Run a program up to a record and stop it there; return where its savepoint is."""
    held(record)
    with epochs_of(50):
        client = env.execute_async("stopped")
        wait_while_running(client, "the record to hold at", Hold.reached.is_set)
        promise = client.stop_with_savepoint(drain, str(directory))
        Hold.go_on.set()
        path = promise.result(PATIENCE)
    assert client.get_job_status().result() is JobStatus.FINISHED
    Hold.at = None
    return directory / path.rpartition("/")[2]


# Taking one


class Numbered(KeyedProcessFunction):
    """Gives each record of a key its number, and says at the end of time how many there were."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        number = (self.count.value() or 0) + 1
        self.count.update(number)
        if number == 1:
            ctx.timer_service().register_event_time_timer(10**9)
        yield f"{ctx.get_current_key()} {number}"

    def on_timer(self, timestamp, ctx):
        yield f"{ctx.get_current_key()} end"


class Listens(MapFunction):
    told: list = []  # noqa: RUF012 - shared by all copies in this process

    def map(self, value):
        return value

    def notify_checkpoint_complete(self, checkpoint_id):
        Listens.told.append(checkpoint_id)


def counting(tmp_path, *, records=600, rate=None, parallelism=2, out="out", interval="10 ms", **options):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    if interval is not None:
        configuration.set_string("execution.checkpointing.interval", interval)
    for option, value in options.items():
        configuration.set_string(option.replace("__", ".").replace("_", "-"), value)
    env = StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(parallelism)
    limit = RateLimiterStrategy.no_op() if rate is None else RateLimiterStrategy.per_second(rate)
    source = DataGeneratorSource(lambda index: index, records, limit)
    stream = env.from_source(source, watermarks(), "numbers").uid("numbers")
    stream = stream.map(Hold(), Types.LONG()).uid("hold").map(Listens(), Types.LONG()).uid("listens")
    stream.key_by(lambda n: n % 7).process(Numbered()).uid("numbered").sink_to(text_sink(tmp_path / out)).uid("out")
    return env


def counted(records, *, ends=True):
    numbers = [f"{key} {n}" for key in range(7) for n in range(1, len(range(key, records, 7)) + 1)]
    return sorted([*numbers, *(f"{key} end" for key in range(7) if ends)])


def test_a_job_goes_on_after_a_savepoint(tmp_path):
    with epochs_of(20):
        client = counting(tmp_path, records=None, rate=5_000).execute_async("goes on")
        path = client.trigger_savepoint(str(tmp_path / "savepoints")).result(PATIENCE)
        epoch = client.master._version.epoch
        wait_for_epoch(client, epoch + 3)
        second = client.trigger_savepoint(str(tmp_path / "savepoints")).result(PATIENCE)
        assert client.get_job_status().result() is JobStatus.RUNNING
        client.cancel().result(PATIENCE)
    assert path != second
    assert {path.rpartition("/")[2], second.rpartition("/")[2]} == {p.name for p in (tmp_path / "savepoints").iterdir()}
    # The savepoint is complete, whatever became of the job.
    with epochs_of(500):
        counting(tmp_path, out="other", execution__state_recovery__path=second).execute("from the savepoint")
    assert "0 end" in lines(tmp_path / "other")


def test_what_waits_to_be_committed_is_committed_by_the_job_that_goes_on(tmp_path):
    with epochs_of(25):
        held(100)
        client = counting(tmp_path, interval="1 h").execute_async("waiting output")
        wait_while_running(client, "the record to hold at", Hold.reached.is_set)
        promise = client.trigger_savepoint(str(tmp_path))
        Hold.go_on.set()
        path = promise.result(PATIENCE)
        abandon(client)
        assert lines(tmp_path / "out") == []
        counting(tmp_path, execution__state_recovery__path=path).execute("goes on")
    assert lines(tmp_path / "out") == counted(600)


def test_stopping_without_a_drain_fires_nothing(tmp_path):
    Listens.told.clear()
    path = stopped_at(counting(tmp_path), tmp_path, 300)
    before = lines(tmp_path / "out")
    assert len(before) >= 300
    assert not [line for line in before if "end" in line]
    assert Listens.told, "functions hear of the savepoint that the job ends with"
    counting(tmp_path, parallelism=3, execution__state_recovery__path=str(path)).execute("goes on")
    assert lines(tmp_path / "out") == counted(600)


def test_stopping_with_a_drain_fires_everything(tmp_path):
    path = stopped_at(counting(tmp_path), tmp_path, 300, drain=True)
    before = lines(tmp_path / "out")
    assert [line for line in before if "end" in line] == [f"{key} end" for key in range(7)]
    assert (path / "_metadata").exists()


@pytest.mark.parametrize("parallelism", [2, 3])
def test_a_drained_job_can_go_on_in_new_event_time(tmp_path, parallelism):
    path = stopped_at(counting(tmp_path), tmp_path, 300, drain=True)
    assert len([line for line in lines(tmp_path / "out") if "end" in line]) == 7
    env = counting(tmp_path, parallelism=parallelism, execution__state_recovery__path=str(path))
    env.execute("goes on")
    # The timers have fired and are gone; counts go on, and no record is late.
    assert lines(tmp_path / "out") == counted(600)


def test_a_job_without_checkpoints_can_be_stopped(tmp_path):
    path = stopped_at(counting(tmp_path, interval=None), tmp_path, 300)
    counting(tmp_path, interval=None, execution__state_recovery__path=str(path)).execute("goes on")
    assert lines(tmp_path / "out") == counted(600)


def test_stopping_a_job_whose_source_has_ended(tmp_path):
    """One of two sources ended long ago; its end is part of the savepoint, whatever the parallelism."""
    for parallelism in (2, 3):
        out = tmp_path / f"out-{parallelism}"
        path = stopped(Job(out, parallelism=2), tmp_path / f"savepoints-{parallelism}")
        client = run(Job(out, parallelism=parallelism, options={FROM: path}))
        assert client.get_job_status().result() is JobStatus.FINISHED
        assert len([line for line in lines(out) if line.startswith("rules ")]) == 7


# When it can't be taken


def unwritable(tmp_path):
    (tmp_path / "a file").write_text("no directory")
    return str(tmp_path / "a file" / "savepoints")


@pytest.mark.parametrize("ask", [lambda c, d: c.trigger_savepoint(d), lambda c, d: c.stop_with_savepoint(False, d)])
def test_a_savepoint_that_cant_be_written_leaves_the_job_running(tmp_path, ask):
    with epochs_of(20):
        client = counting(tmp_path, records=None, rate=5_000).execute_async("goes on")
        with pytest.raises(CheckpointError, match=r"savepoint \d+ was given up.*could not be written.*a file"):
            ask(client, unwritable(tmp_path)).result(PATIENCE)
        epoch = client.master._version.epoch
        wait_for_epoch(client, epoch + 3)
        assert client.get_job_status().result() is JobStatus.RUNNING
        client.cancel().result(PATIENCE)


@pytest.mark.parametrize("stop", [False, True])
def test_a_savepoint_in_a_file_system_that_does_not_exist_is_refused_and_the_job_goes_on(tmp_path, stop):
    with epochs_of(20):
        client = counting(tmp_path, records=None, rate=5_000, restart_strategy__type="none").execute_async("goes on")
        with pytest.raises(CheckpointError, match=r"can't be written to 'nosuch://typo': Protocol not known: nosuch"):
            client.stop_with_savepoint(False, "nosuch://typo").result(PATIENCE)
        # Whoever asks the job itself, or whose file system fails only when it is used, is answered later.
        asked = client.master.ask_for_savepoint(SavepointRequest("nosuch://typo", stop=stop))
        with pytest.raises(CheckpointError, match=r"savepoint \d+ was .*Protocol not known: nosuch"):
            asked.result(PATIENCE)
        epoch = client.master._version.epoch
        wait_for_epoch(client, epoch + 3)
        assert client.get_job_status().result() is JobStatus.RUNNING
        client.cancel().result(PATIENCE)


def test_a_drain_that_fails_is_undone(tmp_path):
    options = {
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.delay": "1 ms",
        "restart-strategy.fixed-delay.attempts": "3",
    }
    with epochs_of(20):
        env = counting(tmp_path, records=1_000, rate=5_000, **options)
        client = env.execute_async("drained in vain")
        wait_for_checkpoints(client, 1)
        with pytest.raises(CheckpointError, match="could not be written"):
            client.stop_with_savepoint(True, unwritable(tmp_path)).result(PATIENCE)
        client.get_job_execution_result().result(PATIENCE)
    assert len(client.master.failures) == 1
    assert "which the job was drained for" in str(client.master.failures[0])
    assert lines(tmp_path / "out") == counted(1_000)


def test_a_drain_that_fails_without_a_restart_fails_the_job(tmp_path):
    with epochs_of(20):
        env = counting(tmp_path, records=None, rate=5_000, **{"restart-strategy.type": "none"})
        client = env.execute_async("drained in vain")
        with pytest.raises(CheckpointError, match="could not be written"):
            client.stop_with_savepoint(True, unwritable(tmp_path)).result(PATIENCE)
        with pytest.raises(JobExecutionError, match="which the job was drained for"):
            client.get_job_execution_result().result(PATIENCE)


def test_without_a_directory_it_is_said_where_to_give_one(tmp_path):
    client = counting(tmp_path, records=None, rate=1_000).execute_async("where")
    with pytest.raises(
        CheckpointError, match=r"where should the savepoint go\?.*execution.checkpointing.savepoint-dir"
    ):
        client.trigger_savepoint().result(PATIENCE)
    client.cancel().result(PATIENCE)


def test_a_finished_job_has_no_savepoint_to_give(tmp_path):
    client = counting(tmp_path).execute_async("over")
    client.get_job_execution_result().result(PATIENCE)
    with pytest.raises(CheckpointError, match="job 'over' is FINISHED"):
        client.trigger_savepoint(str(tmp_path)).result(PATIENCE)


# Who owns it


def claiming(tmp_path, path, mode, **settings):
    return counting(
        tmp_path,
        execution__state_recovery__path=str(path),
        execution__state_recovery__claim_mode=mode,
        execution__checkpointing__dir=str(tmp_path / "checkpoints"),
        **settings,
    )


@pytest.mark.parametrize("metadata", ["", "/_metadata"])
def test_a_claimed_savepoint_goes_with_the_first_checkpoint(tmp_path, metadata):
    path = stopped_at(counting(tmp_path), tmp_path / "savepoints", 300)
    with epochs_of(20):
        client = claiming(tmp_path, f"{path}{metadata}", "CLAIM", records=None, rate=5_000).execute_async("claims")
        wait_for_checkpoints(client, 2)
        wait_until("the end of the savepoint", lambda: list(path.parent.iterdir()), lambda left: path not in left)
        client.cancel().result(PATIENCE)


def test_a_savepoint_that_is_not_claimed_stays_and_is_not_needed(tmp_path):
    path = stopped_at(counting(tmp_path), tmp_path / "savepoints", 300)
    with epochs_of(20):
        env = claiming(tmp_path, path, "NO_CLAIM", records=2_000, rate=8_000)
        client = env.execute_async("does not claim")
        wait_for_checkpoints(client, 2)
        assert (path / "_metadata").exists()
        shutil.rmtree(path)
        # Its checkpoints stand on their own: a new driver needs nothing else.
        abandon(client)
        second = claiming(tmp_path, path, "NO_CLAIM", records=2_000).execute_async("does not claim")
        second.get_job_execution_result().result(PATIENCE)
    assert second.get_job_id() == client.get_job_id()
    assert lines(tmp_path / "out") == counted(2_000)


def test_a_new_driver_with_the_same_settings_does_not_go_back_to_the_savepoint(tmp_path):
    path = stopped_at(counting(tmp_path), tmp_path / "savepoints", 300)
    with epochs_of(20):
        client = claiming(tmp_path, path, "CLAIM", records=2_000, rate=8_000).execute_async("restarted")
        wait_for_checkpoints(client, 3)
        abandon(client)
        second = claiming(tmp_path, path, "CLAIM", records=2_000).execute_async("restarted")
        second.get_job_execution_result().result(PATIENCE)
    assert second.get_job_id() == client.get_job_id()
    assert lines(tmp_path / "out") == counted(2_000)


def test_a_program_that_is_refused_leaves_no_job_behind(tmp_path):
    path = stopped_at(counting(tmp_path), tmp_path / "savepoints", 300)
    env = claiming(tmp_path, path, "NO_CLAIM")
    env = StreamExecutionEnvironment.get_execution_environment(env._configuration)
    env.from_collection([1]).print()
    with pytest.raises(CheckpointError, match="uid 'numbered'"):
        env.execute("refused")
    assert list((tmp_path / "checkpoints").rglob("*")) == []


@pytest.mark.parametrize("mode", ["CLAIM", "NO_CLAIM"])
def test_a_retained_checkpoint_is_claimed_with_its_files(tmp_path, mode):
    retain = {
        "execution__checkpointing__externalized_checkpoint_retention": "RETAIN_ON_CANCELLATION",
        "execution__checkpointing__dir": str(tmp_path / "retained"),
    }
    with epochs_of(20):
        client = counting(tmp_path, records=2_000, rate=8_000, **retain).execute_async("retained")
        wait_for_checkpoints(client, 3)
        client.cancel().result(PATIENCE)
        [metadata] = (tmp_path / "retained").rglob("_metadata")
        client = claiming(tmp_path, metadata.parent, mode, records=2_000, parallelism=3).execute_async("takes over")
        client.get_job_execution_result().result(PATIENCE)
    assert lines(tmp_path / "out") == counted(2_000)
    left = [file for file in (tmp_path / "retained").rglob("*") if file.is_file()]
    assert (left == []) is (mode == "CLAIM")


class Expires(KeyedProcessFunction):
    """Counts by key in a state that lives for ten milliseconds."""

    def open(self, runtime_context):
        descriptor = ValueStateDescriptor("count", Types.LONG())
        config = (
            StateTtlConfig.new_builder(Time.milliseconds(10)).cleanup_full_snapshot().disable_cleanup_in_background()
        )
        descriptor.enable_time_to_live(config.build())
        self.count = runtime_context.get_state(descriptor)

    def process_element(self, value, ctx):
        self.count.update(value)


def test_a_savepoint_leaves_out_what_expired(tmp_path):
    """cleanup_full_snapshot(): the key that was not touched any more is not in it."""
    clock = ManualClock(1_000)
    held(150)
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(1)
    source = DataGeneratorSource(lambda index: index, None, RateLimiterStrategy.no_op())
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").map(Hold(), Types.LONG())
    stream.key_by(lambda n: "old" if n < 100 else "new").process(Expires()).print()
    with epochs_of(50):
        client = submit(env.program("expires"), configuration, clock)
        wait_while_running(client, "the record to hold at", Hold.reached.is_set)
        clock.advance_to(2_000)
        promise = client.stop_with_savepoint(False, str(tmp_path))
        Hold.go_on.set()
        path = promise.result(PATIENCE)
    table = pd.concat([pd.read_parquet(folder) for folder in Path(path).iterdir() if folder.is_dir()])
    assert set(table[table["state"] == "count"]["key"]) == {'"new"'}
