"""Tables of pandas DataFrames, and aggregate functions of pandas series."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from flott.common import Configuration, Instant, Types
from flott.common.types import Row
from flott.datastream import StreamExecutionEnvironment
from flott.errors import FlottError
from flott.table import DataTypes, Schema, StreamTableEnvironment
from flott.table.errors import TableError
from flott.table.expressions import CURRENT_RANGE, CURRENT_ROW, UNBOUNDED_ROW, col, lit, row_interval
from flott.table.final_rows import final_rows
from flott.table.udf import AggregateFunction, udaf
from flott.table.window import Over, Session, Slide, Tumble

pytestmark = pytest.mark.job

mean = udaf(lambda prices: prices.mean(), result_type=DataTypes.DOUBLE(), func_type="pandas")
listed = udaf(lambda prices: str(prices.tolist()), result_type=DataTypes.STRING(), func_type="pandas")


def final(table):
    with table.execute().collect() as changes:
        return sorted(final_rows(changes), key=repr)


@pytest.fixture
def prices(t_env):
    kind = DataTypes.ROW(
        [DataTypes.FIELD("k", DataTypes.STRING()), DataTypes.FIELD("x", DataTypes.DOUBLE()),
         DataTypes.FIELD("n", DataTypes.INT())]
    )  # fmt: skip
    return t_env.from_elements([("a", 1.0, 2), ("a", 2.0, 3), ("b", 5.0, None)], kind)


@pytest.fixture
def timed():
    """Rows of the seconds 1 to 7, in a stream without names."""
    config = Configuration().set_string("flott.execution.target", "in-process").set_string("parallelism.default", "2")
    env = StreamExecutionEnvironment(config)
    kind = Types.ROW([Types.INSTANT(), Types.STRING(), Types.DOUBLE()])
    stream = env.from_collection([(Instant.of_epoch_milli(1000 * n), "A", float(n)) for n in range(1, 8)], kind)
    schema = Schema.new_builder().column_by_expression("ts", "CAST(f0 AS TIMESTAMP(3))").column("f1", "STRING")
    schema.column("f2", "DOUBLE").watermark("ts", "ts - INTERVAL '3' SECOND")
    return StreamTableEnvironment.create(env).from_data_stream(stream, schema.build())


def test_event_time_is_shown_in_schemas(timed, capsys):
    timed.print_schema()
    assert "`ts` TIMESTAMP(3) *ROWTIME*,\n" in capsys.readouterr().out


# -- DataFrames


def test_a_frame_goes_in_and_comes_out(t_env):
    frame = pd.DataFrame({"i": [1, 2], "f": [1.5, np.nan], "s": ["a", None], "l": [[1], [2, 3]]})
    table = t_env.from_pandas(frame)
    assert [repr(kind) for kind in table.get_resolved_schema().get_column_data_types()] == [
        "BIGINT", "DOUBLE", "STRING", "ARRAY<BIGINT>"
    ]  # fmt: skip
    assert final(table.where(col("i") == 1)) == [(1, 1.5, "a", [1])]


def test_a_frame_of_many_rows_is_dealt_out(environment):
    frame = pd.DataFrame({"n": np.arange(200_000)})
    table = environment(parallelism=2).from_pandas(frame, splits_num=4)
    assert final(table.select(col("n").count, col("n").sum)) == [(200_000, 199_999 * 100_000)]


@pytest.mark.parametrize(
    ("schema", "columns"),
    [
        (["a", "b"], "`a` BIGINT,\n  `b` STRING"),
        ([DataTypes.INT(), DataTypes.STRING()], "`i` INT,\n  `s` STRING"),
        (DataTypes.ROW([DataTypes.FIELD("x", DataTypes.INT()), DataTypes.FIELD("y", DataTypes.STRING())]),
         "`x` INT,\n  `y` STRING"),
    ],
)  # fmt: skip
def test_a_frame_with_names_or_types(t_env, capsys, schema, columns):
    t_env.from_pandas(pd.DataFrame({"i": [1], "s": ["a"]}), schema).print_schema()
    assert columns in capsys.readouterr().out


def test_what_is_wrong_with_a_frame_is_told(t_env):
    frame = pd.DataFrame({"i": [1], "s": ["a"]})
    with pytest.raises(TableError, match="3 columns, the DataFrame 2"):
        t_env.from_pandas(frame, DataTypes.ROW([DataTypes.FIELD(name, DataTypes.INT()) for name in "abc"]))
    with pytest.raises(TableError, match="column 's' is to be INT"):
        t_env.from_pandas(frame, [DataTypes.INT(), DataTypes.INT()])
    with pytest.raises(TableError, match="give a pandas DataFrame"):
        t_env.from_pandas([1])


# -- aggregates of series


def test_groups(prices):
    total = udaf(lambda x, n: x.max() + n.sum(), result_type=DataTypes.DOUBLE(), func_type="pandas")
    table = prices.group_by(col("k")).select(col("k"), mean(col("x")), total(col("x"), col("n")), col("x").sum)
    assert final(table) == [("a", 1.5, 7.0, 3.0), ("b", 5.0, 5.0, 5.0)]


def test_missing_values_are_seen(prices):
    missing = udaf(lambda n: int(n.isna().sum()), result_type=DataTypes.INT(), func_type="pandas")
    assert final(prices.select(missing(col("n")))) == [(1,)]


def test_a_group_whose_rows_are_taken_back(prices):
    counts = prices.group_by(col("k")).select(col("k"), col("x").count.alias("c"))
    assert final(counts.select(listed(col("c")))) in ([("[2, 1]",)], [("[1, 2]",)])


def test_whole_rows_come_as_a_frame(prices):
    kind = DataTypes.ROW([DataTypes.FIELD("high", DataTypes.DOUBLE()), DataTypes.FIELD("low", DataTypes.DOUBLE())])
    extremes = udaf(lambda frame: Row(frame.x.max(), frame.x.min()), result_type=kind, func_type="pandas")
    table = prices.group_by(col("k")).aggregate(extremes.alias("high", "low")).select(col("k"), col("high"), col("low"))
    assert final(table) == [("a", 2.0, 1.0), ("b", 5.0, 5.0)]


class Largest(AggregateFunction):
    def create_accumulator(self):
        return []

    def accumulate(self, accumulator, *args):
        accumulator.append(args[0].max())

    def get_value(self, accumulator):
        return accumulator[0]


def test_a_class_can_take_series(prices):
    largest = udaf(Largest(), result_type=DataTypes.DOUBLE(), func_type="pandas")
    assert final(prices.select(largest(col("x")))) == [(5.0,)]


def test_windows(timed):
    tumbled = timed.window(Tumble.over(lit(4).seconds).on(col("ts")).alias("w")).group_by(col("w"))
    assert final(tumbled.select(listed(col("f2")))) == [("[1.0, 2.0, 3.0]",), ("[4.0, 5.0, 6.0, 7.0]",)]
    slid = timed.window(Slide.over(lit(4).seconds).every(lit(2).seconds).on(col("ts")).alias("w")).group_by(col("w"))
    assert len(final(slid.select(mean(col("f2"))))) == 5
    session = timed.window(Session.with_gap(lit(4).seconds).on(col("ts")).alias("w")).group_by(col("w"), col("f1"))
    assert final(session.select(col("f1"), mean(col("f2")))) == [("A", 4.0)]


@pytest.mark.parametrize(
    ("window", "last"),
    [
        (Over.order_by(col("ts")).preceding(row_interval(2)).following(CURRENT_ROW), "[5.0, 6.0, 7.0]"),
        (Over.order_by(col("ts")).preceding(lit(1).seconds).following(CURRENT_RANGE), "[6.0, 7.0]"),
        (Over.order_by(col("ts")).preceding(UNBOUNDED_ROW), "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]"),
    ],
)
def test_over_windows(timed, window, last):
    found = final(timed.over_window(window.alias("w")).select(col("f2"), listed(col("f2")).over(col("w"))))
    assert (found[0], found[-1]) == ((1.0, "[1.0]"), (7.0, last))


def test_a_function_that_fails_is_named(prices):
    def strange(x):
        return x.nothing

    failing = udaf(strange, result_type=DataTypes.INT(), func_type="pandas")
    with pytest.raises(FlottError, match="function strange: AttributeError"):
        final(prices.select(failing(col("x"))))


def test_the_kind_of_a_function_is_checked():
    with pytest.raises(TableError, match="'general'"):
        udaf(lambda x: x, result_type=DataTypes.INT(), func_type="polars")
