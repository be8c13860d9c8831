"""When checkpoints start, what becomes of them, and what is kept: the coordinator by itself, with a clock in hand."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from flott.common import JobStatus
from flott.coordination.checkpoints.coordinator import (
    AbortedCheckpoint,
    CheckpointCoordinator,
    CompletedCheckpoint,
)
from flott.coordination.checkpoints.metadata import JobState, VertexState
from flott.coordination.checkpoints.requests import MOST_WAITING, SavepointRequest
from flott.coordination.checkpoints.settings import DELETE, NEVER_KEEP, RETAIN, CheckpointSettings
from flott.coordination.checkpoints.statistics import CheckpointStatus
from flott.coordination.checkpoints.storage import DirectoryCheckpointStorage, find_checkpoints, load
from flott.coordination.job_note import RUNNING, JobNote, decode_note
from flott.coordination.job_record import JobRecord
from flott.coordination.liveness import Lease
from flott.errors import CheckpointError, FencedError
from flott.runtime.clock import ManualClock
from flott.runtime.reports import TaskOrder, TaskReport
from flott.runtime.state.lineage import Lineage, StateFile
from flott.runtime.storage import UncertainWriteError

PLAN = SimpleNamespace(vertices=[SimpleNamespace(id="count", name="count", parallelism=2)])


class ByHand:
    """Does its work when told to."""

    def __init__(self):
        self.waiting = []

    def submit(self, work):
        future = Future()
        self.waiting.append((work, future))
        return future

    def work(self, error=None):
        while self.waiting:
            work, future = self.waiting.pop(0)
            try:
                if error is not None:
                    raise error
                future.set_result(work())
            except (OSError, FencedError) as failure:
                future.set_exception(failure)

    def shutdown(self):
        self.work()


def record_at(root, **settings):
    note = JobNote("job", RUNNING, checkpoints=())
    record = JobRecord(str(root), "a" * 32, note, Lease(pause=lambda _: None), **settings)
    record.create()
    for name in "abcd":
        record.storage.write(name, b"state")
    return record


def checkpoints_in(root):
    return sorted(path.name for path in root.iterdir() if path.is_dir())


@pytest.fixture
def make(tmp_path_factory):
    records = []

    def make(**settings):
        time = SimpleNamespace(now=0)
        made = SimpleNamespace(time=time, background=ByHand(), removed=[], root=tmp_path_factory.mktemp("job"))
        made.record = record_at(made.root)
        records.append(made.record)
        made.coordinator = CheckpointCoordinator(
            settings=CheckpointSettings(**{"interval": 100, **settings}),
            storage=DirectoryCheckpointStorage(made.record),
            clock=ManualClock(5_000),
            monotonic=lambda: time.now,
            background=made.background,
            discard=made.removed.extend,
            job_id="a" * 32,
            job_name="job",
        )
        return made

    yield make
    for record in records:
        record.release()


def state(*names):
    files = tuple(StateFile(name, f"token-{name}", (), 100) for name in names)
    task = TaskOrder(carried=b"carried", lineage=Lineage(files))
    return JobState(7, (VertexState((), 1, 128, (task,)),), {})


def reports(size=10):
    return [
        TaskReport(0, subtask, "t", 0, carried=b"12345", state_bytes=size, seconds={"sync": 0.001, "async": 0.002})
        for subtask in range(2)
    ]


def start(made):
    return made.coordinator.begin(PLAN, lambda request: f"{request.directory}/savepoint-1")


def take(made, *names):
    """Take a checkpoint of a version that needs some files."""
    pending = start(made)
    made.coordinator.acknowledge(pending, PLAN, reports(), state(*names))
    made.background.work()
    return made.coordinator.poll()


def test_the_interval_counts_from_trigger_to_trigger(make):
    made = make(interval=100)
    due = []
    for made.time.now in (0, 99, 100, 150, 199, 200, 201):
        if made.coordinator.due(backlog=False):
            due.append(made.time.now)
            take(made)
    assert due == [100, 200]


def test_the_pause_counts_from_the_completion(make):
    made = make(interval=100, min_pause=80)
    made.time.now = 100
    pending = start(made)
    made.time.now = 150
    made.coordinator.acknowledge(pending, PLAN, reports(), state())
    made.background.work()
    made.coordinator.poll()
    due = [now for made.time.now in range(151, 260) if made.coordinator.due(backlog=False) for now in [made.time.now]]
    assert due[0] == 230
    assert made.coordinator.requests.next_due(backlog=False) == 230


def test_no_more_than_so_many_at_a_time(make):
    made = make(interval=10, max_concurrent=2)
    started = []
    for made.time.now in range(0, 100, 10):
        if made.coordinator.due(backlog=False):
            started.append(start(made).checkpoint_id)
    assert started == [1, 2]


def test_other_intervals_during_a_backlog(make):
    made = make(interval=10, interval_during_backlog=50)
    made.time.now = 49
    assert not made.coordinator.due(backlog=True)
    assert made.coordinator.due(backlog=False)
    made.time.now = 50
    assert made.coordinator.due(backlog=True)
    never = make(interval=10, interval_during_backlog=0)
    never.time.now = 10**6
    assert not never.coordinator.due(backlog=True)


def test_savepoints_go_first_and_wait_for_nothing(make, tmp_path):
    made = make(interval=100, min_pause=1_000)
    made.time.now = 100
    take(made)
    request = SavepointRequest(str(tmp_path))
    assert made.coordinator.requests.ask(request)
    assert made.coordinator.due(backlog=False)
    pending = start(made)
    assert pending.savepoint is request
    made.coordinator.acknowledge(pending, PLAN, reports(), state())
    made.background.work()
    [done] = made.coordinator.poll()
    assert done.path == f"{tmp_path}/savepoint-1"
    assert load(done.path)[1].kind == "savepoint"
    # It is no checkpoint to come back to, and does not put off the next one.
    assert made.coordinator.latest.metadata.checkpoint_id == 1
    assert made.coordinator.statistics.latest_savepoint.checkpoint_id == 2
    made.time.now = 1_100
    assert made.coordinator.due(backlog=False)


def test_too_many_requests_are_refused(make):
    made = make()
    for _ in range(MOST_WAITING):
        assert made.coordinator.requests.ask(SavepointRequest("/x"))
    assert not made.coordinator.requests.ask(SavepointRequest("/x"))


def test_without_an_interval_there_are_only_savepoints(make):
    made = make(interval=None)
    made.time.now = 10**9
    assert not made.coordinator.due(backlog=False)
    made.coordinator.requests.ask(SavepointRequest("/x"))
    assert made.coordinator.due(backlog=False)


def test_a_completed_checkpoint_is_on_disk_before_it_counts(make):
    made = make()
    pending = start(made)
    made.coordinator.acknowledge(pending, PLAN, reports(), state("a"))
    assert made.coordinator.poll() == []
    assert checkpoints_in(made.root) == []
    made.background.work()
    [done] = made.coordinator.poll()
    assert isinstance(done, CompletedCheckpoint)
    assert done.path == f"{made.root}/chk-1"
    root, metadata = load(done.path)
    assert (root, metadata) == (str(made.root), done.metadata)
    assert made.coordinator.latest is done


def test_only_so_many_are_retained_and_files_live_as_long_as_somebody_needs_them(make):
    made = make(retained=2)
    made.coordinator.hold(["a", "b"])
    take(made, "a", "b")
    made.coordinator.release(["a"])
    made.coordinator.hold(["c"])
    take(made, "b", "c")
    assert made.removed == []
    made.coordinator.release(["b"])
    made.coordinator.hold(["d"])
    take(made, "c", "d")
    made.background.work()
    assert made.removed == ["a"]
    assert checkpoints_in(made.root) == ["chk-2", "chk-3"]
    assert [one.folder for one in made.record.note.checkpoints] == ["chk-2", "chk-3"]
    take(made, "c", "d")
    made.background.work()
    assert made.removed == ["a", "b"]


def test_one_that_takes_too_long_is_given_up_and_what_it_writes_later_removed(make):
    made = make(timeout=1_000)
    pending = start(made)
    made.coordinator.acknowledge(pending, PLAN, reports(), state("a"))
    made.time.now = 1_000
    assert made.coordinator.poll() == []
    made.time.now = 1_001
    [aborted] = made.coordinator.poll()
    assert aborted == AbortedCheckpoint(1, "it took longer than 1000 ms", counts=True)
    made.background.work()
    assert not list(made.root.rglob("_metadata"))
    assert made.coordinator.latest is None
    assert made.removed == ["a"]


def test_one_that_is_aborted_while_its_metadata_is_written_never_counts(make, monkeypatch):
    made = make(timeout=1_000)
    pending = start(made)
    made.coordinator.acknowledge(pending, PLAN, reports(), state("a"))
    write = made.record.storage.write
    aborted = []

    def slowly(name, *parts):
        write(name, *parts)
        made.time.now = 10**9
        aborted.extend(made.coordinator.poll())

    monkeypatch.setattr(made.record.storage, "write", slowly)
    made.background.work()
    assert [one.checkpoint_id for one in aborted] == [1]
    assert made.record.note.checkpoints == ()
    assert checkpoints_in(made.root) == []
    assert made.coordinator.poll() == []


def test_one_that_is_published_before_it_is_aborted_is_complete(make):
    made = make(timeout=1_000)
    pending = start(made)
    made.coordinator.acknowledge(pending, PLAN, reports(), state("a"))
    made.background.work()
    assert made.coordinator.abort_all("the job failed") == []
    assert made.coordinator.latest.metadata.checkpoint_id == 1
    assert made.removed == []


@pytest.mark.parametrize("took_effect", [True, False])
def test_a_publication_whose_outcome_is_unknown_is_settled_before_anything_is_undone(make, monkeypatch, took_effect):
    made = make()
    pending = start(made)
    made.coordinator.acknowledge(pending, PLAN, reports(), state("a"))
    swap, read = made.record.storage.swap, made.record.storage.read_version

    def lost(*words):
        if took_effect:
            swap(*words)
        raise UncertainWriteError(5, "no answer")

    def cut(*words):
        raise OSError("no route to host")

    monkeypatch.setattr(made.record.storage, "swap", lost)
    monkeypatch.setattr(made.record.storage, "read_version", cut)
    made.background.work()
    with pytest.raises(OSError, match="no route to host"):
        made.coordinator.poll()
    assert made.removed == []
    monkeypatch.setattr(made.record.storage, "swap", swap)
    monkeypatch.setattr(made.record.storage, "read_version", read)
    [outcome] = made.coordinator.poll()
    made.background.work()
    assert isinstance(outcome, CompletedCheckpoint if took_effect else AbortedCheckpoint)
    assert made.removed == ([] if took_effect else ["a"])
    assert checkpoints_in(made.root) == (["chk-1"] if took_effect else [])


def test_a_driver_that_was_replaced_publishes_and_removes_nothing(make):
    made = make()
    take(made, "a")
    made.record.release()
    note, version = made.record.storage.read_version("_job")
    successor = JobRecord(str(made.root), "a" * 32, decode_note(note, "_job"))
    successor.take(version)
    pending = start(made)
    made.coordinator.acknowledge(pending, PLAN, reports(), state("b"))
    made.background.work()
    with pytest.raises(FencedError, match="was taken over by another driver"):
        made.coordinator.poll()
    assert [one.folder for one in successor.note.checkpoints] == ["chk-1"]
    assert made.removed == []
    successor.release()


def test_failures_in_a_row_are_counted_and_a_success_starts_anew(make):
    made = make()
    for expected in (1, 2):
        pending = start(made)
        made.coordinator.acknowledge(pending, PLAN, reports(), state())
        made.background.work(OSError(28, "No space left on device"))
        [aborted] = made.coordinator.poll()
        assert "No space left on device" in aborted.reason
        assert made.coordinator.failures_in_a_row == expected
    take(made)
    assert made.coordinator.failures_in_a_row == 0


def test_a_savepoint_that_fails_is_told_to_who_asked_and_does_not_count(make):
    made = make()
    request = SavepointRequest("/x")
    made.coordinator.requests.ask(request)
    aborted = made.coordinator.decline(start(made), "a task could not write")
    assert not aborted.counts
    with pytest.raises(CheckpointError, match="given up: a task could not write"):
        request.promise.result(0)


def test_of_a_savepoint_that_was_given_up_nothing_is_left(make, tmp_path):
    made = make()
    made.coordinator.requests.ask(SavepointRequest(str(tmp_path)))
    pending = start(made)
    (tmp_path / "savepoint-1").mkdir()
    (tmp_path / "savepoint-1" / "state.parquet").write_bytes(b"half")
    (tmp_path / "savepoint-2").mkdir()
    made.coordinator.acknowledge(pending, PLAN, reports(), state())
    made.time.now = 10**9
    [aborted] = made.coordinator.poll()
    assert "longer than" in aborted.reason
    made.background.work()  # its metadata are written after all, and then it is removed
    assert [path.name for path in tmp_path.iterdir()] == ["savepoint-2"]


def test_a_newer_one_makes_older_ones_superfluous(make):
    made = make(max_concurrent=2)
    older, newer = start(made), start(made)
    made.coordinator.acknowledge(newer, PLAN, reports(), state())
    made.background.work()
    [done] = made.coordinator.poll()
    assert done.metadata.checkpoint_id == 2
    assert older.stats.status is CheckpointStatus.FAILED
    assert made.coordinator.failures_in_a_row == 0
    assert made.coordinator.pending == {}


@pytest.mark.parametrize(
    ("retention", "status", "kept"),
    [
        (NEVER_KEEP, JobStatus.CANCELED, False),
        (NEVER_KEEP, JobStatus.FAILED, False),
        (DELETE, JobStatus.CANCELED, False),
        (DELETE, JobStatus.FAILED, True),
        (RETAIN, JobStatus.CANCELED, True),
        (RETAIN, JobStatus.FAILED, True),
        (RETAIN, JobStatus.FINISHED, False),
    ],
)
def test_what_is_kept_when_the_job_is_over(make, retention, status, kept):
    made = make(retention=retention)
    made.coordinator.hold(["a"])
    take(made, "a")
    made.coordinator.release(["a"])
    assert made.coordinator.keeps(status) is kept
    made.coordinator.end(keep=kept)
    assert bool(list(made.root.rglob("_metadata"))) is kept
    assert made.removed == ([] if kept else ["a"])


def test_numbers_go_on_where_an_earlier_driver_stopped(make):
    made = make()
    take(made)
    [(path, found)] = find_checkpoints(str(made.root))
    assert path == f"{made.root}/chk-1"
    made.record.close(keep=False)
    other = make()
    other.coordinator.adopt([CompletedCheckpoint(found, "somewhere")])
    assert start(other).checkpoint_id == 2
    assert other.coordinator.latest.metadata == found


def test_statistics(make):
    made = make()
    for size in (10, 20, 30):
        pending = start(made)
        made.coordinator.clock.advance_to(made.coordinator.clock.now() + size)
        made.coordinator.acknowledge(pending, PLAN, reports(size), state("a"))
        made.background.work()
        made.coordinator.poll()
    made.coordinator.decline(start(made), "enough")
    start(made)
    statistics = made.coordinator.statistics
    counts = statistics.triggered, statistics.in_progress, statistics.completed, statistics.failed
    assert counts == (5, 1, 3, 1)
    last = statistics.latest_completed
    assert (last.duration_ms, last.subtasks_acknowledged, last.subtasks_total) == (30, 2, 2)
    assert (last.checkpointed_size, last.tasks["count"][0].sync_ms) == (2 * (30 + 5), 1.0)
    summary = statistics.summary()["duration_ms"]
    assert (summary.minimum, summary.average, summary.maximum, summary.p50, summary.p999) == (10, 20, 30, 20, 30)
    assert [stats.status.value for stats in statistics.history][-2:] == ["Failed", "In Progress"]
    assert statistics.latest_failed.failure == "enough"


@pytest.mark.parametrize("length", [8, 9, 12, 15, 40])
def test_the_beginning_of_a_metadata_file_is_told_from_a_foreign_one(make, length):
    made = make()
    take(made)
    path = made.root / "chk-1" / "_metadata"
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(CheckpointError, match="its checksum does not match"):
        load(str(path.parent))
    path.write_bytes(b"PAR1" * 10)
    with pytest.raises(CheckpointError, match="not the metadata of a checkpoint"):
        load(str(path.parent))


def test_a_checkpoint_that_was_written_too_late_is_aborted_though_nobody_looked_meanwhile(make):
    made = make(timeout=50)
    pending = start(made)
    made.coordinator.acknowledge(pending, PLAN, reports(), state("a"))
    made.time.now = 51
    made.background.work()
    [outcome] = made.coordinator.poll()
    assert isinstance(outcome, AbortedCheckpoint)
    assert outcome.reason == "it took longer than 50 ms"
    made.background.work()
    assert not list(made.root.rglob("_metadata"))


def test_a_checkpoint_that_was_written_in_time_is_complete_whenever_somebody_looks(make):
    made = make(timeout=50)
    pending = start(made)
    made.time.now = 50
    made.coordinator.acknowledge(pending, PLAN, reports(), state("a"))
    made.background.work()
    made.time.now = 1_000
    [outcome] = made.coordinator.poll()
    assert isinstance(outcome, CompletedCheckpoint)
