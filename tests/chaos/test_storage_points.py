"""At every point between two changes of storage: a crash, power loss, a stall, a second driver. Nothing is doubled.

The slow tests try every point, the others every few.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from functools import partial

import fsspec
import pytest
from tests.chaos.power_loss import Disk
from tests.chaos.storage_points import DRIVERS, Beside, Died, Driver, watch
from tests.object_stores import objects_in_memory, s3_bucket, s3_server  # noqa: F401 - fixtures
from tests.waiting import PATIENCE, wait_until

from flott.common import Configuration, Types, WatermarkStrategy
from flott.common.serialization import Encoder
from flott.connectors.bucket_assigners import BucketAssigner
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.file_sink import FileSink
from flott.coordination.job_record import JobRecord
from flott.coordination.launch import prepare
from flott.coordination.sizing import EpochSizer
from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from flott.datastream.state import ValueStateDescriptor
from flott.errors import CheckpointError, FlottError
from flott.runtime.clock import ManualClock
from flott.testing.cluster import InProcessRunner

RECORDS, PER_EPOCH, KEYS = 160, 40, 3
TIMEOUT = 300
LOOKS = 16
"""So often the loop looks at the clock before what stalls goes on."""
SILENCE = 3
"""So often the store is asked in vain what became of a write: as often as a driver has patience for."""
FOUND: dict = {}


class Numbered(KeyedProcessFunction):
    """Gives each record of a key its number."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        number = (self.count.value() or 0) + 1
        self.count.update(number)
        yield f"{ctx.get_current_key()} {number}"


EXPECTED = sorted(f"{key} {number}" for key in range(KEYS) for number in range(1, len(range(key, RECORDS, KEYS)) + 1))


class Place:
    """Where checkpoints and output are."""

    def __init__(self, url, disk=None):
        self.checkpoints, self.out, self.disk = f"{url}/checkpoints", f"{url}/out", disk

    def lines(self):
        files, path = fsspec.core.url_to_fs(self.out)
        files.invalidate_cache()
        names = [name for name in files.find(path) if "/.staging/" not in name]
        return sorted(line for name in names for line in files.cat_file(name).decode().splitlines())

    def left(self):
        files, path = fsspec.core.url_to_fs(self.checkpoints)
        files.invalidate_cache()
        return files.find(path)


class Ticks:
    """A stopwatch that goes on whenever somebody looks; a stall takes longer than the timeout of checkpoints."""

    def __init__(self, driver):
        self.driver, self.now, self.looks = driver, 0, 0

    def __call__(self):
        self.now += 2
        if self.driver.stalled.is_set():
            self.now += TIMEOUT if self.driver.outlasts and not self.looks else 0
            self.looks += 1
            if self.looks > LOOKS:
                self.driver.release.set()
        return self.now / 1000


class Fails:
    """Fails once while a driver stalls: the job restarts, and undoes what no checkpoint holds."""

    def __init__(self, driver):
        self.driver, self.failed = driver, False

    def run(self, runner, order):
        if self.driver.stalled.is_set() and not self.failed:
            self.failed = True
            raise RuntimeError("the user's function fails meanwhile")
        return InProcessRunner.run(runner, order)


def run(driver, place, monkeypatch):
    """Run a driver in a thread of its own, to its end."""
    configuration = Configuration()
    for key, value in {
        "execution.checkpointing.interval": "1 ms",
        "execution.checkpointing.timeout": f"{TIMEOUT} ms",
        "execution.checkpointing.tolerable-failed-checkpoints": "1000",
        "execution.checkpointing.dir": place.checkpoints,
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.delay": "0 ms",
        "restart-strategy.fixed-delay.attempts": str(driver.restarts),
        "flott.driver.lease": "0 ms",
    }.items():
        configuration.set_string(key, value)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)
    source = DataGeneratorSource(lambda index: index, RECORDS)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
    sink = (
        FileSink.for_row_format(place.out, Encoder.simple_string_encoder())
        .with_bucket_assigner(BucketAssigner.base_path_bucket_assigner())
        .build()
    )
    stream.key_by(lambda n: n % KEYS).process(Numbered()).uid("numbered").sink_to(sink).uid("out")
    fails = Fails(driver)

    class Runner(InProcessRunner):
        def run(self, order):
            return fails.run(self, order)

    def drive():
        DRIVERS[threading.get_ident()] = driver
        try:
            clock = ManualClock(1_000_000)
            background = Beside(driver)
            make = lambda _, plan, storage: Runner(plan, clock, storage)  # noqa: E731
            master = prepare(env.program("points"), configuration, clock, make, background, Ticks(driver))
            try:
                master._live()
            except Exception as error:
                raise AssertionError("the job's thread ended, and the handle does not complete") from error
            master.result.result(0)
        except Died:
            pass
        except BaseException as error:  # noqa: BLE001 - looked at by the test
            driver.failed = error
        finally:
            del DRIVERS[threading.get_ident()]
            driver.over.set()

    threading.Thread(target=drive, daemon=True).start()


