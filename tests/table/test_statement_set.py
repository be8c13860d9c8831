"""Several INSERTs as one job: each table gets its own rows, and what the INSERTs share runs once."""

# ruff: noqa: S608 - our own words

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys

import pytest
from tests.waiting import PATIENCE

from flott.table.physical.translate import Translator
from flott.table.plan.nodes import Scan, one_row
from flott.table.rules.optimise import optimise
from flott.table.sql.parse import parse_statement
from flott.table.udf import udf

MANY = 25
ROWS = json.dumps([[number] for number in range(5)])
PROGRAM = """
import sys
from flott.common import Configuration
from flott.table import EnvironmentSettings, TableEnvironment

config = Configuration().set_string("flott.execution.target", "in-process")
t_env = TableEnvironment.create(EnvironmentSettings.new_instance().with_configuration(config).build())
folder, data, many = sys.argv[1], sys.argv[2], int(sys.argv[3])
t_env.execute_sql(f"CREATE TABLE t (v INT) WITH ('connector' = 'values', 'data' = '{data}')")
inserts = t_env.create_statement_set()
for number in range(many):
    t_env.execute_sql(
        f"CREATE TABLE s{number} (v INT, n INT) "
        f"WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{folder}/s{number}')"
    )
    given = f"SELECT v + {number} AS v, 1 AS n FROM t WHERE v <> 0 UNION ALL SELECT v, {number} FROM t WHERE v = 0"
    inserts.add_insert_sql(f"INSERT INTO s{number} SELECT v, n FROM ({given})")
inserts.execute().wait()
"""


@pytest.mark.job
@pytest.mark.parametrize("seed", ["1", "3"])
def test_each_table_gets_the_rows_of_its_own_query(tmp_path, seed):
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path), ROWS, str(MANY)], env=environment, check=True, timeout=PATIENCE
    )
    for number in range(MANY):
        files = [one for one in (tmp_path / f"s{number}").iterdir() if one.is_file()]
        found = [json.loads(line) for one in files for line in one.read_text().splitlines()]
        wanted = [{"v": 0, "n": number}, *({"v": v + number, "n": 1} for v in range(1, 5))]
        assert sorted(found, key=lambda row: row["v"]) == wanted


def test_a_node_with_the_identity_of_a_freed_one_has_its_own_step(t_env):
    translator = Translator(t_env.planner.settings())
    seen = {}
    for number in range(200):
        node = one_row()
        step = translator.translate(node)
        assert seen.setdefault(id(step), number) == number
        del node, step
        gc.collect()


# What is shared


def plans_of(t_env, *queries):
    return optimise(*(t_env.planner.query(parse_statement(query)) for query in queries))


def scans(plans):
    found = {id(node): node for plan in plans for node in plan.walk() if isinstance(node, Scan)}
    return [[field.name for field in node.fields] for node in found.values()]


@pytest.fixture
def files(t_env):
    t_env.execute_sql(
        "CREATE TABLE one (id BIGINT, a BIGINT, b BIGINT, c STRING, at TIMESTAMP(3), twice AS a * 2, "
        "WATERMARK FOR at AS at - INTERVAL '1' SECOND) "
        "WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = 'one')"
    )
    t_env.execute_sql(
        "CREATE TABLE other (id BIGINT, a BIGINT, b BIGINT, c STRING) "
        "WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = 'other')"
    )
    return t_env


def test_a_table_is_read_once_with_the_columns_that_any_insert_takes(files):
    assert scans(plans_of(files, "SELECT a FROM other WHERE c = 'x'", "SELECT id FROM other")) == [["id", "a", "c"]]
    queries = ["SELECT a FROM one WHERE c = 'x'", "SELECT twice, id FROM one", "SELECT MAX(id) FROM one GROUP BY c"]
    assert scans(plans_of(files, *queries)) == [["id", "a", "c", "at"]]
    assert scans(plans_of(files, "SELECT b FROM one")) == [["b", "at"]]


def test_a_source_with_watermarks_is_one_step(files):
    plans = plans_of(files, "SELECT a FROM one WHERE c = 'x'", "SELECT twice, id FROM one")
    translator = Translator(files.planner.settings())
    found = {id(step): step for plan in plans for step in steps(translator.translate(plan))}
    assert sum(step.source is not None for step in found.values()) == 1


def steps(step):
    yield step
    for below in step.inputs:
        yield from steps(below)


def test_groups_are_counted_once(files):
    count = "SELECT id, COUNT(*) AS n FROM other GROUP BY id"
    first, second = plans_of(files, f"SELECT n FROM ({count})", f"SELECT n, id FROM ({count})")
    assert first.input is second.input


def test_unions_of_more_and_of_fewer_parts_are_different(t_env):
    row = "(ARRAY[1])"
    first, second, third = plans_of(t_env, f"VALUES {row}, {row}", f"VALUES {row}", f"VALUES {row}, {row}")
    assert first is third
    assert first is not second


def test_many_inserts_read_one_source(t_env):
    t_env.execute_sql("CREATE TABLE t (v INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
    t_env.execute_sql("CREATE TABLE s (v INT) WITH ('connector' = 'blackhole')")
    nodes = [t_env.planner.insert(parse_statement(f"INSERT INTO s SELECT v + {n} FROM t")) for n in range(MANY)]
    t_env.planner.sinks(nodes)
    graph = json.loads(t_env.planner.environment.get_execution_plan())
    assert [node["type"].startswith("Source: ") for node in graph["nodes"]].count(True) == 1


@udf(result_type="INT", deterministic=False)
def drawn(number):
    return number


@udf(result_type="INT")
def added(number):
    return number


@pytest.mark.parametrize(("name", "shared"), [("drawn", False), ("added", True)])
def test_what_may_differ_each_time_is_computed_each_time(files, name, shared):
    files.create_temporary_system_function("drawn", drawn)
    files.create_temporary_system_function("added", added)
    query = f"SELECT {name}(CAST(a AS INT)) AS v FROM other"
    first, second = plans_of(files, query, query)
    assert (first is second) == shared
