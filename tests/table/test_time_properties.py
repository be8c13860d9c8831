"""Sessions, joins of windows and joins with versions give what a plain computation over all rows gives."""

from __future__ import annotations

import json
from itertools import groupby

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.job

GAP, SIZE = 5, 10
FEW = settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
"""Each example is a job or two; the fixture makes a new environment whenever it is called."""
KEYS = st.sampled_from(["a", "b", None])
ROWS = st.lists(st.tuples(KEYS, st.integers(0, 9), st.integers(0, 59)), max_size=25)
VERSIONS = st.lists(
    st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 9), st.integers(0, 59)),
    max_size=12, unique_by=lambda row: (row[0], row[2]),
)  # fmt: skip


def create(t_env, name, rows, key=""):
    """A table of rows (k, v, second), none of which is late."""
    data = json.dumps([[k, v, f"2020-01-01 00:00:{second:02d}"] for k, v, second in rows])
    t_env.execute_sql(
        f"CREATE TABLE {name} (k STRING, v INT, ts TIMESTAMP(3), {key} WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE) "
        f"WITH ('connector' = 'values', 'batch-size' = '4', 'data' = '{data}')"
    )


def found(t_env, query):
    with t_env.execute_sql(query).collect() as rows:
        return sorted((tuple(row) for row in rows), key=repr)


def sessions(rows):
    for key, some in groupby(sorted(rows, key=lambda row: (repr(row[0]), row[2])), key=lambda row: row[0]):
        held = []
        for row in some:
            if held and row[2] > held[-1][2] + GAP:
                yield key, held
                held = []
            held.append(row)
        yield key, held


@FEW
@given(rows=ROWS)
def test_sessions(environment, rows):
    t_env = environment(parallelism=2)
    create(t_env, "t", rows)
    wanted = [
        (key, some[0][2], (some[-1][2] + GAP) % 60, sum(row[1] for row in some), len({row[1] for row in some}))
        for key, some in sessions(rows)
    ]
    table = f"TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '{GAP}' SECOND))"
    bounds = "k, CAST(SECOND(window_start) AS INT), CAST(SECOND(window_end) AS INT)"
    group = "GROUP BY k, window_start, window_end"
    in_columns = found(t_env, f"SELECT {bounds}, SUM(v) FROM {table} {group}")  # noqa: S608 - SQL of this test
    assert in_columns == sorted((row[:4] for row in wanted), key=repr)
    by_rows = found(t_env, f"SELECT {bounds}, SUM(v), COUNT(DISTINCT v) FROM {table} {group}")  # noqa: S608
    assert by_rows == sorted(wanted, key=repr)


@FEW
@given(left=ROWS, right=ROWS)
def test_joins_of_windows(environment, left, right):
    t_env = environment(parallelism=2)
    for name, rows in (("l", left), ("r", right)):
        create(t_env, name, rows)
        windows = f"TABLE(TUMBLE(TABLE {name}, DESCRIPTOR(ts), INTERVAL '{SIZE}' SECOND))"
        t_env.execute_sql(f"CREATE VIEW w{name} AS SELECT * FROM {windows}")  # noqa: S608
    on = "x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end AND x.v <= y.v"

    def fits(one, other):
        return one[0] is not None and one[0] == other[0] and one[2] // SIZE == other[2] // SIZE and one[1] <= other[1]

    pairs = [(one[1], other[1]) for one in left for other in right if fits(one, other)]
    alone = [(one[1], None) for one in left if not any(fits(one, other) for other in right)]
    others = [(None, other[1]) for other in right if not any(fits(one, other) for one in left)]
    joined = found(t_env, f"SELECT x.v, y.v FROM wl AS x FULL JOIN wr AS y ON {on}")  # noqa: S608
    assert joined == sorted([*pairs, *alone, *others], key=repr)


@FEW
@given(rows=ROWS, versions=VERSIONS)
def test_joins_with_versions(environment, rows, versions):
    t_env = environment(parallelism=2)
    create(t_env, "l", rows)
    create(t_env, "r", versions, "PRIMARY KEY (k) NOT ENFORCED,")

    def valid(row):
        before = [version for version in versions if version[0] == row[0] and version[2] <= row[2]]
        return max(before, key=lambda version: version[2])[1] if before else None

    joined = found(t_env, "SELECT x.v, y.v FROM l AS x LEFT JOIN r FOR SYSTEM_TIME AS OF x.ts AS y ON x.k = y.k")
    assert joined == sorted(((row[1], valid(row)) for row in rows), key=repr)
