"""Runs tests on a copy of the sources without one fix: they have to fail."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ONLY_SOURCES = shutil.ignore_patterns("*.so", "__pycache__")
FAILED = 1
"""What pytest exits with when tests failed; other codes mean that it could not run them."""


def patches_in(folder):
    return sorted((Path(folder) / "reverts").glob("*.patch"))


def what_fails(patch):
    """Return the tests that a patch names behind ``Fails:``, as arguments of pytest."""
    [line] = [line for line in patch.read_text().splitlines() if line.startswith("Fails: ")]
    return shlex.split(line.removeprefix("Fails: "))


def check_patch(patch):
    """Fail where a patch can't be applied any more, or names tests that are gone.

    Who moves what it changes moves the patch as well; it is tried only at night.
    """
    command = ["git", "apply", "--check", str(patch)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert all((ROOT / argument.partition("::")[0]).exists() for argument in what_fails(patch)[:1])


def run_without(patch, directory, *tests):
    """Take one fix out of a copy of the sources, without compiled code, and run tests there until one fails."""
    for folder in ("src", "tests", "tools", "examples"):
        shutil.copytree(ROOT / folder, directory / folder, ignore=ONLY_SOURCES)
    shutil.copy(ROOT / "pyproject.toml", directory)
    subprocess.run(["git", "apply", "--unsafe-paths", str(patch)], cwd=directory, check=True)  # noqa: S607
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests],
        cwd=directory,
        env={**os.environ, "FLOTT_PURE": "1", "HYPOTHESIS_PROFILE": "quick", "PYTHONPATH": str(directory / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
