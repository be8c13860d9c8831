"""The harness proves itself: with a fix reverted, it fails.

Each patch in ``reverts`` takes one fix out of a copy of the sources. The copy has no compiled code, so that a patch of
the Python twin is enough.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reverting import FAILED, patches_in, run_without

pytestmark = [pytest.mark.values, pytest.mark.nightly]


@pytest.mark.parametrize("patch", patches_in(Path(__file__).parent), ids=lambda patch: patch.stem)
def test_without_a_fix_the_harness_fails(patch, tmp_path):
    run = run_without(patch, tmp_path, "-m", "values and not nightly", "tests/values")
    assert run.returncode == FAILED, run.stdout[-3_000:]
