"""What a function of the user's returned for one row stays as it is, whatever the function does with it later."""

from __future__ import annotations

import pytest

from flott.common.types import Row
from flott.table import DataTypes
from flott.table.expressions import col
from flott.table.final_rows import final_rows
from flott.table.udf import AsyncScalarFunction, ScalarFunction, TableAggregateFunction, TableFunction, udf, udtaf, udtf

pytestmark = pytest.mark.job

NUMBERS = DataTypes.ARRAY(DataTypes.BIGINT())
EXPECTED = [([1],), ([1, 2],), ([1, 2, 3],)]


class Seen(ScalarFunction):
    """Keeps the list that it returns, and adds to it."""

    def __init__(self):
        self.seen = []

    def eval(self, number):
        self.seen.append(number)
        return self.seen


class SeenLater(AsyncScalarFunction):
    def __init__(self):
        self.seen = []

    async def eval(self, number):
        self.seen.append(number)
        return self.seen


class Emitting(TableFunction):
    def __init__(self):
        self.seen = []

    def eval(self, number):
        self.seen.append(number)
        yield Row(self.seen)


class Growing(TableAggregateFunction):
    """Emits the same row three times, and changes it in between."""

    def create_accumulator(self):
        return []

    def accumulate(self, accumulator, number):
        accumulator.append(number)

    def emit_value(self, accumulator):
        row = Row([])
        for number in accumulator:
            row[0].append(number)
            yield row

    def get_result_type(self):
        return DataTypes.ROW([DataTypes.FIELD("seen", NUMBERS)])

    def get_accumulator_type(self):
        return NUMBERS


@pytest.fixture
def numbers(t_env):
    return t_env.from_elements([(1,), (2,), (3,)], ["n"])


def collected(table):
    with table.execute().collect() as rows:
        return [tuple(row) for row in rows]


@pytest.mark.parametrize("function", [Seen, SeenLater])
def test_scalar_functions(numbers, function):
    seen = udf(function(), result_type=NUMBERS)
    assert collected(numbers.select(seen(col("n")))) == EXPECTED


def test_table_functions(numbers):
    emitting = udtf(Emitting(), result_types=[NUMBERS])
    assert collected(numbers.join_lateral(emitting(col("n")).alias("seen")).select(col("seen"))) == EXPECTED


def test_table_aggregate_functions(numbers):
    table = numbers.flat_aggregate(udtaf(Growing())(col("n")).alias("seen")).select(col("seen"))
    with table.execute().collect() as changes:
        assert sorted(tuple(row) for row in final_rows(changes)) == EXPECTED
