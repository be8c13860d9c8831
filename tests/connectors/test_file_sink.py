from __future__ import annotations

import json
import logging
import os
from pathlib import Path

import cloudpickle
import fsspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common.serialization import BulkWriter, BulkWriterFactory, Encoder
from flott.connectors.base import SinkScope
from flott.connectors.bucket_assigners import BucketAssigner
from flott.connectors.file_sink import FileSink
from flott.connectors.find_files import find_files
from flott.connectors.output_file_config import OutputFileConfig
from flott.connectors.rolling_policies import RollingPolicy
from flott.errors import CommitError, GraphError, UserFunctionError
from flott.runtime.batch import Batch
from flott.runtime.clock import ManualClock
from flott.runtime.context import OperatorContext
from flott.runtime.operators.commit_requests import commit_all
from flott.runtime.operators.sinks import WriteContext, WriterSink

TEXT = Encoder.simple_string_encoder()


class ByInitial(BucketAssigner):
    def get_bucket_id(self, element, context):
        return f"by/{element[0]}"


def context(subtask=0, clock=None, operator_id="op"):
    return OperatorContext("out", operator_id, None, subtask, 2, 128, clock or ManualClock(0))


def builder(path):
    return FileSink.for_row_format(str(path), TEXT).with_bucket_assigner(BucketAssigner.base_path_bucket_assigner())


def write(sink, values, **where):
    writer = sink.create_writer(context(**where))
    for value in values:
        writer.write(value, WriteContext())
    return writer


def prepared(sink, values, **where):
    [committable] = write(sink, values, **where).prepare_commit()
    return committable


def commit(sink, *committables, recovered=False):
    commit_all(sink, list(committables), recovered=recovered)


def everything(path):
    """All files below a directory, hidden ones too."""
    return sorted(str(file.relative_to(path)) for file in path.rglob("*") if file.is_file())


def shown(path):
    """The content of the files that a reader finds, in any order."""
    return sorted(Path(file.path).read_text() for file in find_files([path], may_be_missing=True))


def test_nothing_shows_before_the_commit(tmp_path):
    sink = builder(tmp_path).build()
    writer = write(sink, ["a", "b"])
    assert shown(tmp_path) == []
    [committable] = cloudpickle.loads(cloudpickle.dumps(writer.prepare_commit()))
    assert shown(tmp_path) == []
    commit(sink, committable)
    assert shown(tmp_path) == ["a\nb\n"]


def test_committing_twice_changes_nothing(tmp_path):
    sink = builder(tmp_path).build()
    committable = prepared(sink, ["a"])
    commit(sink, committable)
    before = everything(tmp_path)
    commit(sink, committable)
    # A driver that starts again has another copy of the sink.
    commit(cloudpickle.loads(cloudpickle.dumps(sink)), committable, committable)
    assert everything(tmp_path) == before
    assert shown(tmp_path) == ["a\n"]


def test_a_commit_that_was_interrupted_is_completed(tmp_path):
    assigner = ByInitial()
    sink = builder(tmp_path).with_bucket_assigner(assigner).build()
    committable = prepared(sink, ["a", "b", "c"])
    first = committable.files[0]
    (tmp_path / first.target).parent.mkdir(parents=True)
    (tmp_path / first.staged).rename(tmp_path / first.target)
    commit(sink, committable)
    assert shown(tmp_path) == ["a\n", "b\n", "c\n"]


def test_a_committed_file_that_its_reader_took_away_is_no_error(tmp_path, caplog):
    sink = builder(tmp_path).build()
    committable = prepared(sink, ["a"])
    commit(sink, committable)
    (tmp_path / committable.files[0].target).unlink()
    with caplog.at_level(logging.WARNING):
        commit(sink, committable, recovered=True)
    assert "neither staged nor in its place" in caplog.text


def test_a_staged_file_that_is_gone_before_it_was_committed_fails_the_job(tmp_path):
    sink = builder(tmp_path).build()
    committable = prepared(sink, ["a"])
    (tmp_path / committable.files[0].staged).unlink()
    with pytest.raises(CommitError, match=r"1 files that were staged below \.staging are gone"):
        commit(sink, committable)


def test_an_aborted_writer_leaves_nothing(tmp_path):
    sink = builder(tmp_path).with_rolling_policy(RollingPolicy.default_rolling_policy(part_size=1)).build()
    writer = write(sink, ["aa", "bb", "cc"])
    assert len(everything(tmp_path)) == 3
    writer.close()
    assert everything(tmp_path) == []


