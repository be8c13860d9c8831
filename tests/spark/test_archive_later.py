from __future__ import annotations

import fcntl
from types import SimpleNamespace

import pytest

from flott.errors import ConfigurationError
from flott.spark import archive_later
from flott.spark.archive_later import failure_of, is_wanted, write_archive_later, write_when_idle

pytestmark = pytest.mark.spark


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """Where an archive would be; writing one takes no time."""
    path = tmp_path / "flott" / "spark-classes-0.jsa"
    monkeypatch.setattr(archive_later, "write_class_archive", lambda: path.write_bytes(b"classes"))
    monkeypatch.setattr(archive_later.os, "nice", lambda _: None)
    monkeypatch.setattr(archive_later.os, "sched_setscheduler", lambda *_: None, raising=False)
    return path


def test_it_is_written_once(archive):
    assert is_wanted(archive)
    write_when_idle(archive)
    assert archive.read_bytes() == b"classes"
    assert not is_wanted(archive)


def test_an_attempt_that_failed_is_not_repeated(archive, monkeypatch):
    def fail():
        raise ConfigurationError("this Java writes none")

    monkeypatch.setattr(archive_later, "write_class_archive", fail)
    assert is_wanted(archive)
    write_when_idle(archive)
    assert failure_of(archive).read_text() == "this Java writes none\n"
    assert not is_wanted(archive)


def test_two_processes_do_not_write_at_the_same_time(archive):
    assert is_wanted(archive)
    with (archive.parent / ".writing").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        write_when_idle(archive)
    assert not archive.exists()


def test_what_a_killed_process_left_is_removed(archive):
    assert is_wanted(archive)
    half = archive.with_suffix(".4711")
    half.write_bytes(b"half")
    write_when_idle(archive)
    assert not half.exists()


def test_a_full_disk_gets_none(archive, monkeypatch):
    monkeypatch.setattr(archive_later.shutil, "disk_usage", lambda _: SimpleNamespace(free=1))
    assert not is_wanted(archive)


def test_a_folder_of_somebody_else_gets_none(archive, tmp_path):
    archive.parent.symlink_to(tmp_path)
    assert not is_wanted(archive)


def test_nothing_starts_without_an_embedded_spark_or_when_switched_off(monkeypatch):
    monkeypatch.setenv("FLOTT_CLASS_ARCHIVE", "off")
    assert write_archive_later() is None
    monkeypatch.delenv("FLOTT_CLASS_ARCHIVE")
    monkeypatch.setattr(archive_later, "embedded_java", lambda: None)
    assert write_archive_later() is None


def test_a_process_that_ran_spark_without_an_archive_starts_it(archive, monkeypatch):
    started = []
    monkeypatch.delenv("FLOTT_CLASS_ARCHIVE")
    monkeypatch.setattr(archive_later, "embedded_java", lambda: 1)
    monkeypatch.setattr(archive_later, "require_java", lambda: "a Java")
    monkeypatch.setattr(archive_later, "class_archive", lambda _: archive)
    monkeypatch.setattr(archive_later.subprocess, "Popen", lambda command, **_: started.append(command))
    write_archive_later()
    assert [command[1:] for command in started] == [["-m", "flott.spark.archive_later"]]
    archive.write_bytes(b"classes")
    write_archive_later()
    assert len(started) == 1
