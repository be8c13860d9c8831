"""The harness proves itself: with a fix reverted, it fails.

Each patch in ``reverts`` takes one fix out of a copy of the sources, and says behind ``Fails:`` what fails then: a part
of the harness, or a test beside it. The copy has no compiled code, so that a patch of the Python twin is enough.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reverting import FAILED, check_patch, patches_in, run_without, what_fails

PATCHES = patches_in(Path(__file__).parent)


@pytest.mark.values
@pytest.mark.nightly
@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_without_a_fix_the_harness_fails(patch, tmp_path):
    run = run_without(patch, tmp_path, "-m", "not spark", *what_fails(patch))
    assert run.returncode == FAILED, run.stdout[-3_000:]


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_patch_can_be_applied_to_what_is_there(patch):
    check_patch(patch)
