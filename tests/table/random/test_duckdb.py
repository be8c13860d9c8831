"""Random queries give the rows that DuckDB gives, in batch mode and in streaming mode."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from decimal import Decimal

import duckdb
import pytest
from tests.table.random.queries import Generator, rows

from flott.common import Configuration
from flott.errors import FlottError
from flott.table import EnvironmentSettings, TableEnvironment
from flott.table.errors import PlannerError, TableError
from flott.table.final_rows import final_rows

pytestmark = pytest.mark.corpus

FIRST, COUNT = (int(one) for one in os.environ.get("FLOTT_QUERIES", "0,400").split(","))
CHUNK = 20
MINIMUM_SHARE = 0.9
"""Of the queries that have to run: what Flott does not support yet is named when the query is planned."""
COLUMNS = {
    "a": "INT",
    "b": "INT",
    "c": "INT",
    "k": "INT",
    "v": "INT",
    "s": "{string}",
    "x": "DECIMAL(6, 2)",
    "ts": "TIMESTAMP(3)",
}
NAMES = {"t": "abs", "u": "acs", "v": "bcx"}


def tables(made):
    """The tables of a case with their columns."""
    columns = {**{name: list(letters) for name, letters in NAMES.items()}, "e": ["k", "v", "ts"]}
    return {name: (columns[name], made[name]) for name in columns}


def environment(mode, made, batch_size):
    config = Configuration().set_string("flott.execution.target", "in-process").set_string("parallelism.default", "1")
    builder = EnvironmentSettings.new_instance().with_configuration(config)
    t_env = TableEnvironment.create(
        (builder.in_batch_mode() if mode == "batch" else builder.in_streaming_mode()).build()
    )
    for name, (columns, given) in tables(made).items():
        kinds = ", ".join(f"{one} {COLUMNS[one].format(string='STRING')}" for one in columns)
        mark = ", WATERMARK FOR ts AS ts" if name == "e" else ""
        t_env.execute_sql(
            f"CREATE TABLE {name} ({kinds}{mark}) WITH ('connector' = 'values', 'batch-size' = '{batch_size}', "
            f"'data' = '{json.dumps(given)}')"
        )
    return t_env


def of_duckdb(made, text):
    with duckdb.connect() as connection:
        for name, (columns, given) in tables(made).items():
            kinds = ", ".join(f"{one} {COLUMNS[one].format(string='VARCHAR')}" for one in columns)
            connection.execute(f"CREATE TABLE {name} ({kinds})")
            if given:
                connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})", given)
        return counted(connection.execute(text).fetchall())


def counted(found):
    return Counter(tuple(map(plain, row)) for row in found)


def plain(value):
    return int(value) if isinstance(value, Decimal) and value == value.to_integral_value() else value


def problems(seed):
    """What differs for a seed, and whether Flott could plan the query."""
    draw = random.Random(seed)
    made, query = rows(draw), Generator(draw).query()
    wanted = of_duckdb(made, query.duckdb)
    without_rows = query.counting is not None and of_duckdb(made, query.counting) == Counter([(0,)])
    found, planned = [], True
    for mode in ("batch", "streaming"):
        try:
            t_env = environment(mode, made, 1 + seed % 3)
            with t_env.execute_sql(query.flott).collect() as changes:
                got = counted(final_rows(list(changes)))
        except FlottError as error:
            planned = False
            if isinstance(error, PlannerError) or not isinstance(error, TableError):
                found.append(f"seed {seed}, {mode}: {query.flott}\n  {error}")
            continue
        if got != (Counter() if without_rows and mode == "streaming" else wanted):
            found.append(
                f"seed {seed}, {mode}: {query.flott}\n  rows {made}\n  more {got - wanted}\n  less {wanted - got}"
            )
    return found, planned


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, CHUNK))
def test_random_queries_give_what_duckdb_gives(first):
    made = [problems(seed) for seed in range(first, first + CHUNK)]
    wrong = [problem for found, _ in made for problem in found]
    assert not wrong, "\n".join(wrong)
    assert sum(planned for _, planned in made) >= MINIMUM_SHARE * CHUNK
