from __future__ import annotations

import asyncio

import pytest

from flott.common.types import Row
from flott.errors import FlottError
from flott.table import DataTypes
from flott.table.errors import NotYetError, TableError
from flott.table.expressions import col, lit
from flott.table.final_rows import final_rows
from flott.table.udf import (
    AggregateFunction,
    AsyncScalarFunction,
    TableAggregateFunction,
    TableFunction,
    udaf,
    udf,
    udtaf,
    udtf,
)
from flott.table.window import Tumble

pytestmark = pytest.mark.job

LENGTHS = [DataTypes.STRING(), DataTypes.INT()]
PAIR = DataTypes.ROW([DataTypes.FIELD("n", DataTypes.BIGINT()), DataTypes.FIELD("total", DataTypes.BIGINT())])


class Words(TableFunction):
    def open(self, function_context):
        self.opened = function_context.get_number_of_parallel_subtasks()

    def eval(self, text):
        assert self.opened == 1
        for word in text.split():
            yield word, len(word)


@pytest.fixture
def lines(t_env):
    t_env.create_temporary_system_function("words", udtf(Words(), result_types=LENGTHS))
    table = t_env.from_elements([(1, "to be or"), (2, ""), (3, "not")], ["id", "line"])
    t_env.create_temporary_view("lines", table)
    return table


def final(table):
    with table.execute().collect() as changes:
        return sorted(final_rows(changes), key=repr)


def changes(table):
    with table.execute().collect() as found:
        return [(str(row.get_row_kind()), *row) for row in found]


def test_lateral(t_env, lines):
    table = t_env.sql_query("SELECT id, w, n FROM lines CROSS JOIN LATERAL TABLE(words(line)) AS t (w, n) WHERE n > 1")
    assert final(table) == [(1, "be", 2), (1, "or", 2), (1, "to", 2), (3, "not", 3)]


def test_lateral_keeps_rows_without_results(t_env, lines):
    table = t_env.sql_query("SELECT id, w FROM lines LEFT JOIN LATERAL TABLE(words(line)) AS t (w, n) ON TRUE")
    assert final(table) == [(1, "be"), (1, "or"), (1, "to"), (2, None), (3, "not")]


def test_a_function_of_no_table(t_env, lines):
    assert final(t_env.sql_query("SELECT n, w FROM TABLE(words('a bb')) AS t (w, n)")) == [(1, "a"), (2, "bb")]


def test_rows_that_are_taken_back_take_back_what_was_made_of_them(t_env, lines):
    t_env.execute_sql(
        "CREATE TABLE changing (line STRING) WITH ('connector' = 'values', 'data' = '[[\"a b\"], [\"-D\", \"a b\"]]')"
    )
    table = t_env.sql_query("SELECT w FROM changing, LATERAL TABLE(words(line)) AS t (w, n)")
    assert changes(table) == [("+I", "a"), ("+I", "b"), ("-D", "a"), ("-D", "b")]


def test_names_and_numbers_of_columns(t_env, lines):
    with pytest.raises(TableError, match="there is no table function 'word'; did you mean 'words'"):
        t_env.sql_query("SELECT 1 FROM lines, LATERAL TABLE(word(line)) AS t (w, n)")
    with pytest.raises(TableError, match="words gives 2 columns, here are 1 names"):
        t_env.sql_query("SELECT 1 FROM lines, LATERAL TABLE(words(line)) AS t (w)")
    with pytest.raises(TableError, match="LEFT JOIN LATERAL … ON TRUE"):
        t_env.sql_query("SELECT 1 FROM lines LEFT JOIN LATERAL TABLE(words(line)) AS t (w, n) ON n = id")
    with pytest.raises(FlottError, match="declare what it gives as result_types"):
        final(lines.flat_map(udtf(lambda row: [row.id], result_types=[DataTypes.STRING()])))


def test_join_lateral(lines):
    words = udtf(Words(), result_types=LENGTHS)
    table = lines.join_lateral(words(col("line")).alias("w", "n"), col("n") > col("id")).select(col("w"))
    assert final(table) == [("be",), ("or",), ("to",)]
    outer = lines.left_outer_join_lateral(words(col("line")).alias("w", "n")).select(col("id"), col("n"))
    assert final(outer) == [(1, 2), (1, 2), (1, 2), (2, None), (3, 3)]
    with pytest.raises(TableError, match="already"):
        lines.join_lateral(words(col("line")).alias("id", "n"))
    with pytest.raises(TableError, match=r"but lit\(True\)"):
        lines.left_outer_join_lateral(words(col("line")), lit(1) == 2)


