"""The patches that take fixes out apply to the sources as they are: whoever changes a place notices at once."""

from __future__ import annotations

import subprocess

import pytest
from tests.reverting import ROOT, patches_in

PATCHES = [patch for folder in ("chaos", "values") for patch in patches_in(ROOT / "tests" / folder)]


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_fix_can_be_taken_out(patch):
    subprocess.run(["git", "apply", "--check", "--unsafe-paths", str(patch)], cwd=ROOT, check=True)  # noqa: S607
