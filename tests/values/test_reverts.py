"""The harness proves itself: with a fix reverted, it fails.

Each patch in ``reverts`` takes one fix out of a copy of the sources, and says behind ``Fails:`` what fails then: a part
of the harness, or a test beside it. The copy has no compiled code, so that a patch of the Python twin is enough.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from tests.reverting import FAILED, patches_in, run_without

PATCHES = patches_in(Path(__file__).parent)


def what_fails(patch):
    """Return the tests that a patch names, as arguments of pytest."""
    [line] = [line for line in patch.read_text().splitlines() if line.startswith("Fails: ")]
    return shlex.split(line.removeprefix("Fails: "))


@pytest.mark.values
@pytest.mark.nightly
@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_without_a_fix_the_harness_fails(patch, tmp_path):
    run = run_without(patch, tmp_path, "-m", "not spark", *what_fails(patch))
    assert run.returncode == FAILED, run.stdout[-3_000:]
