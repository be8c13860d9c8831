"""The checks of SQL prove themselves: with a fix reverted, they fail.

Each patch in ``reverts`` takes one fix out of a copy of the sources, and says behind ``Fails:`` what fails then.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reverting import FAILED, check_patch, patches_in, run_without, what_fails

PATCHES = patches_in(Path(__file__).parent)


@pytest.mark.nightly
@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_without_a_fix_the_checks_fail(patch, tmp_path):
    run = run_without(patch, tmp_path, "-m", "not spark", *what_fails(patch))
    assert run.returncode == FAILED, run.stdout[-3_000:]


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_patch_can_be_applied_to_what_is_there(patch):
    check_patch(patch)
