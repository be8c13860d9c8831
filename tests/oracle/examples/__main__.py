"""Writes docs/pyflink-examples.md: `PYTHONPATH=.:src:tools python tests/oracle/examples`."""

from __future__ import annotations

from tests.oracle.examples.report import report
from tests.oracle.examples.test_examples import EXPECTED, PAGE

PAGE.write_text(report(EXPECTED), encoding="utf-8")
