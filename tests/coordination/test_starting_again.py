"""What a start does while the driver before it is alive, dead or paused; on a local disk and on object storage."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from functools import partial

import pytest
from tests.failing_jobs import abandon, environment, lines, small_epochs, text_sink
from tests.object_stores import ObjectsInMemory, objects_in_memory, s3_bucket, s3_server  # noqa: F401 - fixtures
from tests.waiting import PATIENCE, wait_for_checkpoints

from flott.common import JobStatus, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.coordination.find_job import abandon_jobs, find_job, jobs_in
from flott.coordination.job_note import RUNNING, JobNote, Published
from flott.coordination.job_record import JobRecord
from flott.coordination.liveness import Lease
from flott.errors import CheckpointError, ConfigurationError, FencedError, JobExecutionError, JobOwnedError

JOB = "4" * 32


class Time:
    """A clock that goes on when somebody waits, and lets things happen meanwhile."""

    def __init__(self):
        self.at, self.meanwhile = 1_000.0, {}

    def lease(self):
        return Lease(60.0, now=lambda: self.at, pause=self.pause)

    def pause(self, seconds):
        self.at += seconds
        for moment in [moment for moment in self.meanwhile if moment <= self.at]:
            self.meanwhile.pop(moment)()


@pytest.fixture
def time(monkeypatch):
    clock = Time()
    monkeypatch.setattr(JobRecord, "_start_renewing", lambda _: None)
    monkeypatch.setattr("flott.coordination.liveness.time.time", lambda: clock.at)
    return clock


@pytest.fixture
def directory(request, tmp_path):
    if request.param == "local":
        return str(tmp_path / "checkpoints")
    bucket = request.getfixturevalue("objects_in_memory" if request.param == "objects" else "s3_bucket")
    return f"{bucket}/checkpoints"


def begun(directory, time, name="orders", job_id=JOB, **facts):
    note = JobNote(name, RUNNING, created=time.at, checkpoints=(), **facts)
    record = JobRecord(f"{directory}/{job_id}", job_id, note, time.lease())
    record.create()
    return record


def start(directory, time, savepoint=None):
    return find_job(directory, "orders", savepoint, time.lease(), durable=True)


both = pytest.mark.parametrize("directory", ["local", "objects"], indirect=True)
remote = pytest.mark.parametrize("directory", ["objects", pytest.param("s3", marks=pytest.mark.slow)], indirect=True)
local = pytest.mark.parametrize("directory", ["local"], indirect=True)


@local
def test_a_driver_that_lives_is_named(directory, time):
    first = begun(directory, time)
    with pytest.raises(JobOwnedError, match=f"driver already .process {os.getpid()} on .*flott cancel.*--new"):
        start(directory, time)
    assert start(directory.replace("checkpoints", "others"), time) is None
    first.release()


@local
def test_a_lock_that_is_free_is_taken_at_once(directory, time):
    begun(directory, time).release()
    at = time.at
    second = start(directory, time)
    assert (second.epoch, time.at) == (2, at)
    second.release()


@remote
def test_a_dead_drivers_lease_is_waited_for(directory, time, caplog):
    begun(directory, time)
    time.at += 20
    second = start(directory, time)
    assert second.epoch == 2
    assert time.at == pytest.approx(1_060)
    told = [record.getMessage() for record in caplog.records if "taking the job over in" in record.getMessage()]
    assert len(told) == 4
    assert "taking the job over in 40 s unless the lease is renewed" in told[0]


@remote
def test_a_lease_that_is_renewed_meanwhile_is_respected(directory, time):
    first = begun(directory, time)
    time.at += 20
    time.meanwhile[1_030.0] = first._write
    with pytest.raises(JobOwnedError, match="has a driver already"):
        start(directory, time)
    assert first.epoch == 1
    first.check()


@remote
def test_a_lease_of_the_future_is_waited_for_once(directory, time):
    begun(directory, time)
    time.at -= 3_600
    assert start(directory, time).epoch == 2
    assert time.at == pytest.approx(1_000 - 3_600 + 60)


@remote
def test_a_driver_that_was_paused_is_fenced_when_it_wakes(directory, time):
    paused = begun(directory, time)
    paused.publish(Published("chk-1"), 1)
    time.at += 61
    second = start(directory, time)
    told = []
    paused.when_fenced.append(lambda: told.append(True))

    def end():
        paused.ends(JobStatus.FINISHED, keep=False)

    for act in (partial(paused.publish, Published("chk-2"), 1), paused.check, end):
        with pytest.raises(FencedError, match=r"was taken over by another driver .process"):
            act()
    assert len(told) == 1
    assert second.note.checkpoints == (Published("chk-1"),)
    second.check()


@both
def test_of_two_that_start_one_gets_the_job(directory, time, monkeypatch):
    begun(directory, time).release()
    time.at += 61
    swap = JobRecord._swap
    overtaken = []

    def overtake(record, note):
        if not overtaken:
            overtaken.append(record)
            if record._lock is not None:
                os.close(record._lock)
                record._lock = None
            overtaken.append(start(directory, time))
        return swap(record, note)

    monkeypatch.setattr(JobRecord, "_swap", overtake)
    with pytest.raises(JobOwnedError):
        start(directory, time)
    assert overtaken[1].epoch == 2
    overtaken[1].release()


@both
def test_a_driver_that_is_replaced_while_it_starts_removes_nothing(directory, time, tmp_path, monkeypatch):
    successors = []
    monkeypatch.setattr("flott.coordination.job_record.take_lock", lambda _: os.open(os.devnull, os.O_RDONLY))
    known = JobRecord.is_conditional

    def overtaken(record):
        if not successors:
            time.at += 61
            successors.append(start(directory, time))
            successors[0].publish(Published("chk-1"), 1)
        return known(record)

    monkeypatch.setattr(JobRecord, "is_conditional", overtaken)
    env = environment(directory)
    env.from_sequence(1, 10).map(str).sink_to(text_sink(tmp_path / "out"))
    with pytest.raises(FencedError, match="This one ends; it changes and removes nothing"):
        env.execute("orders")
    successors[0].check()
    successors[0].release()
    time.at += 61
    assert start(directory, time).note.checkpoints == (Published("chk-1"),)


@both
def test_a_job_that_another_replaces_is_not_resumed(directory, time, caplog):
    begun(directory, time).release()
    time.at += 61
    abandon_jobs(directory, "orders", time.lease())
    assert "is not resumed any more" in caplog.text
    assert start(directory, time) is None
    [listed] = jobs_in(directory)
    assert listed.status == "LOST"


@remote
def test_new_waits_for_a_dead_drivers_lease(directory, time):
    """Otherwise the job that it replaces would be resumed one day, beside the new one."""
    begun(directory, time)
    time.at += 20
    abandon_jobs(directory, "orders", time.lease())
    assert time.at == pytest.approx(1_060)
    assert start(directory, time) is None


@remote
def test_new_leaves_a_job_alone_whose_lease_is_renewed(directory, time):
    first = begun(directory, time)
    time.meanwhile[1_030.0] = first._write
    abandon_jobs(directory, "orders", time.lease())
    first.check()
    assert not first.note.abandoned
    time.meanwhile[1_050.0] = first._write
    with pytest.raises(JobOwnedError):
        start(directory, time)


@both
def test_only_a_job_from_the_same_savepoint_is_resumed(directory, time):
    begun(directory, time, savepoint="/savepoints/1").release()
    time.at += 61
    assert start(directory, time, "/savepoints/2") is None
    assert start(directory, time, "/savepoints/1").epoch == 2


@local
def test_a_record_of_flott_0_1_is_read(directory, time, tmp_path):
    root = tmp_path / "checkpoints" / JOB
    root.mkdir(parents=True)
    old = '{"name": "orders", "status": "RUNNING", "owner": "5f", "renewed": 7.5, "savepoint": null, "rest": null}'
    (root / "_job").write_text(old)
    record = start(directory, time)
    assert (record.epoch, record.note.checkpoints) == (1, None)
    assert [path.name for path in root.glob("_job*")] == ["_job.1"]
    record.release()


def test_a_store_without_conditional_writes_is_refused_for_exactly_once(tmp_path):
    def job(mode):
        env = environment(f"memory://{tmp_path.name}", **{"execution.checkpointing.mode": mode})
        env.from_sequence(1, 10).map(str).sink_to(text_sink(tmp_path / "out")).name("the sink")
        return env

    with pytest.raises(
        CheckpointError, match=r"memory://.*exactly-once output .*the sink.*no conditional writes.*s3://"
    ):
        job("EXACTLY_ONCE").execute("refused")
    job("AT_LEAST_ONCE").execute("taken")
    assert lines(tmp_path / "out") == sorted(map(str, range(1, 11)))


@pytest.mark.parametrize("known", [(), ("IfNoneMatch",), ("IfMatch",)])
def test_a_store_that_ignores_conditions_is_refused(objects_in_memory, tmp_path, monkeypatch, known):  # noqa: F811
    call = ObjectsInMemory.call_s3

    def ignoring(self, method, *, Bucket, Key, Body, **conditions):  # noqa: N803 - boto's names
        checked = {name: value for name, value in conditions.items() if name in known}
        return call(self, method, Bucket=Bucket, Key=Key, Body=Body, **checked)

    monkeypatch.setattr(ObjectsInMemory, "call_s3", ignoring)
    env = environment(f"{objects_in_memory}/checkpoints")
    env.from_sequence(1, 10).map(str).sink_to(text_sink(tmp_path / "out"))
    with pytest.raises(CheckpointError, match="no conditional writes"):
        env.execute("refused")
    assert list(tmp_path.iterdir()) == []


def test_a_job_that_is_resumed_may_not_turn_to_exactly_once_on_such_a_store(tmp_path, monkeypatch):
    monkeypatch.setattr(JobRecord, "_start_renewing", lambda _: None)

    def job(mode):
        options = {"execution.checkpointing.mode": mode, "flott.driver.lease": "0 s"}
        env = environment(f"memory://{tmp_path.name}", **options)
        limit = RateLimiterStrategy.per_second(1_000)
        source = DataGeneratorSource(lambda index: index, None, limit)
        numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
        numbers.map(str).sink_to(text_sink(tmp_path / "out")).uid("out").name("the sink")
        return env

    first = job("AT_LEAST_ONCE").execute_async("turned")
    wait_for_checkpoints(first, 1)
    abandon(first)
    with pytest.raises(CheckpointError, match=r"exactly-once output .*the sink.*no conditional writes"):
        job("EXACTLY_ONCE").execute("turned")
    again = job("AT_LEAST_ONCE").execute_async("turned")
    assert again.get_job_id() == first.get_job_id()
    again.cancel().result(PATIENCE)


@pytest.fixture(autouse=True)
def _small_epochs(monkeypatch):
    small_epochs(monkeypatch)


class Raises:
    """Fails for a number while it is armed."""

    armed = True

    def __call__(self, number):
        if number == 2_000 and Raises.armed:
            raise ValueError("not yet")
        return number


def count(tmp_path, numbers=3_000, rate=None, **options):
    env = environment(tmp_path / "checkpoints", **options)
    limit = RateLimiterStrategy.no_op() if rate is None else RateLimiterStrategy.per_second(rate)
    source = DataGeneratorSource(lambda index: index, numbers, limit)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
    stream.map(Raises()).uid("map").map(str).uid("text").sink_to(text_sink(tmp_path / "out")).uid("out")
    return env


@pytest.mark.parametrize(
    ("retention", "resumed"), [(None, True), ("RETAIN_ON_CANCELLATION", True), ("NO_EXTERNALIZED_CHECKPOINTS", False)]
)
def test_a_job_that_failed_is_resumed_if_its_checkpoints_are_kept(tmp_path, caplog, retention, resumed):
    caplog.set_level(logging.INFO, "flott.checkpoints")
    options = {"restart-strategy.type": "none"}
    if retention is not None:
        options["execution.checkpointing.externalized-checkpoint-retention"] = retention
    Raises.armed = True
    with pytest.raises(JobExecutionError, match="not yet"):
        count(tmp_path, rate=4_000, **options).execute("fails")
    assert ("writes again what" in caplog.text) is not resumed
    Raises.armed = False
    count(tmp_path, **options).execute("fails")
    shown = lines(tmp_path / "out")
    assert set(shown) == set(map(str, range(3_000)))
    assert (len(shown) == 3_000) is resumed
    assert ("resumes FAILED job 'fails'" in caplog.text) is resumed


def test_a_job_that_failed_is_left_where_it_is_by_new(tmp_path):
    Raises.armed = True
    with pytest.raises(JobExecutionError, match="not yet"):
        count(tmp_path, rate=4_000, **{"restart-strategy.type": "none"}).execute("fails")
    [root] = (tmp_path / "checkpoints").iterdir()
    Raises.armed = False
    client = count(tmp_path, **{"flott.job.new": "true"}).execute_async("fails")
    client.get_job_execution_result().result(PATIENCE)
    assert str(client.get_job_id()) != root.name
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == [root.name]
    assert list(root.glob("chk-*/_metadata"))


def test_a_job_in_whose_place_another_started_from_a_savepoint_is_not_resumed(tmp_path):
    Raises.armed = False
    retained = {"execution.checkpointing.num-retained": "3"}
    first = count(tmp_path, 20_000, rate=1_000, **retained).execute_async("replaced")
    wait_for_checkpoints(first, 3)
    abandon(first)
    [root] = (tmp_path / "checkpoints").iterdir()
    path = max(root.glob("chk-*"), key=lambda folder: int(folder.name[4:]))
    second = count(tmp_path, 20_000, **{"execution.state-recovery.path": str(path)}).execute_async("replaced")
    second.get_job_execution_result().result(PATIENCE)
    third = count(tmp_path, 10).execute_async("replaced")
    third.get_job_execution_result().result(PATIENCE)
    assert len({str(client.get_job_id()) for client in (first, second, third)}) == 3
    assert path.exists()


def test_a_driver_that_was_replaced_ends_and_its_successor_is_exact(tmp_path, monkeypatch):
    monkeypatch.setattr("flott.coordination.job_record.take_lock", lambda _: os.open(os.devnull, os.O_RDONLY))
    monkeypatch.setattr("flott.coordination.find_job.lives", lambda *_: False)
    Raises.armed = False
    first = count(tmp_path, 20_000, rate=2_000).execute_async("twice")
    wait_for_checkpoints(first, 3)
    second = count(tmp_path, 20_000).execute_async("twice")
    with pytest.raises(FencedError, match="This one ends; it changes and removes nothing"):
        first.get_job_execution_result().result(PATIENCE)
    second.get_job_execution_result().result(PATIENCE)
    assert lines(tmp_path / "out") == sorted(map(str, range(20_000)))


class Unreachable(DataGeneratorSource):
    """Can't be read while nobody answers."""

    answers = True

    def create_enumerator(self, parallelism):
        if not Unreachable.answers:
            raise ConnectionError("nobody answers")
        return super().create_enumerator(parallelism)


