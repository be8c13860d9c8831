"""A sink function of the user's own that writes files in transactions: nothing lost, nothing doubled, nothing left."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from uuid import uuid4

import pytest
from tests.failing_jobs import Die, FailsAt, abandon, environment, small_epochs
from tests.waiting import PATIENCE, wait_until

from flott.common import Configuration, WatermarkStrategy
from flott.connectors import two_phase_commit_sink
from flott.connectors.base import SinkScope
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import (
    CheckpointedFunction,
    SinkFunction,
    StreamExecutionEnvironment,
    TwoPhaseCommitSinkFunction,
)
from flott.errors import GraphError, JobExecutionError
from flott.runtime.clock import ManualClock
from flott.runtime.crash_points import ARMED
from flott.runtime.operators.commit_requests import commit_all

pytestmark = pytest.mark.job


class FileTransactions(TwoPhaseCommitSinkFunction):
    """A transaction is a hidden file; committed, it has a name that shows."""

    calls: list = []  # noqa: RUF012 - shared by all copies in this process

    def __init__(self, directory):
        self.directory = Path(directory)
        self.file = None

    def prefix(self, scope):
        return f".{scope.job_id}-{scope.operator_id}-"

    def open(self, runtime_context):
        self.subtask = runtime_context.get_index_of_this_subtask()

    def begin_transaction(self):
        path = self.directory / f"{self.prefix(self.scope)}{self.subtask}-{uuid4().hex}"
        self.directory.mkdir(exist_ok=True)
        self.file = path.open("x")
        return path.name

    def invoke(self, transaction, value, context):
        assert isinstance(context, SinkFunction.Context)
        self.file.write(f"{value}\n")

    def pre_commit(self, transaction):
        self.file.close()

    def commit(self, transaction):
        self.calls.append("commit")
        (self.directory / transaction).rename(self.directory / f"part-{transaction[1:]}")

    def recover_and_commit(self, transaction):
        self.calls.append("recover_and_commit")
        if (self.directory / transaction).exists():
            self.commit(transaction)

    def abort(self, transaction):
        self.calls.append("abort")
        if self.file is not None:
            self.file.close()
        (self.directory / transaction).unlink(missing_ok=True)

    def list_transactions(self, scope):
        if not self.directory.exists():
            return []
        return [path.name for path in self.directory.glob(f"{self.prefix(scope)}*")]


@pytest.fixture(autouse=True)
def _small_epochs(monkeypatch):
    small_epochs(monkeypatch)
    FileTransactions.calls.clear()
    yield
    ARMED.clear()


def write_numbers(env, sink, numbers=3_000, *, fails=(), rate=None):
    limit = RateLimiterStrategy.no_op() if rate is None else RateLimiterStrategy.per_second(rate)
    source = DataGeneratorSource(lambda index: index, numbers, limit)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
    stream.map(FailsAt(*fails)).uid("fails").add_sink(sink).uid("files")


def shown(directory):
    return sorted(int(line) for path in directory.glob("part-*") for line in path.read_text().splitlines())


def hidden(directory):
    return [path.name for path in directory.glob(".*")]


def test_each_record_shows_once_although_the_job_fails(tmp_path):
    env = environment()
    write_numbers(env, FileTransactions(tmp_path / "out"), fails=(0, 777, 2_500))
    client = env.execute_async("fails")
    client.get_job_execution_result().result(PATIENCE)
    assert len(client.master.failures) == 3
    assert shown(tmp_path / "out") == list(range(3_000))
    assert hidden(tmp_path / "out") == []
    assert "abort" in FileTransactions.calls


def test_nothing_shows_before_a_checkpoint_is_complete(tmp_path):
    env = environment(**{"execution.checkpointing.interval": "1 h"})
    write_numbers(env, FileTransactions(tmp_path / "out"), None, rate=10_000)
    client = env.execute_async("hidden")
    wait_until("the folder", (tmp_path / "out").exists)
    wait_until("four hidden files", lambda: hidden(tmp_path / "out"), lambda names: len(names) >= 4)
    assert shown(tmp_path / "out") == []
    client.cancel().result(PATIENCE)
    # What was pre-committed and belongs to no checkpoint is aborted.
    assert hidden(tmp_path / "out") == []
    assert shown(tmp_path / "out") == []


def test_without_checkpoints_records_show_when_their_epoch_counts(tmp_path):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    write_numbers(env, FileTransactions(tmp_path / "out"), 500)
    env.execute("no checkpoints")
    assert shown(tmp_path / "out") == list(range(500))


@pytest.mark.parametrize("point", ["metadata.after", "commit.before", "commit.after", "notify.before"])
@pytest.mark.parametrize("parallelism", [2, 3])
def test_a_new_driver_commits_what_the_old_one_could_not(tmp_path, point, parallelism):
    env = environment(tmp_path / "checkpoints")
    write_numbers(env, FileTransactions(tmp_path / "out"), 6_000, rate=3_000)
    ARMED[point] = Die(after=2)
    client = env.execute_async("taken over")
    abandon(client, at=ARMED[point])
    FileTransactions.calls.clear()
    env = environment(tmp_path / "checkpoints", parallelism)
    write_numbers(env, FileTransactions(tmp_path / "out"), 6_000)
    second = env.execute_async("taken over")
    second.get_job_execution_result().result(PATIENCE)
    assert second.get_job_id() == client.get_job_id()
    assert "recover_and_commit" in FileTransactions.calls
    assert shown(tmp_path / "out") == list(range(6_000))
    assert hidden(tmp_path / "out") == []


class Unlucky(FileTransactions):
    """Fails to commit a few times."""

    left = 0

    def commit(self, transaction):
        if Unlucky.left > 0:
            Unlucky.left -= 1
            raise ConnectionResetError("try again")
        super().commit(transaction)


def run_unlucky(directory, failures):
    Unlucky.left = failures
    env = environment(parallelism=1)
    write_numbers(env, Unlucky(directory))
    client = env.execute_async("unlucky")
    client.get_job_execution_result().result(PATIENCE)
    return client.master.failures


def test_a_commit_that_fails_is_tried_again_after_a_restart(tmp_path):
    [failure] = run_unlucky(tmp_path / "out", failures=1)
    assert shown(tmp_path / "out") == list(range(3_000))
    assert re.search(r"Unlucky\.commit failed on transaction '\..*': ConnectionResetError: try again", str(failure))
    assert "recover_and_commit" in FileTransactions.calls


def test_a_recovered_commit_that_fails_is_tried_again_too(tmp_path):
    assert run_unlucky(tmp_path / "out", failures=8)
    assert shown(tmp_path / "out") == list(range(3_000))


def test_a_transaction_of_a_killed_attempt_is_aborted_when_the_job_comes_back(tmp_path):
    sink = FileTransactions(tmp_path)
    scope, other = SinkScope("job", "sink"), SinkScope("job", "another")
    names = [f"{sink.prefix(scope)}0-{name}" for name in ("stale", "kept")] + [f"{sink.prefix(other)}0-foreign"]
    for name in names:
        (tmp_path / name).write_text("1\n")
    sink.abort_stale(scope, [names[1]])
    assert sorted(hidden(tmp_path)) == sorted(names[1:])


def test_finish_processing_writes_what_is_held_back(tmp_path):
    class HoldsOne(FileTransactions):
        def begin_transaction(self):
            self.held = None
            return super().begin_transaction()

        def invoke(self, transaction, value, context):
            if self.held is not None:
                super().invoke(transaction, self.held, context)
            self.held = value

        def pre_commit(self, transaction):
            assert self.held is None, "the input had ended"
            super().pre_commit(transaction)

        def finish_processing(self, transaction):
            self.file.write(f"{self.held}\n")
            self.held = None

    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    env.from_collection([1, 2, 3]).add_sink(HoldsOne(tmp_path / "out"))
    env.execute("ends")
    assert shown(tmp_path / "out") == [1, 2, 3]


class Watching(FileTransactions):
    def open(self, runtime_context):
        super().open(runtime_context)
        self.calls.append(f"open {runtime_context.get_index_of_this_subtask()}")

    def begin_transaction(self):
        self.calls.append("begin")
        return super().begin_transaction()

    def invoke(self, transaction, value, context):
        assert context.current_watermark() <= value
        assert context.current_processing_time() > 1_000_000_000_000
        self.calls.append(f"invoke {value} at {context.timestamp()}")
        super().invoke(transaction, value, context)

    def pre_commit(self, transaction):
        self.calls.append("pre_commit")
        super().pre_commit(transaction)

    def close(self):
        self.calls.append("close")


def test_context_and_life_cycle(tmp_path):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda value, _: value)
    env.from_collection([1, 2]).assign_timestamps_and_watermarks(strategy).add_sink(Watching(tmp_path / "out"))
    env.execute("watch")
    expected = ["open 0", "begin", "invoke 1 at 1", "invoke 2 at 2", "pre_commit", "commit", "close"]
    assert FileTransactions.calls == expected
    assert shown(tmp_path / "out") == [1, 2]


def test_a_handle_that_cannot_travel_is_explained(tmp_path):
    class Connected(FileTransactions):
        def begin_transaction(self):
            super().begin_transaction()
            return threading.Lock()

    env = environment()
    write_numbers(env, Connected(tmp_path / "out"), 10)
    with pytest.raises(
        JobExecutionError, match=r"Connected\.begin_transaction returned .*lock.* can't be pickled"
    ) as e:
        env.execute("lock")
    assert "return a name or a path, and keep what is open in self" in str(e.value)


class Timed(FileTransactions):
    """Can't be committed any more."""

    def recover_and_commit(self, transaction):
        raise TimeoutError("the broker forgot it")