def test_map_and_flat_map_take_whole_rows(lines):
    table = lines.map(udf(lambda row: Row(row.id + 1, len(row.line)), result_type=PAIR))
    assert table.get_resolved_schema().get_column_names() == ["n", "total"]
    assert final(table) == [(2, 8), (3, 0), (4, 3)]
    flat = lines.flat_map(udtf(lambda row: [row.id] * row.id, result_types=[DataTypes.BIGINT()]))
    assert flat.get_resolved_schema().get_column_names() == ["f0"]
    assert final(flat) == [(1,), (2,), (2,), (3,), (3,), (3,)]
    single = lines.map(udf(lambda number: -number, result_type=DataTypes.BIGINT())(col("id")).alias("x"))
    assert final(single) == [(-1,), (-2,), (-3,)]
    with pytest.raises(TableError, match=r"give a function that udtf\(…\) made"):
        lines.flat_map(udf(lambda row: row, result_type=PAIR))


class CountAndSum(AggregateFunction):
    def open(self, function_context):
        self.zero = function_context.get_index_of_this_subtask()

    def create_accumulator(self):
        return [self.zero, self.zero]

    def accumulate(self, accumulator, row):
        accumulator[0] += 1
        accumulator[1] += row.amount

    def get_value(self, accumulator):
        return Row(*accumulator)

    def get_result_type(self):
        return PAIR


class Top2(TableAggregateFunction):
    def create_accumulator(self):
        return []

    def accumulate(self, accumulator, value):
        accumulator.append(value)
        accumulator.sort(reverse=True)

    def retract(self, accumulator, value):
        accumulator.remove(value)

    def emit_value(self, accumulator):
        yield from ((value, place) for place, value in enumerate(accumulator[:2], 1))

    def get_result_type(self):
        return "ROW<v BIGINT, place INT>"


@pytest.fixture
def orders(t_env):
    return t_env.from_elements([("ann", 3), ("bob", 4), ("ann", 5), ("ann", 4)], ["user", "amount"])


def test_aggregate_gives_columns(orders):
    both = udaf(CountAndSum())
    assert final(orders.aggregate(both.alias("n", "s")).select(col("s"), col("n"))) == [(16, 4)]
    table = orders.group_by(col("user")).aggregate(udaf(CountAndSum())).select(col("user"), col("total"), col("n"))
    assert final(table) == [("ann", 12, 3), ("bob", 4, 1)]


def test_flat_aggregate_takes_back_all_it_said(orders):
    top = udtaf(Top2())
    table = orders.group_by(col("user")).flat_aggregate(top(col("amount")).alias("v", "p"))
    assert changes(table.select(col("user"), col("v"), col("p"))) == [
        ("+I", "ann", 3, 1), ("+I", "bob", 4, 1),
        ("-D", "ann", 3, 1), ("+I", "ann", 5, 1), ("+I", "ann", 3, 2),
        ("-D", "ann", 5, 1), ("-D", "ann", 3, 2), ("+I", "ann", 5, 1), ("+I", "ann", 4, 2),
    ]  # fmt: skip
    assert final(orders.flat_aggregate(top(col("amount"))).select(col("*"))) == [(4, 2), (5, 1)]


def test_flat_aggregate_of_groups_that_change(orders):
    counts = orders.group_by(col("user")).select(col("user"), col("amount").count.alias("n"))
    assert final(counts.flat_aggregate(udtaf(Top2())(col("n"))).select(col("v"))) == [(1,), (3,)]


def test_aggregate_of_windows(t_env):
    t_env.execute_sql(
        "CREATE TABLE clicks (amount BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'values', "
        """'data' = '[[1, "2020-01-01 00:00:01"], [2, "2020-01-01 00:00:06"], [4, "2020-01-01 00:00:12"]]')"""
    )
    windowed = t_env.from_path("clicks").window(Tumble.over(lit(10).seconds).on(col("ts")).alias("w"))
    table = windowed.group_by(col("w")).aggregate(udaf(CountAndSum())).select(col("w").start, col("n"), col("total"))
    assert [(row[0].second, *row[1:]) for row in final(table)] == [(0, 2, 3), (10, 1, 4)]
    with pytest.raises(NotYetError, match="of windows"):
        windowed.group_by(col("w")).flat_aggregate(udtaf(Top2())(col("amount")))


class Waiting(AsyncScalarFunction):
    async def eval(self, number):
        # Later rows are ready first.
        for _ in range(5 - number):
            await asyncio.sleep(0)
        return number * 10


def test_asynchronous_functions_keep_the_order(t_env, lines):
    t_env.create_temporary_system_function("waiting", udf(Waiting(), result_type=DataTypes.BIGINT()))
    assert final(t_env.sql_query("SELECT id, waiting(id) FROM lines")) == [(1, 10), (2, 20), (3, 30)]
    with pytest.raises(TableError, match="asynchronous"):
        udf(Waiting(), result_type=DataTypes.BIGINT(), func_type="pandas")
