"""Damaged and missing files of a checkpoint, in a job whose output is committed: nothing is doubled silently."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.failing_jobs import abandon, environment, lines, small_epochs, text_sink
from tests.waiting import PATIENCE, wait_for_checkpoints, wait_until

from flott.common import Types, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.coordination.checkpoints.storage import find_checkpoints
from flott.datastream import KeyedProcessFunction
from flott.datastream.state import ValueStateDescriptor
from flott.errors import CheckpointError, FlottError

pytestmark = pytest.mark.job

NUMBERS = 6_000
OLDER = {"flott.recovery.allow-older-checkpoint": "true"}


class Numbered(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        self.count.update((self.count.value() or 0) + 1)
        yield f"{ctx.get_current_key()} {self.count.value()}"


EXPECTED = sorted(f"{key} {number}" for key in range(3) for number in range(1, NUMBERS // 3 + 1))


@pytest.fixture(autouse=True)
def _small_epochs(monkeypatch):
    small_epochs(monkeypatch)


def job(tmp_path, rate=None, **options):
    env = environment(tmp_path / "checkpoints", **options)
    limit = RateLimiterStrategy.no_op() if rate is None else RateLimiterStrategy.per_second(rate)
    source = DataGeneratorSource(lambda index: index, NUMBERS, limit)
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
    stream.key_by(lambda n: n % 3).process(Numbered()).uid("numbered").sink_to(text_sink(tmp_path / "out")).uid("out")
    return env


@pytest.fixture
def killed(tmp_path):
    """Return the directory of a job that was killed after some checkpoints, and what it has committed."""

    def kill(retained):
        env = job(tmp_path, rate=300, **{"execution.checkpointing.num-retained": str(retained)})
        client = env.execute_async("damaged")
        wait_for_checkpoints(client, 5)
        abandon(client)
        [root] = (tmp_path / "checkpoints").iterdir()
        return root

    return kill


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def newest(root):
    return max(root.glob("chk-*"), key=lambda path: int(path.name[4:])) / "_metadata"


def state_file(root):
    return max(root.glob("shared/*/*/*/*"), key=lambda path: path.stat().st_mtime_ns)


DAMAGE = {
    "metadata-flipped": lambda root: flip(newest(root)),
    "metadata-gone": lambda root: newest(root).unlink(),
    "record-flipped": lambda root: flip(next(root.glob("_job*"))),
    "record-empty": lambda root: next(root.glob("_job*")).write_bytes(b""),
    "record-gone": lambda root: next(root.glob("_job*")).unlink(),
    "state-flipped": lambda root: flip(state_file(root)),
    "state-gone": lambda root: state_file(root).unlink(),
}


@pytest.mark.parametrize("retained", [1, 3])
@pytest.mark.parametrize("damage", DAMAGE)
def test_the_job_stops_and_names_the_file(tmp_path, killed, damage, retained):
    root = killed(retained)
    committed = lines(tmp_path / "out")
    published = [Path(path) for path, _ in find_checkpoints(str(root))]
    assert len(published) == retained
    DAMAGE[damage](root)
    with pytest.raises(FlottError, match=re.escape(str(root))) as refused:
        job(tmp_path).execute("damaged")
    named = {"metadata": "/_metadata", "record": "_job", "state": "shared/"}[damage.partition("-")[0]]
    assert named in str(refused.value)
    assert "--new" in str(refused.value)
    # At most what the last checkpoint holds was committed meanwhile, and that once.
    assert set(committed) <= set(lines(tmp_path / "out"))
    assert len(lines(tmp_path / "out")) == len(set(lines(tmp_path / "out")))
    assert all(path.exists() for path in published)


@pytest.mark.parametrize("damage", ["record-flipped", "record-gone", "metadata-flipped"])
def test_new_starts_over_in_spite_of_damage_and_is_resumed_itself(tmp_path, killed, damage):
    root = killed(1)
    DAMAGE[damage](root)
    client = job(tmp_path, rate=300, **{"flott.job.new": "true"}).execute_async("damaged")
    wait_for_checkpoints(client, 2)
    abandon(client)
    again = job(tmp_path).execute_async("damaged")
    again.get_job_execution_result().result(PATIENCE)
    assert again.get_job_id() == client.get_job_id()
    assert list(root.glob("chk-*"))


def test_a_record_that_is_gone_beside_damaged_metadata_stops_the_job_too(tmp_path, killed):
    root = killed(1)
    DAMAGE["metadata-flipped"](root)
    DAMAGE["record-gone"](root)
    with pytest.raises(CheckpointError, match=f"{root} has checkpoints of job 'damaged', and its file _job"):
        job(tmp_path).execute("damaged")


@pytest.mark.parametrize("damage", ["metadata-flipped", "metadata-gone", "state-gone", "state-flipped"])
def test_an_older_checkpoint_is_taken_where_that_is_allowed(tmp_path, killed, damage):
    root = killed(3)
    DAMAGE[damage](root)
    job(tmp_path, **OLDER).execute("damaged")
    assert set(lines(tmp_path / "out")) == set(EXPECTED)


def test_no_older_checkpoint_is_there_to_be_taken(tmp_path, killed):
    flip(newest(killed(1)))
    with pytest.raises(CheckpointError, match=r"none of the checkpoints in .* can be read completely; --new"):
        job(tmp_path, **OLDER).execute("damaged")


def test_where_nothing_was_committed_the_one_before_is_taken(tmp_path, caplog):
    def run(rate):
        env = environment(tmp_path / "checkpoints", **{"execution.checkpointing.num-retained": "3"})
        limit = RateLimiterStrategy.no_op() if rate is None else RateLimiterStrategy.per_second(rate)
        source = DataGeneratorSource(lambda index: index, NUMBERS, limit)
        stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
        stream.key_by(lambda n: n % 3).process(Numbered()).uid("numbered").filter(lambda _: False).print()
        return env.execute_async("nothing committed")

    client = run(300)
    wait_for_checkpoints(client, 5)
    abandon(client)
    [root] = (tmp_path / "checkpoints").iterdir()
    flip(newest(root))
    second = run(None)
    second.get_job_execution_result().result(PATIENCE)
    assert second.master.checkpoints.statistics.restored == 1
    assert "is damaged: its checksum does not match" in caplog.text


@pytest.mark.parametrize("retained", [1, 2])
def test_what_was_committed_with_checkpoints_that_are_gone_is_not_forgotten(tmp_path, retained):
    """The retained checkpoints committed nothing themselves: the beginning is before those that did."""

    def run(rate):
        env = environment(tmp_path / "checkpoints", **{"execution.checkpointing.num-retained": str(retained)})
        limit = RateLimiterStrategy.no_op() if rate is None else RateLimiterStrategy.per_second(rate)
        source = DataGeneratorSource(lambda index: index, NUMBERS, limit)
        stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
        few = stream.filter(lambda n: n < 100).map(str)
        few.sink_to(text_sink(tmp_path / "out")).uid("out")
        return env.execute_async("quiet")

    client = run(300)
    wait_until("committed output", lambda: len(lines(tmp_path / "out")) == 100)
    wait_for_checkpoints(client, client.master.checkpoints.statistics.completed + retained + 2)
    abandon(client)
    [root] = (tmp_path / "checkpoints").iterdir()
    for metadata in root.glob("chk-*/_metadata"):
        flip(metadata)
    with pytest.raises(CheckpointError, match=re.escape(str(root))):
        run(None)
    assert len(lines(tmp_path / "out")) == 100


def test_without_damage_it_goes_on_exactly(tmp_path, killed):
    killed(1)
    job(tmp_path).execute("damaged")
    assert lines(tmp_path / "out") == EXPECTED
