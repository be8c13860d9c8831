"""The page error-gallery.md says what Flott says: every mistake is made again."""

from __future__ import annotations

import pytest

from error_gallery import PAGE, mistakes, page

pytestmark = pytest.mark.job


def test_the_gallery_is_what_happens():
    assert page() == PAGE.read_text(encoding="utf-8"), "run `make docs-reference`"


def test_there_are_enough_and_each_says_what_to_do():
    shown = mistakes()
    assert len(shown) >= 25
    assert all(mistake.title and mistake.advice and mistake.program for mistake in shown)
