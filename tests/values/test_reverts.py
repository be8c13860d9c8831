"""The harness proves itself: with a fix reverted, it fails.

Each patch in ``reverts`` takes one fix out of a copy of the sources, and says behind ``Fails:`` what fails then: a part
of the harness, or a test beside it. The copy has no compiled code, so that a patch of the Python twin is enough.
"""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from tests.reverting import FAILED, ROOT, patches_in, run_without

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


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_patch_can_be_applied_to_what_is_there(patch):
    """Who moves what it changes moves the patch as well; it runs only at night."""
    command = ["git", "apply", "--check", str(patch)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert all((ROOT / argument.partition("::")[0]).exists() for argument in what_fails(patch)[:1])
