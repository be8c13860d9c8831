"""Columns that are NOT NULL or have a length, of tables that are written to."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from flott.errors import FlottError
from flott.table import types as t
from flott.table.errors import TableError
from flott.table.runtime.constraint_enforcer import trimmed_and_padded, unfit

pytestmark = pytest.mark.job
ROWS = [[1, "a"], [None, "b"], [3, "c"]]
DROP = {"table__exec__sink__not_null_enforcer": "DROP"}


def written(t_env, folder, columns, source, rows):
    data = json.dumps(rows).replace("'", "''")
    t_env.execute_sql(f"CREATE TABLE s ({source}) WITH ('connector' = 'values', 'data' = '{data}')")
    t_env.execute_sql(
        f"CREATE TABLE k ({columns}) WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{folder}/k')"
    )
    t_env.execute_sql("INSERT INTO k SELECT * FROM s").wait()
    lines = [line for path in (folder / "k").glob("part-*") for line in path.read_text().splitlines()]
    return [json.loads(line) for line in lines]


def test_null_in_a_column_that_is_not_null_is_an_error(t_env, tmp_path):
    with pytest.raises(FlottError, match=r"column 'a' is NOT NULL, and a row has NULL in it.*= 'DROP'"):
        written(t_env, tmp_path, "a INT NOT NULL, b STRING", "a INT, b STRING", ROWS)


def test_rows_with_null_are_dropped(environment, tmp_path):
    found = written(environment(**DROP), tmp_path, "a INT NOT NULL, b STRING", "a INT, b STRING", ROWS)
    assert found == [{"a": 1, "b": "a"}, {"a": 3, "b": "c"}]


@pytest.mark.parametrize(
    "columns", ["a INT, b STRING, PRIMARY KEY (a) NOT ENFORCED", "a INT PRIMARY KEY NOT ENFORCED, b STRING"]
)
def test_columns_of_the_primary_key_are_not_null(environment, t_env, tmp_path, columns):
    with pytest.raises(FlottError, match="column 'a' is NOT NULL"):
        written(t_env, tmp_path / "error", columns, "a INT, b STRING", ROWS)
    found = written(environment(**DROP), tmp_path / "drop", columns, "a INT, b STRING", ROWS)
    assert found == [{"a": 1, "b": "a"}, {"a": 3, "b": "c"}]


@pytest.mark.parametrize(
    ("kind", "values", "name"),
    [
        ("ROW<x INT NOT NULL, y STRING>", [{"x": 1, "y": "a"}, None, {"x": None, "y": "b"}], "v.x"),
        ("ROW<r ROW<x INT NOT NULL>>", [{"r": {"x": 1}}, {"r": None}, {"r": {"x": None}}], "v.r.x"),
        ("ARRAY<INT NOT NULL>", [[1, 2], None, [3, None]], "v[element]"),
        ("ARRAY<ROW<x INT NOT NULL>>", [[{"x": 1}, None], [], [{"x": 2}, {"x": None}]], "v[element].x"),
        ("MAP<STRING, INT NOT NULL>", [{"a": 1}, None, {"a": 2, "b": None}], "v[value]"),
    ],
)
def test_parts_of_columns(environment, tmp_path, kind, values, name):
    rows = [[number, value] for number, value in enumerate(values)]
    source = kind.replace(" NOT NULL", "")
    columns = f"n INT, v {kind}"
    found = written(environment(**DROP), tmp_path / "drop", columns, f"n INT, v {source}", rows)
    assert [row["n"] for row in found] == [0, 1]
    with pytest.raises(FlottError) as caught:
        written(environment(), tmp_path / "error", columns, f"n INT, v {source}", rows)
    assert f"column '{name}' is NOT NULL" in str(caught.value)


VALUES = [["abcd", "abcd", {"v": "xyz"}, ["p", "pqr", None], {"k": "vw"}], ["a", "a", None, None, None]]


@pytest.mark.parametrize(
    ("enforcer", "wanted"),
    [
        ("IGNORE", [["abcd", "abcd", {"v": "xyz"}, ["p", "pqr", None], {"k": "vw"}], ["a", "a", None, None, None]]),
        ("TRIM_PAD", [["abc", "abc", {"v": "xy"}, ["p ", "pq", None], {"k": "v"}], ["a  ", "a", None, None, None]]),
    ],
)
def test_lengths(environment, tmp_path, enforcer, wanted):
    t_env = environment(table__exec__sink__type_length_enforcer=enforcer)
    columns = "c CHAR(3), v VARCHAR(3), r ROW<v VARCHAR(2)>, a ARRAY<CHAR(2)>, m MAP<STRING, VARCHAR(1)>"
    found = written(t_env, tmp_path, columns, columns, VALUES)
    assert [[row[name] for name in "cvram"] for row in found] == wanted


@pytest.mark.parametrize(
    ("columns", "value"), [("v VARCHAR(3)", "abcd"), ("v CHAR(3)", "ab"), ("v ARRAY<CHAR(1)>", ["ab"])]
)
def test_other_lengths_can_be_an_error(environment, tmp_path, columns, value):
    t_env = environment(table__exec__sink__type_length_enforcer="ERROR")
    with pytest.raises(FlottError, match=r"a row has a value of another length"):
        written(t_env, tmp_path, columns, columns, [[value]])


def test_settings_are_checked(environment, tmp_path):
    with pytest.raises((FlottError, ValueError), match="not-null-enforcer"):
        written(environment(table__exec__sink__not_null_enforcer="KEEP"), tmp_path, "a INT", "a INT", [[1]])


def test_tables_without_constraints_are_written_as_they_are(t_env):
    t_env.execute_sql("CREATE TABLE s (a INT, v VARCHAR(2)) WITH ('connector' = 'datagen')")
    t_env.execute_sql("CREATE TABLE k (a INT, v VARCHAR(2)) WITH ('connector' = 'blackhole')")
    t_env.execute_sql("CREATE TABLE n (a INT NOT NULL, v STRING) WITH ('connector' = 'blackhole')")
    assert "ConstraintEnforcer" not in t_env.explain_sql("INSERT INTO k SELECT * FROM s")
    assert "ConstraintEnforcer(notNull=[a, ERROR]" in t_env.explain_sql("INSERT INTO n SELECT * FROM s")
    with pytest.raises(TableError, match="must be given"):
        t_env.explain_sql("INSERT INTO n (v) SELECT v FROM s")


def test_bytes_have_lengths_too():
    column = pa.array([b"abcd", b"a", None], pa.binary())
    assert trimmed_and_padded(column, t.BinaryType(True, 3)).to_pylist() == [b"abc", b"a\0\0", None]
    assert trimmed_and_padded(column, t.VarBinaryType(True, 3)).to_pylist() == [b"abc", b"a", None]
    assert unfit(column, t.VarBinaryType(True, 3))
    assert not unfit(column, t.VarBinaryType(True, 4))
    assert unfit(column, t.BinaryType(True, 4))