def finish(place, monkeypatch, number, *, failed=False):
    """Start another driver, as a supervisor does, unless the job's record is gone: then it had finished."""
    if not failed and not any("/_job" in name for name in place.left()):
        return
    driver = Driver(number)
    run(driver, place, monkeypatch)
    assert driver.over.wait(PATIENCE)
    assert driver.failed is None, driver.failed


@pytest.fixture
def world(request, tmp_path, monkeypatch):
    """Return a function that makes places where nothing was yet."""
    monkeypatch.setattr("flott.connectors.index_range.RECORDS_PER_SUBTASK", PER_EPOCH)
    monkeypatch.setattr(EpochSizer, "observe", lambda *_, **__: None)
    monkeypatch.setattr(JobRecord, "_start_renewing", lambda _: None)
    monkeypatch.setattr("flott.coordination.job_record.SETTLE_PATIENCE", (0.0,) * (SILENCE - 1))
    # As where locks are not seen by another machine: what fences must do without.
    monkeypatch.setattr("flott.coordination.job_record.take_lock", lambda _: os.open(os.devnull, os.O_RDONLY))
    watch(monkeypatch)
    disks = []

    def make(store, name):
        if store == "local":
            root = tmp_path / name
            (root / "checkpoints").mkdir(parents=True)
            (root / "out").mkdir()
            disks.append(Disk(root, monkeypatch))
            return Place(str(root), disks[-1])
        return Place(f"{request.getfixturevalue('objects_in_memory' if store == 'objects' else 's3_bucket')}/{name}")

    yield make
    for disk in disks:
        disk.close()


def points(store, world, monkeypatch):
    """Return the operations of a clean run, from the first after the job's record is there to its removal."""
    if store not in FOUND:
        place, driver = world(store, "clean"), Driver(0)
        run(driver, place, monkeypatch)
        assert driver.over.wait(PATIENCE)
        assert driver.failed is None
        assert place.lines() == EXPECTED
        assert place.left() == []
        FOUND[store] = driver.done
    done = FOUND[store]
    first = next(at for at, name in enumerate(done, 1) if name.endswith(".swap")) + 1
    last = max(at for at, name in enumerate(done, 1) if name.endswith(".delete_versioned"))
    return range(first, last + 1)


def crash(place, point, monkeypatch, *, power=False):
    driver = Driver(1, dies_at=point)
    run(driver, place, monkeypatch)
    assert driver.over.wait(PATIENCE)
    assert driver.dead, driver.failed
    if power:
        place.disk.lose_power()
    finish(place, monkeypatch, 2)


def stall(place, point, monkeypatch):
    """An operation takes longer than the timeout, and the user's function fails meanwhile."""
    driver = Driver(1, stalls_at=point)
    run(driver, place, monkeypatch)
    assert driver.over.wait(PATIENCE)
    assert driver.failed is None, driver.failed


def stall_and_crash(place, point, monkeypatch, after=1):
    """As before, and then the driver dies."""
    driver = Driver(1, stalls_at=point, dies_at=point + after)
    run(driver, place, monkeypatch)
    assert driver.over.wait(PATIENCE)
    finish(place, monkeypatch, 2)


def failure_meanwhile(place, point, monkeypatch, *, behind):
    """The user's function fails during an operation, though that is in time, and the driver dies soon after it."""
    driver = Driver(1, stalls_at=point, outlasts=False, dies_behind=behind)
    run(driver, place, monkeypatch)
    assert driver.over.wait(PATIENCE)
    finish(place, monkeypatch, 2)


def second_driver(place, point, monkeypatch, *, until=0, before="", dies=False):
    """A driver pauses before an operation; another takes over, and has come some way, or to its end, when it wakes.

    Perhaps the other dies then, and a third goes on from what both left.
    """
    first = Driver(1, pauses_at=point)
    second = Driver(2, pauses_at=until, pauses_before=before, dies_at=until + 1 if dies else 0)
    run(first, place, monkeypatch)
    assert first.paused.wait(PATIENCE)
    run(second, place, monkeypatch)
    wait_until("the second driver to come so far", lambda: second.paused.is_set() or second.over.is_set())
    first.go_on.set()
    assert first.over.wait(PATIENCE)
    second.go_on.set()
    assert second.over.wait(PATIENCE)
    assert second.dead or second.failed is None, second.failed
    if second.dead:
        finish(place, monkeypatch, 3)


