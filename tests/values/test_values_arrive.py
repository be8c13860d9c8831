"""What is sent arrives: the same type, the same value, once, over every edge and out of every state."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.values import matrix
from tests.values.coverage import empty_cells
from tests.values.drawn_cuts import cuts, failing_cuts, parallelisms
from tests.values.drawn_values import batches
from tests.values.edges import EDGES
from tests.values.profile import examples
from tests.values.runs import Run
from tests.values.states import STATES

pytestmark = pytest.mark.values


@examples()
@given(values=batches, cuts=cuts | failing_cuts, parallelism=parallelisms)
def test_every_value_arrives_over_every_edge_and_out_of_every_state(runners, values, cuts, parallelism):
    run = Run(matrix.JOB, values, cuts, parallelism)
    for runner, outcome in runners.items():
        matrix.check(run, outcome(run), runner)


def test_no_cell_is_empty(runners):
    """Runs after the property above."""
    assert {runner: empty_cells(EDGES, STATES, runner) for runner in runners} == {runner: [] for runner in runners}
