"""Runs tests on a copy of the sources without one fix: they have to fail."""

from __future__ import annotations

import os
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