def test_what_killed_attempts_left_is_removed_when_the_job_starts_again(tmp_path):
    sink = builder(tmp_path).build()
    write(sink, ["killed while it wrote"])
    prepared(sink, ["killed before its report"])
    waiting = prepared(sink, ["a"])
    others = prepared(sink, ["b"], operator_id="other")
    sink.abort_stale(SinkScope("", "op"), [waiting])
    assert len(everything(tmp_path)) == 2
    commit(sink, waiting)
    commit(sink, others)
    assert shown(tmp_path) == ["a\n", "b\n"]
    assert not (tmp_path / ".staging").exists()


def test_attempts_at_the_same_time_do_not_touch_each_other(tmp_path):
    sink = builder(tmp_path).build()
    one, two = sink.create_writer(context()), sink.create_writer(context())
    for writer in (one, two, one, two):
        writer.write("x", WriteContext())
    one.close()
    commit(sink, *two.prepare_commit())
    assert shown(tmp_path) == ["x\nx\n"]


def test_no_record_no_file(tmp_path):
    sink = builder(tmp_path).build()
    assert sink.create_writer(context()).prepare_commit() == []
    assert everything(tmp_path) == []


def test_a_file_per_bucket(tmp_path):
    sink = builder(tmp_path).with_bucket_assigner(ByInitial()).build()
    commit(sink, prepared(sink, ["ant", "bee", "ape"]))
    assert sorted((Path(name).parent.as_posix(), (tmp_path / name).read_text()) for name in everything(tmp_path)) == [
        ("by/a", "ant\nape\n"),
        ("by/b", "bee\n"),
    ]


def test_the_default_bucket_is_the_hour(tmp_path):
    sink = FileSink.for_row_format(str(tmp_path), TEXT).with_bucket_assigner(
        BucketAssigner.date_time_bucket_assigner(timezone_id="UTC")
    )
    sink = sink.build()
    clock = ManualClock(3_599_999)
    writer = sink.create_writer(context(clock=clock))
    writer.write("before", WriteContext())
    clock.advance_to(3_600_000)
    writer.write("after", WriteContext())
    commit(sink, *writer.prepare_commit())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1970-01-01--00", "1970-01-01--01"]


@pytest.mark.parametrize("bucket", ["../x", "/etc", "a/../../x", 5])
def test_a_bucket_stays_below_the_base_path(tmp_path, bucket):
    class Escape(BucketAssigner):
        def get_bucket_id(self, element, context):
            return bucket

    writer = builder(tmp_path / "out").with_bucket_assigner(Escape()).build().create_writer(context())
    with pytest.raises((ValueError, TypeError), match="get_bucket_id returned"):
        writer.write("x", WriteContext())


def test_files_roll_by_size(tmp_path):
    policy = RollingPolicy.default_rolling_policy(part_size=5)
    sink = builder(tmp_path).with_rolling_policy(policy).build()
    commit(sink, prepared(sink, ["111", "222", "333"]))
    assert shown(tmp_path) == ["111\n222\n", "333\n"]


def test_files_roll_by_age_when_the_interval_has_passed(tmp_path):
    policy = RollingPolicy.default_rolling_policy(rollover_interval=100)
    sink = builder(tmp_path).with_rolling_policy(policy).with_bucket_check_interval(50).build()
    clock = ManualClock(0)
    writer = sink.create_writer(context(clock=clock))
    for time in (0, 49, 99, 150):
        clock.advance_to(time)
        writer.write(str(time), WriteContext())
    commit(sink, *writer.prepare_commit())
    assert shown(tmp_path) == ["0\n49\n99\n", "150\n"]


def test_names_have_prefix_and_suffix(tmp_path):
    config = OutputFileConfig.builder().with_part_prefix("orders").with_part_suffix(".txt").build()
    assert (config.get_part_prefix(), config.get_part_suffix()) == ("orders", ".txt")
    sink = builder(tmp_path).with_output_file_config(config).build()
    commit(sink, prepared(sink, ["a"]))
    [name] = everything(tmp_path)
    assert name.startswith("orders-")
    assert name.endswith("-0.txt")


def test_a_relative_path_means_the_drivers_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sink = builder("out").build()
    (tmp_path / "worker").mkdir()
    monkeypatch.chdir(tmp_path / "worker")
    commit(sink, prepared(sink, ["a"]))
    assert shown(tmp_path / "out") == ["a\n"]


def test_other_file_systems():
    sink = builder("memory://file-sink/out").build()
    write(sink, ["left behind"])
    committable = prepared(sink, ["a"])
    commit(sink, committable)
    commit(sink, committable)
    memory = fsspec.filesystem("memory")
    sink.abort_stale(SinkScope("", "op"), [])
    [path] = memory.find("/file-sink")
    assert (path, memory.cat_file(path)) == (f"/file-sink/out/{committable.files[0].target}", b"a\n")


