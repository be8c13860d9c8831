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


def test_every_script_a_task_runs_from_tools_exists():
    text = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    scripts = set(re.findall(r"tools/\w+\.(?:sh|py)", text))
    assert scripts
    assert not [script for script in scripts if not (REPOSITORY / script).is_file()]


def test_ci_runs_the_make_task():
    assert (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8").endswith("\nmake ci\n")
