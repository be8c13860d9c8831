from __future__ import annotations

import math
from decimal import Decimal

import pytest

from flott.table import DataTypes
from flott.table.errors import TableError, ValidationError
from flott.table.expressions import call, coalesce, col, concat, if_then_else, lit
from flott.table.final_rows import final_rows
from flott.table.udf import udf
from flott.table.window import Session, Slide, Tumble

pytestmark = pytest.mark.job

ORDERS = [("ann", 3, "a"), ("bob", 4, None), ("ann", 5, "b")]


@pytest.fixture
def orders(t_env):
    return t_env.from_elements(ORDERS, ["user", "amount", "note"])


def final(table):
    with table.execute().collect() as changes:
        return sorted(final_rows(changes), key=repr)


def test_select(orders):
    table = orders.select(col("user"), (col("amount") * 2 + 1).alias("odd"))
    assert final(table) == [("ann", 11), ("ann", 7), ("bob", 9)]
    assert table.get_resolved_schema().get_column_names() == ["user", "odd"]


def test_where(orders):
    assert final(orders.where((col("amount") > 3) & (col("user") == "ann")).select(col("amount"))) == [(5,)]
    assert final(orders.filter(col("note").is_null).select(col("user"))) == [("bob",)]
    assert final(orders.filter(~col("user").in_("ann")).select(col("user"))) == [("bob",)]


def test_group_by(orders):
    table = orders.group_by(col("user")).select(
        col("user"), col("amount").sum.alias("total"), col("note").count.distinct
    )
    assert final(table) == [("ann", 8, 2), ("bob", 4, 0)]


def test_an_aggregate_of_all(orders):
    assert final(orders.select(col("amount").max, col("amount").avg)) == [(5, 4)]
    assert final(orders.select(col("amount").sum0, call("sum0", col("amount")))) == [(12, 12)]


def test_functions(orders):
    shout = udf(lambda text: text + "!", result_type=DataTypes.STRING())
    table = orders.select(
        call("UPPER", col("user")), shout(col("user")), concat(col("user"), "-", coalesce(col("note"), "none")),
        if_then_else(col("amount") > 3, "many", "few"),
    ).limit(1)  # fmt: skip
    assert final(table) == [("ANN", "ann!", "ann-a", "few")]


def test_columns(orders):
    assert final(orders.drop_columns(col("note")).add_columns((col("amount") + 1).alias("more")).limit(1)) == [
        ("ann", 3, 4)
    ]
    assert orders.rename_columns(col("user").alias("who")).get_resolved_schema().get_column_names()[0] == "who"
    with pytest.raises(TableError, match="did you mean 'note'"):
        orders.drop_columns("notes")


def test_order_by(orders):
    assert final(orders.order_by(col("amount").desc).limit(1)) == [("ann", 5, "b")]


def test_join(t_env, orders):
    people = t_env.from_elements([("ann", "Bonn")], ["name", "city"])
    inner = orders.join(people, col("user") == col("name")).select(col("amount"), col("city"))
    assert final(inner) == [(3, "Bonn"), (5, "Bonn")]
    left = orders.left_outer_join(people, col("user") == col("name")).select(col("amount"), col("city"))
    assert final(left) == [(3, "Bonn"), (4, None), (5, "Bonn")]
    with pytest.raises(TableError, match="both tables have a column 'user'"):
        orders.join(orders, lit(True))


def test_sets(orders):
    users = orders.select(col("user"))
    assert final(users.union_all(users)) == [("ann",)] * 4 + [("bob",)] * 2
    assert final(users.union(users)) == final(users.distinct()) == [("ann",), ("bob",)]


def test_rows_of_two_tables(t_env):
    one = t_env.from_elements([(1,), (1,), (2,)], ["a"])
    other = t_env.from_elements([(1,), (3,)], ["a"])
    assert final(one.intersect(other)) == [(1,)]
    assert final(one.intersect_all(one)) == [(1,), (1,), (2,)]
    assert final(one.minus(other)) == [(2,)]
    assert final(one.minus_all(other)) == [(1,), (2,)]