@pytest.mark.parametrize("resumed", [False, True])
@pytest.mark.parametrize("cause", ["enumerator", "runner", "reporter"])
@pytest.mark.parametrize("directory", ["local", "objects"], indirect=True)
def test_a_job_that_can_not_start_leaves_all_as_it_was(directory, tmp_path, monkeypatch, cause, resumed):
    """The next start, also in the same process, goes on from there."""
    Unreachable.answers, Raises.armed = True, False
    out = tmp_path / "out"
    lease = {"flott.driver.lease": "0 s"}

    def job(*, rate=None, **options):
        env = environment(directory, **lease, **options)
        limit = RateLimiterStrategy.no_op() if rate is None else RateLimiterStrategy.per_second(rate)
        source = Unreachable(lambda index: index, 3_000, limit)
        numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
        numbers.map(str).uid("text").sink_to(text_sink(out)).uid("out")
        return env

    monkeypatch.setattr(JobRecord, "_start_renewing", lambda _: None)
    if resumed:
        first = job(rate=3_000).execute_async("unlucky")
        wait_for_checkpoints(first, 2)
        abandon(first)
    before = {one.job_id: one.status for one in jobs_in(directory)}
    options = {}
    with monkeypatch.context() as broken:
        if cause == "enumerator":
            broken.setattr(Unreachable, "answers", False)
        elif cause == "runner":
            broken.setattr("flott.testing.cluster.InProcessRunner.__init__", _raises_connection_error)
        else:
            options = {"metrics.reporters": "nosuch"}
        for _ in range(2):
            with pytest.raises((ConnectionError, ConfigurationError)):
                job(**options).execute("unlucky")
            assert {one.job_id: one.status for one in jobs_in(directory)} == before
    again = job().execute_async("unlucky")
    again.get_job_execution_result().result(PATIENCE)
    assert not resumed or list(before) == [str(again.get_job_id())]
    assert lines(out) == sorted(map(str, range(3_000)))


def _raises_connection_error(*_):
    raise ConnectionError("nobody answers")


def test_a_supervisor_that_starts_it_over_and_over_gets_it_done(tmp_path):
    Raises.armed = False
    starts = 0
    while True:
        starts += 1
        # Slow enough that none of the first three gets done, on a loaded machine neither.
        client = count(tmp_path, 3_000, rate=100 if starts < 4 else None).execute_async("supervised")
        if starts == 4:
            break
        wait_for_checkpoints(client, 2)
        abandon(client)
    client.get_job_execution_result().result(PATIENCE)
    assert lines(tmp_path / "out") == sorted(map(str, range(3_000)))
    assert replace(client.master.record.note, epoch=0).epoch == 0
    assert client.master.record.epoch == 4
