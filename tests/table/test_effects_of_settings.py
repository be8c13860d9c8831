"""What the settings of tables change: two values of each, and the two results."""

from __future__ import annotations

import json

import pytest
from tests.table.test_hints import operator_of

from flott.errors import FlottError
from flott.table import DataTypes
from flott.table.expr import InputRef
from flott.table.runtime.watermark_assigner import watermark_strategy

pytestmark = pytest.mark.job

TIMED = "CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ({})"
WINDOWS = "SELECT SUM(v) FROM t GROUP BY k, TUMBLE(ts, INTERVAL '10' SECOND)"
EARLY, LATE = "table.exec.emit.early-fire", "table.exec.emit.late-fire"


def values_of(*rows):
    data = json.dumps(rows).replace("'", "''")
    return f"'connector' = 'values', 'batch-size' = '1', 'data' = '{data}'"


def rows(t_env, query):
    with t_env.execute_sql(query).collect() as found:
        return [(str(row.get_row_kind()), *row) for row in found]


def hour(t_env, _):
    return rows(t_env, "SELECT HOUR(TO_TIMESTAMP_LTZ(0, 3))")


def windows(t_env, _):
    early = (["a", 1, "2020-01-01 00:00:01"], ["a", 2, "2020-01-01 00:00:02"], ["a", 8, "2020-01-01 00:00:13"])
    t_env.execute_sql(TIMED.format(values_of(*early, ["a", 16, "2020-01-01 00:00:04"])))
    return rows(t_env, WINDOWS)


def time_to_live(t_env, _):
    t_env.execute_sql("CREATE TABLE t (k INT, v INT) WITH ('connector' = 'datagen')")
    return operator_of(t_env, "SELECT k, COUNT(DISTINCT v) FROM t GROUP BY k", "GroupAggregate").ttl


def idle_after(t_env, _):
    t_env.execute_sql(TIMED.format(values_of(["a", 1, "2020-01-01 00:00:01"])))
    settings = t_env.planner.settings()
    return watermark_strategy(InputRef(2, DataTypes.TIMESTAMP(3)), settings.zone, settings.idle_timeout).idle_timeout


def written(columns, *data):
    def seen(t_env, root):
        plain = columns.replace(" NOT NULL", "")
        t_env.execute_sql(f"CREATE TABLE s ({plain}) WITH ({values_of(*data)})")
        options = f"'connector' = 'filesystem', 'path' = '{root}', 'format' = 'json'"
        t_env.execute_sql(f"CREATE TABLE k ({columns}) WITH ({options})")
        try:
            t_env.execute_sql("INSERT INTO k SELECT * FROM s").wait()
        except FlottError:
            return "refused"
        files = [path for path in root.rglob("*") if path.is_file() and not path.name.startswith((".", "_"))]
        return sorted(line for path in files for line in path.read_text().splitlines())

    return seen


CASES = {
    "table.exec.state.ttl": ({}, time_to_live, ("1 h", 3_600_000), ("2 h", 7_200_000)),
    "table.exec.source.idle-timeout": ({}, idle_after, ("5 s", 5_000), ("0 ms", None)),
    "table.local-time-zone": ({}, hour, ("UTC", [("+I", 0)]), ("Asia/Tokyo", [("+I", 9)])),
    "table.exec.sink.not-null-enforcer": (
        {},
        written("a INT NOT NULL", [None], [1]),
        ("ERROR", "refused"),
        ("DROP", ['{"a":1}']),
    ),
    "table.exec.sink.type-length-enforcer": (
        {},
        written("a VARCHAR(2)", ["abc"]),
        ("IGNORE", ['{"a":"abc"}']),
        ("TRIM_PAD", ['{"a":"ab"}']),
    ),
    "table.exec.emit.early-fire.enabled": (
        {f"{EARLY}.delay": "0 ms"},
        windows,
        ("false", [("+I", 3), ("+I", 8)]),
        ("true", [("+I", 1), ("-U", 1), ("+U", 3), ("+I", 8)]),
    ),
    "table.exec.emit.early-fire.delay": (
        {f"{EARLY}.enabled": "true"},
        windows,
        ("1 h", [("+I", 3), ("+I", 8)]),
        ("0 ms", [("+I", 1), ("-U", 1), ("+U", 3), ("+I", 8)]),
    ),
    "table.exec.emit.late-fire.enabled": (
        {f"{LATE}.delay": "0 ms", "table.exec.emit.allow-lateness": "5 s"},
        windows,
        ("false", [("+I", 3), ("+I", 8)]),
        ("true", [("+I", 3), ("-U", 3), ("+U", 19), ("+I", 8)]),
    ),
    "table.exec.emit.late-fire.delay": (
        {f"{LATE}.enabled": "true", "table.exec.emit.allow-lateness": "2 h"},
        windows,
        ("0 ms", [("+I", 3), ("-U", 3), ("+U", 19), ("+I", 8)]),
        ("1 h", [("+I", 3), ("+I", 8), ("-U", 3), ("+U", 19)]),
    ),
    "table.exec.emit.allow-lateness": (
        {f"{LATE}.enabled": "true", f"{LATE}.delay": "0 ms"},
        windows,
        ("5 s", [("+I", 3), ("-U", 3), ("+U", 19), ("+I", 8)]),
        ("1 s", [("+I", 3), ("+I", 8)]),
    ),
}


@pytest.mark.parametrize("key", CASES)
def test_two_values_two_results(key, tmp_path, environment):
    around, look, *values = CASES[key]
    seen = []
    for number, (value, _) in enumerate(values):
        settings = {name.replace(".", "__").replace("-", "_"): text for name, text in {**around, key: value}.items()}
        seen.append(look(environment(**settings), tmp_path / str(number)))
    assert seen == [result for _, result in values]
    assert seen[0] != seen[1]