def error(place, point, monkeypatch, *, after=False, dies_after=0, restarts=1000, silence=0):
    """An operation fails, perhaps only after it was done; perhaps the driver dies a little later."""
    dies_at = point + dies_after if dies_after else 0
    driver = Driver(1, fails_at=point, fails_after=after, dies_at=dies_at, restarts=restarts, silence=silence)
    run(driver, place, monkeypatch)
    assert driver.over.wait(60)
    if driver.failed is not None:
        assert isinstance(driver.failed, OSError | FlottError), driver.failed
    finish(place, monkeypatch, 2, failed=driver.failed is not None)


def damage(place, point, monkeypatch):
    """A driver dies, and the metadata of its checkpoints is gone: the next one stops, until it is back."""
    driver = Driver(1, dies_at=point)
    run(driver, place, monkeypatch)
    assert driver.over.wait(60)
    files, _ = fsspec.core.url_to_fs(place.checkpoints)
    gone = {name: files.cat_file(name) for name in place.left() if name.endswith("/_metadata")}
    for name in gone:
        files.rm_file(name)
    second = Driver(2)
    run(second, place, monkeypatch)
    assert second.over.wait(60)
    if second.failed is not None:
        assert isinstance(second.failed, CheckpointError), second.failed
        assert Counter(place.lines()) <= Counter(EXPECTED)
        for name, content in gone.items():
            files.makedirs(name.rpartition("/")[0], exist_ok=True)
            files.pipe_file(name, content)
        finish(place, monkeypatch, 3)


KINDS = {
    "crash": crash,
    "power loss": partial(crash, power=True),
    "error": error,
    "lost answer": partial(error, after=True),
    "lost answer and crash": partial(error, after=True, dies_after=4),
    "no answer for a while": partial(error, after=True, silence=SILENCE),
    "no answer and crash": partial(error, after=True, dies_after=2, silence=SILENCE),
    "no answer and crash later": partial(error, after=True, dies_after=5, silence=SILENCE),
    "failed job": partial(error, restarts=0),
    "damage": damage,
    "stall": stall,
    "stall and crash": stall_and_crash,
    "stall and crash later": partial(stall_and_crash, after=6),
    "failure meanwhile and crash": partial(failure_meanwhile, behind=2),
    "failure meanwhile and crash later": partial(failure_meanwhile, behind=4),
    "second driver": second_driver,
    "second driver midway": partial(second_driver, until=25),
    "second driver at its commit": partial(second_driver, before="StagingArea.publish"),
    "second driver dies": partial(second_driver, until=18, dies=True),
}


CASES = [(store, kind) for store in ("local", "objects") for kind in KINDS if store == "local" or kind != "power loss"]


@pytest.mark.parametrize(("store", "kind"), CASES)
def test_nothing_is_lost_or_doubled_at_some_points(store, kind, world, monkeypatch, capsys):
    play(store, kind, world, monkeypatch, capsys, every=18)


@pytest.mark.slow
@pytest.mark.parametrize(("store", "kind"), CASES)
def test_nothing_is_lost_or_doubled_at_any_point(store, kind, world, monkeypatch, capsys):
    play(store, kind, world, monkeypatch, capsys, every=1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["crash", "second driver", "second driver midway"])
def test_nothing_is_lost_or_doubled_on_an_s3_server(kind, world, monkeypatch, capsys):
    play("s3", kind, world, monkeypatch, capsys, every=4)


def play(store, kind, world, monkeypatch, capsys, *, every):
    wrong = {}
    tried = points(store, world, monkeypatch)[::every]
    for point in tried:
        place = world(store, f"{kind.replace(' ', '-')}-{point}")
        KINDS[kind](place, point, monkeypatch)
        if place.disk is not None:
            place.disk.close()
        lines = Counter(place.lines())
        if lines != Counter(EXPECTED):
            lost, doubled = Counter(EXPECTED) - lines, lines - Counter(EXPECTED)
            wrong[point, FOUND[store][point - 1]] = f"{lost.total()} lost, {doubled.total()} doubled"
    with capsys.disabled():
        print(f"\n{store}, {kind}: {len(FOUND[store])} operations, {len(tried)} cases, {len(wrong)} wrong")  # noqa: T201
    assert wrong == {}
