"""Runners for the harness, and its coverage at the end of the run."""

from __future__ import annotations

import pytest
from tests.values.coverage import CELLS, table
from tests.values.edges import EDGES
from tests.values.pure_worker import PureWorker
from tests.values.states import STATES

from flott.runtime import native


@pytest.fixture(scope="session")
def pure():
    """Run a job without compiled code."""
    worker = PureWorker()
    yield worker.outcome
    worker.close()


@pytest.fixture(scope="session")
def runners(pure):
    """What runs a job in a process, by name."""
    here = {"pure": lambda run: run.outcome()} if native.records is None else {"compiled": lambda run: run.outcome()}
    return {"pure": pure, **here}


def pytest_terminal_summary(terminalreporter):
    """Print what went where."""
    if CELLS:
        terminalreporter.section("coverage of values and keys")
        for line in table(EDGES, STATES):
            terminalreporter.write_line(line)