def committed(sink, *, recovered, elapsed):
    packed = two_phase_commit_sink.pack_handle(sink, "t1")
    committable = two_phase_commit_sink.PreCommitted(packed, 5_000, "'t1'")
    timed = two_phase_commit_sink.TwoPhaseCommitSink(sink, ManualClock(5_000 + elapsed))
    commit_all(timed, [committable], recovered=recovered)


def test_a_transaction_that_timed_out_may_be_dropped(tmp_path, caplog):
    patient = Timed(tmp_path).set_transaction_timeout(1_000)
    with pytest.raises(Exception, match=r"recover_and_commit failed on transaction 't1': TimeoutError: the broker"):
        committed(patient, recovered=True, elapsed=2_000)
    lenient = Timed(tmp_path).set_transaction_timeout(1_000).ignore_failures_after_transaction_timeout()
    with pytest.raises(Exception, match="the broker forgot it"):
        committed(lenient, recovered=True, elapsed=1_000)
    committed(lenient, recovered=True, elapsed=1_001)
    assert "its records are lost" in caplog.text


def test_a_commit_close_to_the_timeout_is_warned_of(tmp_path, monkeypatch, caplog):
    sink = FileTransactions(tmp_path).set_transaction_timeout(1_000).enable_transaction_timeout_warnings(0.8)
    for elapsed in (800, 801):
        (tmp_path / "t1").write_text("")
        committed(sink, recovered=False, elapsed=elapsed)
    [warning] = caplog.records
    assert warning.getMessage() == (
        "transaction 't1' was begun 801 ms ago and times out after 1000 ms; take checkpoints more often, "
        "or raise the timeout"
    )


def test_wrong_use_is_found_while_the_graph_is_built(tmp_path):
    class NoValue(FileTransactions):
        def invoke(self, transaction, value):
            pass

    class WithState(FileTransactions, CheckpointedFunction):
        def initialize_state(self, context):
            pass

        def snapshot_state(self, context):
            pass

    stream = environment().from_sequence(1, 3)
    with pytest.raises(GraphError, match=r"add_sink\(\.\.\.\).*invoke.*transaction, value, context"):
        stream.add_sink(NoValue(tmp_path))
    with pytest.raises(GraphError, match="WithState is a CheckpointedFunction too"):
        stream.add_sink(WithState(tmp_path))
    with pytest.raises(GraphError, match="this is the class FileTransactions itself"):
        stream.add_sink(FileTransactions)
    with pytest.raises(GraphError, match="belongs in add_sink"):
        stream.process(FileTransactions(tmp_path))
    with pytest.raises(GraphError, match="at least one millisecond"):
        FileTransactions(tmp_path).set_transaction_timeout(0)
    with pytest.raises(GraphError, match="between 0 and 1"):
        FileTransactions(tmp_path).enable_transaction_timeout_warnings(1.5)
