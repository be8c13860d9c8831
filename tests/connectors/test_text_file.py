from __future__ import annotations

import gzip
import random

import fsspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common.time import Duration
from flott.common.typeinfo import Types
from flott.connectors import text_file_enumerator
from flott.connectors.base import BATCH_SIZE
from flott.connectors.file_range import FileRange
from flott.connectors.file_source import FileEnumeratorProvider, FileSource, FileSplitAssignerProvider, StreamFormat
from flott.connectors.text_file import TextFileSource
from flott.errors import FlottError, GraphError

LINES = [f"{number} ünïcödé 😀" for number in range(500)]
TEXT = "".join(f"{line}\n" for line in LINES)


@pytest.fixture
def tiny(monkeypatch):
    """Ranges and epochs of a few hundred bytes."""
    monkeypatch.setattr(text_file_enumerator, "BYTES_PER_SUBTASK", 300)
    monkeypatch.setattr(text_file_enumerator, "OPENING_COST", 10)
    monkeypatch.setattr(text_file_enumerator, "SMALLEST_RANGE", 100)
    monkeypatch.setattr(text_file_enumerator, "LARGEST_RANGE", 700)


def all_of(parts):
    return sorted(value for part in parts for value in part)


@pytest.mark.parametrize("parallelism", [1, 2, 5])
def test_a_file_is_shared_by_all_subtasks(tmp_path, drain, tiny, parallelism):
    path = tmp_path / "a.txt"
    path.write_text(TEXT)
    parts = drain(TextFileSource(path), parallelism, scales=[0.1, 3.0, 0.01])
    assert all_of(parts) == sorted(LINES)
    assert all(parts)
    if parallelism == 1:
        assert parts == [LINES]


@given(
    contents=st.lists(st.lists(st.sampled_from(["\n", "\r\n", "a", "bc", "€"])).map("".join), max_size=4),
    parallelism=st.integers(1, 3),
    scales=st.lists(st.floats(0.001, 2), max_size=10),
    amounts=st.tuples(st.integers(1, 20), st.integers(1, 10), st.integers(1, 10), st.booleans()),
)
def test_any_files_at_any_sizes(tmp_path_factory, drain, contents, parallelism, scales, amounts):
    directory = tmp_path_factory.mktemp("any")
    expected = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_file_enumerator, "BYTES_PER_SUBTASK", amounts[0])
        patch.setattr(text_file_enumerator, "OPENING_COST", 1)
        patch.setattr(text_file_enumerator, "SMALLEST_RANGE", amounts[1])
        patch.setattr(text_file_enumerator, "LARGEST_RANGE", amounts[1] + amounts[2])
        for number, content in enumerate(contents):
            data = content.encode()
            if amounts[3] and number % 2:
                (directory / f"{number}.gz").write_bytes(gzip.compress(data))
            else:
                (directory / f"{number}.txt").write_bytes(data)
            lines = content.split("\n")
            expected += [line.removesuffix("\r") for line in (lines[:-1] if not lines[-1] else lines)]
        parts = drain(TextFileSource(directory), parallelism, scales)
    assert all_of(parts) == sorted(expected)
    if parallelism == 1:
        assert parts == [expected]


def test_a_job_may_stop_anywhere_and_go_on_with_another_parallelism(tmp_path, read, tiny):
    chance = random.Random(5)
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "b.gz").write_bytes(gzip.compress(TEXT.encode()))
    (tmp_path / "c.txt").write_text("last")
    source = TextFileSource(tmp_path)
    enumerator = source.create_enumerator(2)
    lines = []
    for _ in range(1000):
        plan = enumerator.plan(chance.choice([0.5, 1.0, 2.0]), 0)
        lines += [line for part in read(source, plan) for line in part]
        if plan.ended:
            break
        if chance.random() < 0.5:
            state = enumerator.snapshot()
            enumerator.plan(1.0, 0)  # planned, and lost
            enumerator.close()
            enumerator = source.create_enumerator(chance.randint(1, 4))
            enumerator.restore(state)
    assert sorted(lines) == sorted([*LINES, *LINES, "last"])


def test_a_restored_subtask_goes_on_with_its_own_range(tmp_path, tiny):
    (tmp_path / "a.txt").write_text(TEXT)
    source = TextFileSource(tmp_path)
    enumerator = source.create_enumerator(3)
    enumerator.plan(1.0, 0)
    state = enumerator.snapshot()
    expected = enumerator.plan(1.0, 0)
    restored = source.create_enumerator(3)
    restored.restore(state)
    assert restored.plan(1.0, 0) == expected


def test_a_snapshot_from_before_the_first_epoch_still_finds_the_files(tmp_path, read):
    (tmp_path / "a.txt").write_text("x")
    source = TextFileSource(tmp_path)
    state = source.create_enumerator(1).snapshot()
    enumerator = source.create_enumerator(1)
    enumerator.restore(state)
    assert read(source, enumerator.plan(1.0, 0)) == [["x"]]


def test_the_same_split_keeps_its_name_over_epochs_and_ends_once(tmp_path, tiny):
    (tmp_path / "a.txt").write_text("x" * 650)
    enumerator = TextFileSource(tmp_path).create_enumerator(1)
    plans = [enumerator.plan(1.0, 0) for _ in range(3)]
    reads = [read for plan in plans for reads in plan.reads for read in reads]
    assert {read.split for read in reads} == {f"{tmp_path}/a.txt@0-650/650"}
    assert [(read.start, read.end, read.ended) for read in reads] == [
        (0, 300, False),
        (300, 600, False),
        (600, 650, True),
    ]
    assert [plan.ended for plan in plans] == [False, False, True]
    after = enumerator.plan(1.0, 0)
    assert (after.empty, after.ended, after.reads) == (True, True, ((),))


