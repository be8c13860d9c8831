from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
MAKE = shutil.which("make")

pytestmark = pytest.mark.skipif(MAKE is None, reason="make is not installed")


def run_make(*arguments):
    return subprocess.run(
        [MAKE, "-C", REPOSITORY, "--no-print-directory", *arguments],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_help_is_the_default_and_lists_every_task_with_a_line():
    text = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    tasks = set(re.findall(r"^\.PHONY: (\S+)$", text, flags=re.MULTILINE)) - {"java"}
    listed = dict(line.split(maxsplit=2)[1:] for line in run_make().splitlines())
    assert set(listed) == tasks
    assert all(listed.values())


@pytest.mark.parametrize("task", ["setup", "demo", "test", "lint", "ci", "nightly", "hunt", "clean"])
def test_the_tasks_that_the_docs_promise_are_there(task):
    assert run_make("--dry-run", task)


def test_no_loop_runs_make():
    # Lines with $(MAKE) run even with --dry-run, so that a loop around one would never end there.
    text = (REPOSITORY / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    assert not re.findall(r"^\t.*\b(?:while|until)\b.*\$\(MAKE\).*", text, flags=re.MULTILINE)


def test_the_demo_installs_what_a_job_needs_and_tests_install_the_tools(tmp_path):
    demo, test = (run_make("--dry-run", f"VENV={tmp_path}", task) for task in ("demo", "test-fast"))
    assert f"tools/setup_venv.sh {tmp_path} runtime\n" in demo
    assert "development" not in demo
    assert f"tools/setup_venv.sh {tmp_path} development\n" in test
    assert " runtime\n" not in test


def test_tools_include_what_a_job_needs(tmp_path):
    for stamp in (".installed", ".runtime"):
        (tmp_path / stamp).touch()
    assert "setup_venv" not in run_make("--dry-run", f"VENV={tmp_path}", "demo", "test-fast")
    (tmp_path / ".installed").unlink()
    assert "development" in run_make("--dry-run", f"VENV={tmp_path}", "test-fast")


def test_an_unknown_kind_of_installation_is_refused(tmp_path):
    script = REPOSITORY / "tools" / "setup_venv.sh"
    done = subprocess.run([script, tmp_path, "everything"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith("expected runtime or development, but got everything\n")


def test_every_script_a_task_runs_from_tools_exists():
    text = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    scripts = set(re.findall(r"tools/\w+\.(?:sh|py)", text))
    assert scripts
    assert not [script for script in scripts if not (REPOSITORY / script).is_file()]


def test_ci_runs_the_make_task():
    assert (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8").endswith("\nmake ci\n")