def test_one_of_a_table(t_env, orders):
    people = t_env.from_elements([("ann",), ("eve",)], ["name"])
    assert final(orders.where(col("user").in_(people)).select(col("amount"))) == [(3,), (5,)]
    assert final(orders.where(~col("user").in_(people)).select(col("amount"))) == [(4,)]


def test_windows(t_env):
    t_env.execute_sql(
        "CREATE TABLE clicks (k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'values', "
        """'data' = '[["a", "2020-01-01 00:00:01"], ["a", "2020-01-01 00:00:06"], ["b", "2020-01-01 00:00:12"]]')"""
    )
    clicks = t_env.from_path("clicks")
    tumble = clicks.window(Tumble.over(lit(10).seconds).on(col("ts")).alias("w"))
    table = tumble.group_by(col("w"), col("k")).select(
        col("k"), col("w").start.alias("since"), col("k").count.alias("n")
    )
    assert [(row[0], row[1].second, row[2]) for row in final(table)] == [("a", 0, 2), ("b", 10, 1)]
    slide = clicks.window(Slide.over(lit(10).seconds).every(lit(5).seconds).on(col("ts")).alias("w"))
    assert final(slide.group_by(col("w")).select(col("k").count)) == [(1,), (1,), (2,), (2,)]
    sessions = clicks.window(Session.with_gap(lit(6).seconds).on(col("ts")).alias("w")).group_by(col("w"), col("k"))
    found = final(sessions.select(col("k"), col("w").end.alias("until"), col("k").count.alias("n")))
    assert [(row[0], row[1].second, row[2]) for row in found] == [("a", 12, 2), ("b", 18, 1)]


def test_mistakes(orders):
    with pytest.raises(ValidationError, match="column 'amout' not found; did you mean 'amount'"):
        orders.select(col("amout"))
    with pytest.raises(TableError, match="no truth value"):
        orders.where(col("amount") > 3 and col("amount") < 5)


@pytest.mark.job
def test_to_pandas(orders):
    frame = orders.group_by(col("user")).select(col("user"), col("amount").sum.alias("total")).to_pandas()
    assert dict(zip(frame["user"], frame["total"], strict=True)) == {"ann": 8, "bob": 4}


def test_columns_take_the_place_of_others(t_env):
    table = t_env.from_elements([(1, "a")], ["id", "name"])
    made = table.add_or_replace_columns((col("id") + 1).alias("id"), lit("new").alias("more"))
    assert made.get_resolved_schema().get_column_names() == ["id", "name", "more"]
    assert final(made) == [(2, "a", "new")]


def test_what_has_no_name_is_called_as_in_flink(t_env):
    table = t_env.from_elements([(1, "a")], ["id", "name"])
    names = table.select(col("id") + 1, col("name"), col("id") * 2).get_resolved_schema().get_column_names()
    assert names == ["_c0", "name", "_c2"]
    groups = table.group_by(col("name")).select(col("name"), col("id").count, col("id").sum, col("id").sum + 1)
    assert groups.get_resolved_schema().get_column_names() == ["name", "EXPR$0", "EXPR$1", "_c3"]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("-123456789012345678901234567890123456.78", "DECIMAL(38, 2)"),
        ("123456789012345678901234567890123456.78", "DECIMAL(38, 2)"),
        ("1.50", "DECIMAL(3, 2)"),
        ("100", "DECIMAL(3, 0)"),
        ("0", "DECIMAL(1, 0)"),
        ("1E+2", "DECIMAL(3, 0)"),
        ("-1E-7", "DECIMAL(7, 7)"),
    ],
)
def test_decimals_as_constants_keep_digits_and_type(t_env, value, kind):
    table = t_env.sql_query("SELECT 1 AS one").select(lit(Decimal(value)))
    assert repr(table.get_resolved_schema().columns[0].data_type) == f"{kind} NOT NULL"
    with table.execute().collect() as found:
        assert [row[0] for row in found] == [Decimal(value)]


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_floats_that_are_not_numbers_are_constants(t_env, value):
    with t_env.sql_query("SELECT 1 AS one").select(lit(value)).execute().collect() as found:
        assert [repr(row[0]) for row in found] == [repr(value)]


def test_a_decimal_that_is_not_a_number_is_refused():
    with pytest.raises(TableError, match="can't stand in an expression"):
        lit(Decimal("NaN"))
