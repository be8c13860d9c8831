"""The harness on embedded Spark: each kind of value, of key and of emitter, one job for all of them."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.values import emitters, key_positions, matrix
from tests.values.changing_objects import after
from tests.values.coverage import empty_cells
from tests.values.cut_source import Cuts
from tests.values.edges import EDGES
from tests.values.emitters import EMITTERS, IN_STATE
from tests.values.equal_keys import records_apart
from tests.values.fingerprints import fingerprint
from tests.values.listed_values import EACH_KIND
from tests.values.runs import UNCUT, Run
from tests.values.states import STATES
from tests.values.test_equal_keys import check

pytestmark = [pytest.mark.values, pytest.mark.spark]

SPARK = "local[2]"
SHAPE, COUNT = "dict of lists", 6


def test_every_value_arrives_over_every_edge_and_out_of_every_state():
    run = Run(matrix.JOB, EACH_KIND, Cuts((len(EACH_KIND) // 3,), 7), parallelism=2)
    matrix.check(run, run.outcome(SPARK), "Spark")
    assert empty_cells(EDGES, STATES, "Spark") == []


def test_equal_keys_are_one_key_in_every_position():
    records = records_apart()
    run = Run(key_positions.JOB, records, Cuts((len(records) // 2,), 5), parallelism=2)
    check(run, run.outcome(SPARK), "Spark")


@pytest.mark.parametrize(("names", "cuts"), [("kept_in_memory", UNCUT), ("kept_in_state", Cuts((2, 4), 1))])
def test_emitted_records_do_not_change(names, cuts):
    """What is kept in memory only, a subtask loses when another worker has its next epoch."""
    run = Run(f"{emitters.__name__}:{names}", [(SHAPE, number) for number in range(1, COUNT + 1)], cuts)
    expected = Counter(fingerprint(after(SHAPE, times)) for times in range(1, COUNT + 1))
    found = {name: Counter() for name in EMITTERS if (name in IN_STATE) == (names == "kept_in_state")}
    for name, value in run.outcome(SPARK):
        found[name][value] += 1
    assert found == dict.fromkeys(found, expected)