def test_many_small_files_share_an_epoch(tmp_path, tiny):
    for number in range(20):
        (tmp_path / f"{number:02}.txt").write_text("12345678\n")
    plan = TextFileSource(tmp_path).create_enumerator(2).plan(0.35, 0)
    # 105 bytes for each subtask, and a file counts as 10.
    assert [len(reads) for reads in plan.reads] == [10, 10]
    assert plan.ended


def test_a_large_compressed_file_takes_several_epochs(tmp_path, read, tiny):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    source = TextFileSource(path)
    enumerator = source.create_enumerator(2)
    ends, lines = [], []
    for _ in range(100):
        plan = enumerator.plan(1.0, 0)
        lines += [line for part in read(source, plan) for line in part]
        ends += [read.end for reads in plan.reads for read in reads]
        if plan.ended:
            break
    assert lines == LINES
    assert ends == [300, 600, 900, 1350, 2025, 3037, 4555, 6832, 10248, None]
    assert enumerator._gauges == {}


def test_a_small_compressed_file_is_read_at_once(tmp_path, drain):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    plan = TextFileSource(path).create_enumerator(2).plan(1.0, 0)
    assert (plan.ended, [len(reads) for reads in plan.reads]) == (True, [1, 0])
    assert drain(TextFileSource(path)) == [LINES]


@pytest.mark.parametrize("charset", ["UTF-16", "UTF-16BE", "UTF-32", "GB18030", "utf-8-sig"])
def test_any_charset(tmp_path, drain, tiny, charset):
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT.encode(charset))
    assert all_of(drain(TextFileSource(path, charset=charset), 2)) == sorted(LINES)


def test_empty_files_and_files_without_a_last_line_feed(tmp_path, drain):
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "b").write_bytes(b"one\n\ntwo")
    (tmp_path / "c").write_bytes(b"\n")
    (tmp_path / "d.gz").write_bytes(b"")
    assert drain(TextFileSource(tmp_path)) == [["one", "", "two", ""]]


def test_no_files_at_all(tmp_path, drain):
    assert drain(TextFileSource(tmp_path), 2) == [[], []]


def test_another_file_system(drain):
    fsspec.filesystem("memory").pipe_file("/text/a.txt", TEXT.encode())
    assert drain(TextFileSource("memory://text/*.txt")) == [LINES]


def test_batches_are_not_too_long(tmp_path):
    path = tmp_path / "a"
    path.write_text("\n" * (BATCH_SIZE + 5))
    source = TextFileSource(path)
    [[read]] = source.create_enumerator(1).plan(1.0, 0).reads
    assert [len(batch) for batch in source.read(read)] == [BATCH_SIZE, 5]


def test_a_file_that_has_shrunk_is_an_error(tmp_path):
    path = tmp_path / "a"
    path.write_text(TEXT)
    source = TextFileSource(path)
    [[read]] = source.create_enumerator(1).plan(1.0, 0).reads
    path.write_text("x")
    with pytest.raises(FlottError, match="must not change"):
        list(source.read(read))


def test_new_files_are_found_when_it_is_time(tmp_path, read):
    fmt = StreamFormat.text_line_format()
    source = (
        FileSource.for_record_stream_format(fmt, str(tmp_path / "in"))
        .monitor_continuously(Duration.of_seconds(10))
        .build()
    )
    assert not source.is_bounded()
    enumerator = source.create_enumerator(1)
    first = enumerator.plan(1.0, 1000)
    assert (first.empty, first.ended, first.look_again) == (True, False, 11_000)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_text("one")
    assert enumerator.plan(1.0, 10_999).empty
    assert read(source, enumerator.plan(1.0, 11_000)) == [["one"]]
    (tmp_path / "in" / "b").write_text("two")
    restored = source.create_enumerator(1)
    restored.restore(enumerator.snapshot())
    assert read(source, restored.plan(1.0, 11_001)) == [["two"]]
    assert restored.plan(1.0, 11_002).look_again == 21_001


def test_each_file_for_one_subtask(tmp_path, drain, tiny):
    for name in ("a", "b"):
        (tmp_path / name).write_text(TEXT)
    source = (
        FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(tmp_path))
        .set_file_enumerator(FileEnumeratorProvider.default_non_splittable_file_enumerator())
        .set_split_assigner(FileSplitAssignerProvider.locality_aware_split_assigner())
        .process_static_file_set()
        .build()
    )
    assert drain(source, 2) == [LINES, LINES]


def test_wrong_settings_are_refused_when_the_source_is_made(tmp_path):
    with pytest.raises(GraphError, match="charset"):
        TextFileSource(tmp_path, charset="nonsense")
    with pytest.raises(GraphError, match="at least one path"):
        TextFileSource()
    builder = FileSource.for_record_stream_format(StreamFormat.text_line_format(), "x")
    with pytest.raises(GraphError, match="interval"):
        builder.monitor_continuously(Duration.of_millis(0))


def test_it_knows_its_type():
    assert TextFileSource("x").get_produced_type() == Types.STRING()


@given(path=st.text(), numbers=st.tuples(*[st.integers(0, 10**15)] * 3))
def test_a_range_can_be_told_from_its_name(path, numbers):
    assert FileRange.of(FileRange(path, *numbers).id) == FileRange(path, *numbers)


def test_another_name_is_no_range():
    with pytest.raises(ValueError, match="not the name"):
        FileRange.of("a.txt")