class JsonList(BulkWriter):
    def __init__(self, stream):
        self.stream = stream
        self.elements = []

    def add_element(self, element):
        self.elements.append(element)

    def finish(self):
        self.stream.write(json.dumps(self.elements).encode())


class JsonLists(BulkWriterFactory):
    def create(self, stream):
        return JsonList(stream)


def test_bulk_formats_write_their_end(tmp_path):
    sink = (
        FileSink.for_bulk_format(str(tmp_path), JsonLists())
        .with_bucket_assigner(BucketAssigner.base_path_bucket_assigner())
        .with_rolling_policy(RollingPolicy.on_checkpoint_rolling_policy())
        .build()
    )
    commit(sink, prepared(sink, [1, 2]))
    assert shown(tmp_path) == ["[1, 2]"]


def test_parquet_by_pyarrow(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    class Rows(BulkWriter):
        def __init__(self, stream):
            self.stream, self.rows = stream, []

        def add_element(self, element):
            self.rows.append(element)

        def finish(self):
            parquet.write_table(arrow.Table.from_pylist(self.rows), self.stream)

    class Factory(BulkWriterFactory):
        def create(self, stream):
            return Rows(stream)

    sink = FileSink.for_bulk_format(str(tmp_path), Factory()).build()
    commit(sink, prepared(sink, [{"a": 1}, {"a": 2}]))
    assert parquet.read_table(find_files([tmp_path])[0].path).to_pylist() == [{"a": 1}, {"a": 2}]


def test_wrong_settings_are_refused_when_the_sink_is_built(tmp_path):
    with pytest.raises(GraphError, match="simple_string_encoder"):
        FileSink.for_row_format(str(tmp_path), str)
    with pytest.raises(GraphError, match="BulkWriterFactory"):
        FileSink.for_bulk_format(str(tmp_path), TEXT)
    with pytest.raises(GraphError, match="on_checkpoint_rolling_policy"):
        FileSink.for_bulk_format(str(tmp_path), JsonLists()).with_rolling_policy(RollingPolicy.default_rolling_policy())
    with pytest.raises(GraphError, match="interval"):
        builder(tmp_path).with_bucket_check_interval(0)


@pytest.mark.job
@given(data=st.data())
def test_whatever_attempts_fail_each_committed_epoch_shows_once(tmp_path_factory, data):
    """Epochs of two subtasks; any attempt may abort, be killed, or commit twice."""
    path = tmp_path_factory.mktemp("epochs")
    sink = builder(path).with_rolling_policy(RollingPolicy.default_rolling_policy(part_size=3)).build()
    expected = []
    for epoch in range(data.draw(st.integers(0, 5), "epochs")):
        accepted = []
        for subtask in range(2):
            values = [f"{epoch}-{subtask}-{number}" for number in range(data.draw(st.integers(0, 4)))]
            for fate in data.draw(st.lists(st.sampled_from(["abort", "killed early", "killed late"]), max_size=2)):
                failed = write(cloudpickle.loads(cloudpickle.dumps(sink)), values, subtask=subtask)
                if fate == "abort":
                    failed.close()
                elif fate == "killed late":
                    failed.prepare_commit()
            accepted.extend(write(sink, values, subtask=subtask).prepare_commit())
            expected += values
        for committable in accepted:
            for _ in range(data.draw(st.integers(1, 2))):
                commit(sink, committable)
    assert sorted("".join(shown(path)).split()) == sorted(expected)


def test_it_works_behind_its_operator(tmp_path):
    sink = builder(tmp_path).build()
    operator = WriterSink(sink)
    operator.setup(context(), None)
    operator.restore(None)
    operator.process(Batch(["lost"]))
    operator.restore(None)  # the epoch starts again
    operator.process(Batch(["a", "b"], [1, 2]))
    operator.snapshot()
    operator.deliver(0, 1, operator.take())
    assert shown(tmp_path) == ["a\nb\n"]
    operator.restore(None)
    operator.snapshot()
    assert operator.take() is None


def test_a_failing_encoder_names_the_record(tmp_path):
    class Picky(Encoder):
        def encode(self, element, stream):
            stream.write(f"{1 // element}\n".encode())

    operator = WriterSink(FileSink.for_row_format(str(tmp_path), Picky()).build())
    operator.setup(context(), None)
    with pytest.raises(UserFunctionError, match="failed on record 0"):
        operator.process(Batch([1, 0]))
    operator.restore(None)
    assert [name for name in os.listdir(tmp_path) if not name.startswith(".")] == []  # noqa: PTH208
