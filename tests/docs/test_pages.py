"""The programs on every page of the documentation run, and print what the page says."""

from __future__ import annotations

import pytest

from doc_blocks import read_page
from run_docs import LANGUAGES, ROOT, all_pages, check_page

pytestmark = pytest.mark.job

PAGES = [page for page in map(read_page, all_pages()) if page.running(*LANGUAGES) and not page.on_spark]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.path.relative_to(ROOT)))
def test_a_page_prints_what_it_says(page):
    findings = check_page(page)
    assert not findings, "\n".join(map(str, findings))
