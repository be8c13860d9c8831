"""The harness proves itself: with a fix reverted, it fails.

Each patch in ``reverts`` takes one fix out of a copy of the sources. The copy has no compiled code, so that a patch of
the Python twin is enough.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.values, pytest.mark.nightly]

ROOT = Path(__file__).parents[2]
PATCHES = sorted((Path(__file__).parent / "reverts").glob("*.patch"))
ONLY_SOURCES = shutil.ignore_patterns("*.so", "__pycache__")
FAILED = 1
"""What pytest exits with when tests failed; other codes mean that it could not run them."""


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_without_a_fix_the_harness_fails(patch, tmp_path):
    for folder in ("src", "tests", "tools", "examples"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ONLY_SOURCES)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    subprocess.run(["git", "apply", "--unsafe-paths", str(patch)], cwd=tmp_path, check=True)  # noqa: S607
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-m", "values and not nightly", "tests/values"],
        cwd=tmp_path,
        env={**os.environ, "FLOTT_PURE": "1", "HYPOTHESIS_PROFILE": "quick", "PYTHONPATH": str(tmp_path / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == FAILED, run.stdout[-3_000:]
