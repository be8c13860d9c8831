"""Whole jobs in one process that fail, are cancelled or lose their driver, and come back from a checkpoint."""

from __future__ import annotations

import os

import pytest
from tests.failing_jobs import FailsAt, abandon, environment, lines, small_epochs, text_sink
from tests.waiting import PATIENCE, wait_for_checkpoints

from flott.common import Configuration, JobStatus, Types, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import CheckpointedFunction, KeyedProcessFunction, MapFunction, StreamExecutionEnvironment
from flott.datastream.state import ListStateDescriptor, ValueStateDescriptor
from flott.errors import CheckpointError, JobExecutionError, JobOwnedError

pytestmark = pytest.mark.job

KEYS = 7


class Numbered(KeyedProcessFunction):
    """Gives each record of a key its number, so that a lost or doubled record shows."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        number = (self.count.value() or 0) + 1
        self.count.update(number)
        yield f"{ctx.get_current_key()} {number}"


class Total(MapFunction, CheckpointedFunction):
    """Counts what it has seen, in operator state."""

    totals: list = []  # noqa: RUF012 - shared by all copies in this process

    def initialize_state(self, context):
        self.state = context.get_operator_state_store().get_list_state(ListStateDescriptor("total", Types.LONG()))
        self.total = sum(self.state.get())

    def snapshot_state(self, context):
        self.state.update([self.total])
        Total.totals.append((context.get_checkpoint_id(), self.total))

    def map(self, value):
        self.total += 1
        return value


@pytest.fixture(autouse=True)
def _small_epochs(monkeypatch):
    small_epochs(monkeypatch)
    Total.totals.clear()


def count_by_key(env, out, *, numbers=3_000, fails=(), rate=None):
    limit = RateLimiterStrategy.no_op() if rate is None else RateLimiterStrategy.per_second(rate)
    source = DataGeneratorSource(lambda index: index, numbers, limit)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
    stream = stream.map(FailsAt(*fails)).uid("fails").map(Total()).uid("total")
    stream.key_by(lambda n: n % KEYS).process(Numbered()).uid("numbered").sink_to(text_sink(out)).uid("out")


def exactly_once(numbers, keys=KEYS):
    return sorted(f"{key} {number}" for key in range(keys) for number in range(1, len(range(key, numbers, keys)) + 1))


def test_a_failing_job_comes_back_and_shows_each_record_once(tmp_path):
    env = environment()
    count_by_key(env, tmp_path / "out", fails=(0, 777, 2_500))
    client = env.execute_async("fails")
    client.get_job_execution_result().result(PATIENCE)
    assert lines(tmp_path / "out") == exactly_once(3_000)
    assert len(client.master.failures) == 3
    assert client.master.checkpoints.statistics.completed >= 1
    assert client.get_job_status().result() is JobStatus.FINISHED
    assert not (tmp_path / "out" / ".staging").exists()


def test_without_checkpoints_a_restart_begins_at_the_beginning(tmp_path):
    env = environment(**{"execution.checkpointing.interval": "1 h"})
    count_by_key(env, tmp_path / "out", fails=(777,))
    env.execute("once more")
    assert lines(tmp_path / "out") == exactly_once(3_000)


def test_no_restart_without_a_strategy_and_without_checkpoints(tmp_path):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    count_by_key(env, tmp_path / "out", fails=(777,))
    with pytest.raises(JobExecutionError, match="fails at 777"):
        env.execute("fails")


def test_attempts_are_counted(tmp_path):
    env = environment(**{"restart-strategy.fixed-delay.attempts": "2"})
    count_by_key(env, tmp_path / "out", fails=(10, 20, 30))
    with pytest.raises(JobExecutionError, match="fails at 30"):
        env.execute("fails")


def test_a_finished_job_leaves_nothing_but_its_output(tmp_path):
    env = environment(tmp_path / "checkpoints")
    count_by_key(env, tmp_path / "out")
    env.execute("tidy")
    assert list((tmp_path / "checkpoints").rglob("*")) == []
    assert lines(tmp_path / "out") == exactly_once(3_000)


def test_checkpoints_are_laid_out_as_flinks(tmp_path):
    env = environment(tmp_path / "checkpoints")
    count_by_key(env, tmp_path / "out", numbers=None, rate=20_000)
    client = env.execute_async("layout")
    wait_for_checkpoints(client, 5)
    stats = client.master.checkpoints.statistics.latest_completed
    root = tmp_path / "checkpoints" / str(client.get_job_id())
    folders = {path.name for path in root.iterdir()}
    assert {"shared"} < folders
    # Metadata of one checkpoint, or of two while the older one is being removed.
    assert 1 <= len([name for name in folders if name.startswith("chk-")]) <= 2
    assert stats.path.startswith(str(root))
    assert stats.full_size > 0
    assert stats.subtasks_acknowledged == stats.subtasks_total == 4
    client.cancel().result(PATIENCE)
    assert list((tmp_path / "checkpoints").rglob("*")) == []


@pytest.mark.parametrize("parallelism", [1, 2, 3])
def test_a_retained_checkpoint_is_a_starting_point(tmp_path, parallelism):
    options = {"execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION"}
    env = environment(tmp_path / "checkpoints", **options)
    count_by_key(env, tmp_path / "out", numbers=20_000, rate=4_000)
    client = env.execute_async("retained")
    wait_for_checkpoints(client, 5)
    client.cancel().result(PATIENCE)
    [metadata] = (tmp_path / "checkpoints").rglob("_metadata")
    env = environment(tmp_path / "checkpoints", parallelism, **{"execution.state-recovery.path": str(metadata.parent)})
    count_by_key(env, tmp_path / "out", numbers=20_000)
    client = env.execute_async("retained")
    client.get_job_execution_result().result(PATIENCE)
    assert client.master.checkpoints.statistics.restored == 1
    assert lines(tmp_path / "out") == exactly_once(20_000)
    assert metadata.exists()
    assert Total.totals[-1][1] + sum(total for _, total in Total.totals[-parallelism:-1]) >= 20_000 // parallelism


@pytest.mark.parametrize("parallelism", [2, 3])
def test_a_new_driver_on_the_same_directory_goes_on(tmp_path, parallelism):
    env = environment(tmp_path / "checkpoints")
    count_by_key(env, tmp_path / "out", numbers=20_000, rate=4_000)
    client = env.execute_async("taken over")
    wait_for_checkpoints(client, 5)
    abandon(client)
    env = environment(tmp_path / "checkpoints", parallelism)
    count_by_key(env, tmp_path / "out", numbers=20_000)
    second = env.execute_async("taken over")
    second.get_job_execution_result().result(PATIENCE)
    assert second.get_job_id() == client.get_job_id()
    assert second.master.checkpoints.statistics.restored == 1
    assert lines(tmp_path / "out") == exactly_once(20_000)
    assert list((tmp_path / "checkpoints").rglob("*")) == []


def test_a_running_job_is_neither_taken_over_nor_started_twice(tmp_path):
    env = environment(tmp_path / "checkpoints")
    count_by_key(env, tmp_path / "one", numbers=None, rate=5_000)
    first = env.execute_async("same name")
    wait_for_checkpoints(first, 1)
    env = environment(tmp_path / "checkpoints")
    count_by_key(env, tmp_path / "two")
    with pytest.raises(JobOwnedError, match=f"has a driver already .process {os.getpid()} on .*--new"):
        env.execute("same name")
    env = environment(tmp_path / "checkpoints", **{"flott.job.new": "true"})
    count_by_key(env, tmp_path / "two")
    second = env.execute_async("same name")
    second.get_job_execution_result().result(PATIENCE)
    assert second.get_job_id() != first.get_job_id()
    assert lines(tmp_path / "two") == exactly_once(3_000)
    assert first.get_job_status().result() is JobStatus.RUNNING
    first.cancel().result(PATIENCE)


def test_a_damaged_checkpoint_stops_the_job_unless_the_one_before_is_allowed(tmp_path, caplog):
    env = environment(tmp_path / "checkpoints", **{"execution.checkpointing.num-retained": "3"})
    count_by_key(env, tmp_path / "out", numbers=20_000, rate=4_000)
    client = env.execute_async("damaged")
    wait_for_checkpoints(client, 6)
    abandon(client)
    newest = max((tmp_path / "checkpoints").rglob("_metadata"), key=lambda path: int(path.parent.name[4:]))
    content = newest.read_bytes()
    newest.write_bytes(content[: len(content) // 2])
    env = environment(tmp_path / "checkpoints")
    count_by_key(env, tmp_path / "out", numbers=20_000)
    with pytest.raises(CheckpointError, match=r"_metadata is damaged: its checksum .*allow-older-checkpoint: true"):
        env.execute("damaged")
    assert newest.exists()
    env = environment(tmp_path / "checkpoints", **{"flott.recovery.allow-older-checkpoint": "true"})
    count_by_key(env, tmp_path / "out", numbers=20_000)
    env.execute("damaged")
    assert f"checkpoint {newest.parent.name[4:]} of" in caplog.text
    shown = lines(tmp_path / "out")
    assert set(shown) == set(exactly_once(20_000))  # What chk-n had committed may show twice: that is its price.


def test_a_program_without_the_operator_is_refused(tmp_path):
    env = environment(tmp_path / "checkpoints")
    count_by_key(env, tmp_path / "out", numbers=None, rate=20_000)
    client = env.execute_async("changed")
    wait_for_checkpoints(client, 3)
    abandon(client)
    env = environment(tmp_path / "checkpoints")
    env.from_sequence(1, 10).print()
    with pytest.raises(CheckpointError, match=r"'numbered'|uid 'numbered'") as refused:
        env.execute("changed")
    assert "--allow-non-restored-state" in str(refused.value)
    env = environment(tmp_path / "checkpoints", **{"execution.state-recovery.ignore-unclaimed-state": "true"})
    env.from_sequence(1, 10).filter(lambda n: False).print()
    env.execute("changed")


def test_a_directory_that_can_not_be_used_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    env = environment(tmp_path / "file")
    env.from_sequence(1, 10).print()
    with pytest.raises(CheckpointError, match=r"file' can't be used: .*execution\.checkpointing\.dir"):
        env.execute("nowhere")


def test_an_interval_that_is_no_number_is_refused():
    with pytest.raises(TypeError, match="a number of milliseconds, as in 1000, not 'soon'"):
        environment().enable_checkpointing("soon")
