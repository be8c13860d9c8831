from __future__ import annotations

import signal
import subprocess
import sys
import tempfile

import pytest

from flott.common.private_directory import temporary_root
from flott.common.workspace import workspace

OTHER = """
from flott.common.workspace import workspace
(workspace() / "file").write_text("of another process")
print(workspace(), flush=True)
input()
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def start_other():
    process = subprocess.Popen([sys.executable, "-c", OTHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def test_a_process_has_one_that_only_its_user_can_read():
    assert workspace() == workspace()
    assert [one.stat().st_mode & 0o777 for one in (temporary_root(), workspace())] == [0o700, 0o700]


def test_it_goes_with_its_process():
    process, _ = start_other()
    process.communicate("end\n")
    assert list(temporary_root().iterdir()) == []


def test_what_a_killed_process_left_is_removed_and_that_of_a_live_one_stays(place):
    killed, left = start_other()
    alive, kept = start_other()
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    own = workspace()
    names = {one.name for one in temporary_root().iterdir()}
    held = {f"{name}{end}" for name in (kept.rpartition("/")[2], own.name) for end in ("", ".lock")}
    assert names == held
    assert left.startswith(str(place))
    alive.communicate("end\n")
