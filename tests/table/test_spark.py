"""A few queries on Spark: the same rows as in one process."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark

spec = importlib.util.spec_from_file_location("transcript", Path(__file__).parent / "transcript.py")
transcript = importlib.util.module_from_spec(spec)
spec.loader.exec_module(transcript)
CASES = dict(transcript.cases())
CHOSEN = [
    "groups: distinct",
    "groups: an aggregate of an aggregate",
    "windows: windows that overlap",
    "windows: a window of windows",
    "joins: full",
    "joins: within a stretch of event time",
    "ranks: with their numbers",
    "stateless: union removes duplicates",
    "match_recognize: a price that falls and rises again",
    "sessions: for each partition, in columns",
    "temporal_joins: left, with rows that find nothing",
    "window_joins: full, with a condition besides the keys",
    "over: two windows, one over the other",
    "subqueries: a value for each row, and a count of nothing is 0",
    "sets: except all",
    "grouping_sets: over windows",
    "phases: partial results of batches are put together",
]


@pytest.mark.parametrize("name", CHOSEN)
def test_on_spark(name, environment):
    t_env = environment(parallelism=2, target="spark", flott__spark__master="local[2]")
    transcript.check(t_env, CASES[name], exact=False, batch_size=2)
