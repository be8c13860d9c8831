"""The enumeration of crash points proves itself: with a fix of storage, fencing or the job's end reverted, it fails.

Each patch in ``reverts`` takes one fix out. The points on the local disk are enough to find all of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reverting import FAILED, patches_in, run_without

pytestmark = pytest.mark.chaos


@pytest.mark.parametrize("patch", patches_in(Path(__file__).parent), ids=lambda patch: patch.stem)
def test_without_a_fix_a_point_is_wrong(patch, tmp_path):
    run = run_without(patch, tmp_path, "-k", "any_point and local", "tests/chaos/test_storage_points.py")
    assert run.returncode == FAILED, run.stdout[-3_000:]
    assert "wrong" in run.stdout or "AssertionError" in run.stdout, run.stdout[-3_000:]
