"""Joins of event times that are close, against all pairs of rows: with any order of rows, batches and subtasks."""

# ruff: noqa: S608 - our own words

from __future__ import annotations

import datetime as dt
import importlib.util
import json
import random
from pathlib import Path

import pytest

pytestmark = pytest.mark.job
spec = importlib.util.spec_from_file_location("table_conftest", Path(__file__).parent.parent / "conftest.py")
conftest = importlib.util.module_from_spec(spec)
spec.loader.exec_module(conftest)
START = dt.datetime(2020, 1, 1)  # noqa: DTZ001 - in no time zone
DISORDER, BEFORE, AFTER = 5, 2, 4
"""Seconds: how far rows are out of order, and how far a row of the right may lie before and after one of the left."""


def rows_of(draw, count):
    """Rows of a number, a key, and a second; out of order by less than the watermark waits."""
    seconds = sorted(draw.randrange(60) for _ in range(count))
    rows = [(number, draw.choice([1, 1, 2, 3, None]), second) for number, second in enumerate(seconds)]
    return sorted(rows, key=lambda row: row[2] + draw.random() * DISORDER)


def create(t_env, name, rows, size):
    data = json.dumps([[number, key, str(START + dt.timedelta(seconds=second))] for number, key, second in rows])
    t_env.execute_sql(
        f"CREATE TABLE {name} (n INT, k INT, ts TIMESTAMP(3), "
        f"WATERMARK FOR ts AS ts - INTERVAL '{DISORDER}' SECOND) "
        f"WITH ('connector' = 'values', 'batch-size' = '{size}', 'data' = '{data}')"
    )


def pairs_of(left, right, kind):
    """What the join gives: all pairs that match, and the rows of the outer sides without one."""
    found = [
        (one, other)
        for one in left
        for other in right
        if one[1] is not None and one[1] == other[1] and one[2] - BEFORE <= other[2] < one[2] + AFTER
    ]
    if kind in {"LEFT", "FULL"}:
        found += [(one, None) for one in left if one not in {pair[0] for pair in found}]
    if kind in {"RIGHT", "FULL"}:
        found += [(None, other) for other in right if other not in {pair[1] for pair in found}]
    return found


@pytest.mark.parametrize("kind", ["INNER", "LEFT", "RIGHT", "FULL"])
@pytest.mark.parametrize("seed", range(4))
def test_all_pairs_and_none_late(kind, seed):
    draw = random.Random(seed)
    left, right = rows_of(draw, 40), rows_of(draw, 40)
    t_env = conftest.table_environment(parallelism=draw.choice([1, 3]))
    for name, rows in (("l", left), ("r", right)):
        create(t_env, name, rows, draw.choice([1, 3, 100]))
    t_env.execute_sql(
        f"CREATE VIEW j AS SELECT l.n AS ln, r.n AS rn, l.ts AS lt, r.ts AS rt FROM l {kind} JOIN r ON l.k = r.k "
        f"AND r.ts >= l.ts - INTERVAL '{BEFORE}' SECOND AND r.ts < l.ts + INTERVAL '{AFTER}' SECOND"
    )
    wanted = pairs_of(left, right, kind)
    with t_env.execute_sql("SELECT ln, rn FROM j").collect() as found:
        rows = [(str(row.get_row_kind()), *row) for row in found]
    numbers = [(None if one is None else one[0], None if other is None else other[0]) for one, other in wanted]
    assert sorted(rows, key=repr) == sorted((("+I", *pair) for pair in numbers), key=repr)
    for side, time in enumerate(("lt", "rt")):
        query = (
            f"SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE j, DESCRIPTOR({time}), INTERVAL '5' SECOND)) "
            f"WHERE {time} IS NOT NULL GROUP BY window_start, window_end"
        )
        counts: dict[dt.datetime, int] = {}
        for pair in wanted:
            if pair[side] is not None:
                start = START + dt.timedelta(seconds=pair[side][2] // 5 * 5)
                counts[start] = counts.get(start, 0) + 1
        with t_env.execute_sql(query).collect() as found:
            assert {row[0]: row[1] for row in found} == counts
