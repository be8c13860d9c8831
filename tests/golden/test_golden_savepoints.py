"""Savepoints that this version and earlier ones wrote are restored, whatever the parallelism."""

from __future__ import annotations

import pytest
from tests.coordination.checkpoints.every_state_job import FROM, NEW_OPERATOR, SAME, WIDENED, Job, lines
from tests.golden.golden_savepoint import REST, golden_savepoints, run

from flott import __version__
from flott.state_processor import SavepointReader

pytestmark = pytest.mark.job

GOLDEN = {path.name: path for path in golden_savepoints()}
KINDS = {
    "value state", "list state", "map state", "reducing state", "aggregating state", "timers", "timers by moment",
    "accumulators", "lists of records", "sessions", "panes", "events", "runs", "broadcast state",
    "even-split list state", "union list state",
}  # fmt: skip


@pytest.mark.skipif("unknown" in __version__, reason="Flott is not installed, so nobody knows its version")
def test_this_version_has_one():
    assert f"savepoint-{__version__}" in GOLDEN


@pytest.mark.parametrize("name", GOLDEN)
def test_it_has_every_kind_of_state(name):
    assert set(SavepointReader.read(str(GOLDEN[name])).list_states().to_pandas()["kind"]) >= KINDS


@pytest.mark.parametrize(("variant", "parallelism"), [(SAME, 2), (SAME, 3), (NEW_OPERATOR, 1), (WIDENED, 2)])
@pytest.mark.parametrize("name", GOLDEN)
def test_a_job_goes_on_from_it(tmp_path, name, variant, parallelism):
    run(Job(tmp_path / "out", variant, parallelism, options={FROM: str(GOLDEN[name])}))
    assert lines(tmp_path / "out") == (GOLDEN[name] / REST).read_text(encoding="utf-8").splitlines()
