"""Rows, maps and decimals on their way into tables and out of them: as PyFlink has them."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pandas as pd
import pytest

from flott.common import Row, RowKind, Types
from flott.datastream import StreamExecutionEnvironment
from flott.errors import FlottError
from flott.table import DataTypes, StreamTableEnvironment
from flott.table.errors import TableError
from flott.table.result_row import ResultRow
from flott.table.udf import udf, udtf

pytestmark = pytest.mark.job
FIELD, ROW = DataTypes.FIELD, DataTypes.ROW
PAIR = ROW([FIELD("c", DataTypes.INT()), FIELD("d", DataTypes.STRING())])
NESTED = ROW([
    FIELD("a", DataTypes.INT()), FIELD("r", PAIR), FIELD("l", DataTypes.ARRAY(PAIR)),
    FIELD("m", DataTypes.MAP(DataTypes.STRING(), PAIR)),
])  # fmt: skip
EXPECTED = Row(1, Row(2, "x"), [Row(3, "y"), None], {"k": Row(4, "z"), "n": None})


def rows(table):
    with table.execute().collect() as found:
        return list(found)


def test_collected_rows_have_rows_and_dicts_inside(t_env):
    [row] = rows(t_env.sql_query("SELECT ROW(1, 'x') AS r, MAP['a', 1] AS m, ARRAY[ROW(2, 'y')] AS l"))
    assert row == Row(Row(1, "x"), {"a": 1}, [Row(2, "y")])
    assert (row.r[1], row.m["a"], row.l[0][0]) == ("x", 1, 2)


def test_keys_of_maps_that_are_no_keys_in_python(t_env):
    [row] = rows(t_env.sql_query("SELECT MAP[ARRAY[1, 2], 'a'] AS m, MAP[MAP['k', 1], 2] AS n"))
    assert row == Row({(1, 2): "a"}, {(("k", 1),): 2})


@pytest.mark.parametrize(
    "given",
    [
        (1, (2, "x"), [(3, "y"), None], {"k": (4, "z"), "n": None}),
        (1, Row(2, "x"), [Row(3, "y"), None], {"k": Row(4, "z"), "n": None}),
        Row(1, Row(d="x", c=2), [Row(c=3, d="y"), None], {"k": Row(c=4, d="z"), "n": None}),
        [1, [2, "x"], [[3, "y"], None], {"k": [4, "z"], "n": None}],
        (1, {"c": 2, "d": "x"}, [{"c": 3, "d": "y"}, None], [("k", {"c": 4, "d": "z"}), ("n", None)]),
    ],
)
def test_elements_may_be_nested(t_env, given):
    assert rows(t_env.from_elements([given], NESTED)) == [EXPECTED]


def test_wrong_nested_elements_are_named(t_env):
    with pytest.raises(TableError, match="column 'r' is ROW"):
        t_env.from_elements([(1, Row(1, 2, 3), [], {})], NESTED)
    with pytest.raises(TableError, match="column 'a' is INT"):
        t_env.from_elements([("x", None, [], {})], NESTED)


def test_decimals_are_rounded_and_what_is_too_large_is_null(t_env):
    kind = ROW([
        FIELD("d", DataTypes.DECIMAL(5, 2)), FIELD("l", DataTypes.ARRAY(DataTypes.DECIMAL(3, 1))),
        FIELD("r", ROW([FIELD("d", DataTypes.DECIMAL(2, 0))])),
    ])  # fmt: skip
    given = [(Decimal("1.055"), [Decimal("0.05")], Row(Decimal("1.5"))), (Decimal(12345), [Decimal(100)], None)]
    assert rows(t_env.from_elements(given, kind)) == [
        Row(Decimal("1.06"), [Decimal("0.1")], Row(Decimal(2))), Row(None, [None], None),
    ]  # fmt: skip


def test_functions_see_rows_and_dicts_and_may_return_them(t_env):
    @udf(result_type=PAIR)
    def changed(row, pairs):
        return Row(row[0] + pairs["n"], row.d.upper())

    @udf(result_type="DECIMAL(5, 2)")
    def priced(number):
        return Decimal(number) / 8

    @udtf(result_types=[PAIR, DataTypes.DECIMAL(3, 1)])
    def spread(row):
        yield Row(row.c, "one"), Decimal("0.25")

    t_env.create_temporary_system_function("changed", changed)
    t_env.create_temporary_system_function("priced", priced)
    t_env.create_temporary_system_function("spread", spread)
    kind = ROW([FIELD("r", PAIR), FIELD("m", DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()))])
    t_env.create_temporary_view("t", t_env.from_elements([(Row(1, "x"), {"n": 5})], kind))
    assert rows(t_env.sql_query("SELECT changed(r, m), priced(1) FROM t")) == [Row(Row(6, "X"), Decimal("0.13"))]
    assert rows(t_env.sql_query("SELECT s.* FROM t, LATERAL TABLE(spread(r)) AS s(p, q)")) == [
        Row(Row(1, "one"), Decimal("0.3"))
    ]


# Streams


@pytest.fixture
def both(t_env):
    return StreamTableEnvironment.create(StreamExecutionEnvironment(t_env.get_config().get_configuration()))


def test_streams_of_tables_have_rows_and_dicts(both):
    table = both.from_elements([tuple(EXPECTED)], NESTED)
    seen = both.to_data_stream(table).map(lambda row: (row.r.c, row.l[0].d, row.m["k"][0], row["r"]["d"]))
    with seen.execute_and_collect() as found:
        assert list(found) == [(2, "y", 4, "x")]


def test_tables_of_streams_take_nested_rows(both):
    inner = Types.ROW_NAMED(["c", "d"], [Types.INT(), Types.STRING()])
    kind = Types.ROW_NAMED(["a", "r", "m"], [Types.INT(), inner, Types.MAP(Types.STRING(), Types.INT())])
    stream = both._environment.from_collection([Row(1, Row(2, "x"), {"k": 3})], kind)
    table = both.from_data_stream(stream)
    assert rows(table) == [Row(1, Row(2, "x"), {"k": 3})]


# Rows of results


def test_rows_of_results_are_equal_to_rows_without_names(t_env):
    [row] = rows(t_env.sql_query("SELECT 1 AS a, 'x' AS b"))
    assert row == Row(1, "x") == row
    assert row == Row(b="x", a=1) == row
    assert row != Row("x", 1)
    assert row != Row.of_kind(RowKind.DELETE, 1, "x")
    assert row != Row(a=1, c="x")
    assert hash(row) == hash(Row(1, "x")) == hash(Row(b="x", a=1))
    assert (row.a, row["b"], repr(row)) == (1, "x", "Row(a=1, b='x')")
    assert Row(1, "x") != Row(a=1, b="x")
    assert isinstance(row, ResultRow)


# pandas functions


@pytest.mark.parametrize("query", ["SELECT f(a) FROM t", "SELECT a FROM t WHERE f(a) > 1", "SELECT f(a), a FROM t"])
def test_a_pandas_function_gives_a_value_for_each_row(t_env, query):
    t_env.create_temporary_view("t", t_env.from_elements([(1,), (2,), (3,)], ["a"]))
    shorter = udf(lambda series: series[1:], result_type=DataTypes.BIGINT(), func_type="pandas", name="f")
    t_env.create_temporary_system_function("f", shorter)
    with pytest.raises(FlottError, match="the result length '2' is not equal to the input length '3'"):
        rows(t_env.sql_query(query))


@pytest.mark.parametrize("result", ["abc", [1, 2, 3], 7])
def test_a_pandas_function_gives_a_series(t_env, result):
    t_env.create_temporary_view("t", t_env.from_elements([(1,), (2,), (3,)], ["a"]))
    made = udf(lambda _: result, result_type=DataTypes.STRING(), func_type="pandas", name="f")
    t_env.create_temporary_system_function("f", made)
    with pytest.raises(FlottError, match=r"must be a pandas\.Series, got"):
        rows(t_env.sql_query("SELECT f(a) FROM t"))


def test_a_pandas_function_may_give_rows_as_a_frame(t_env):
    t_env.create_temporary_view("t", t_env.from_elements([(1,), (2,)], ["a"]))
    made = udf(lambda a: pd.DataFrame({"c": a + 1, "d": a.astype(str)}), result_type=PAIR, func_type="pandas", name="f")
    t_env.create_temporary_system_function("f", made)
    assert rows(t_env.sql_query("SELECT f(a) FROM t")) == [Row(Row(2, "1")), Row(Row(3, "2"))]


# Files


def test_files_of_json_have_objects(t_env, tmp_path):
    columns = "a INT, r ROW<c INT, at TIMESTAMP(3)>, l ARRAY<DATE>, m MAP<STRING, ROW<c INT>>"
    number, moment = FIELD("c", DataTypes.INT()), FIELD("at", DataTypes.TIMESTAMP(3))
    schema = ROW([
        FIELD("a", DataTypes.INT()), FIELD("r", ROW([number, moment])), FIELD("l", DataTypes.ARRAY(DataTypes.DATE())),
        FIELD("m", DataTypes.MAP(DataTypes.STRING(), ROW([number]))),
    ])  # fmt: skip
    at = dt.datetime(2020, 1, 1)  # noqa: DTZ001 - in no time zone
    table = t_env.from_elements([(1, Row(2, at), [dt.date(2020, 1, 2)], {"k": Row(3)})], schema)
    t_env.execute_sql(
        f"CREATE TABLE k ({columns}) WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{tmp_path}/k')"
    )
    table.execute_insert("k").wait()
    [line] = [line for path in (tmp_path / "k").glob("part-*") for line in path.read_text().splitlines()]
    wanted = {"a": 1, "r": {"c": 2, "at": "2020-01-01 00:00:00"}, "l": ["2020-01-02"], "m": {"k": {"c": 3}}}
    assert json.loads(line) == wanted
    with t_env.execute_sql("SELECT * FROM k").collect() as found:
        [row] = found
    assert (row.r.c, row.m["k"].c) == (2, 3)


@pytest.mark.parametrize(
    ("form", "text"), [("csv", "1.25\n12345.6\n\n"), ("json", '{"d":1.25}\n{"d":"12345.6"}\n{"d":null}\n')]
)
def test_decimals_of_files_are_rounded(t_env, tmp_path, form, text):
    (tmp_path / "file").write_text(text)
    t_env.execute_sql(
        f"CREATE TABLE t (d DECIMAL(4, 1)) "
        f"WITH ('connector' = 'filesystem', 'format' = '{form}', 'path' = '{tmp_path}/file')"
    )
    assert [row[0] for row in rows(t_env.from_path("t"))][:2] == [Decimal("1.3"), None]
