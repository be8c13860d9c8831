"""The programs on pages about Spark run on Spark, each page in a process of its own, and print what the page says."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from tests.waiting import PATIENCE

from doc_blocks import read_page
from run_docs import LANGUAGES, ROOT, all_pages

pytestmark = [pytest.mark.spark, pytest.mark.nightly]

PAGES = [page for page in map(read_page, all_pages()) if page.on_spark and page.running(*LANGUAGES)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.path.relative_to(ROOT)))
def test_a_page_prints_what_it_says(page):
    # Spark takes relative paths as they stand where its Java process was started: so each page starts its own.
    command = [sys.executable, str(ROOT / "tools" / "run_docs.py"), str(page.path)]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT / 'tools'}"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
