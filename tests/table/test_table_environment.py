from __future__ import annotations

import csv
import json

import pyarrow.parquet as pq
import pytest

from flott.common import Configuration, Row, RowKind, Types
from flott.datastream import StreamExecutionEnvironment
from flott.errors import FlottError
from flott.table import DataTypes, ExplainDetail, Schema, StreamTableEnvironment, TableDescriptor
from flott.table.errors import NotYetError, TableError
from flott.table.final_rows import final_rows
from flott.table.udf import AggregateFunction, ScalarFunction, udaf, udf

pytestmark = pytest.mark.job


def rows(result):
    with result.collect() as found:
        return [list(row) for row in found]


# DDL


def test_describe(t_env):
    t_env.execute_sql(
        "CREATE TABLE t (id BIGINT NOT NULL, at TIMESTAMP(3), twice AS id * 2, "
        "WATERMARK FOR at AS at - INTERVAL '1' SECOND, "
        "PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'datagen')"
    )
    assert rows(t_env.execute_sql("DESCRIBE t")) == [
        ["id", "BIGINT", "FALSE", "PRI(id)", None, None],
        ["at", "TIMESTAMP(3) *ROWTIME*", "TRUE", None, None, "`at` (at - 0:00:01)"],
        ["twice", "BIGINT", "FALSE", None, "AS (id * 2)", None],
    ]


def test_show_create_makes_the_same_table_again(t_env):
    t_env.execute_sql(
        "CREATE TABLE t (id BIGINT, at TIMESTAMP(3), twice AS id * 2, WATERMARK FOR at AS at - INTERVAL '1' SECOND) "
        "WITH ('connector' = 'datagen', 'number-of-rows' = '2')"
    )
    [[text]] = rows(t_env.execute_sql("SHOW CREATE TABLE t"))
    described = rows(t_env.execute_sql("DESCRIBE t"))
    t_env.execute_sql("DROP TABLE t")
    t_env.execute_sql(text)
    assert rows(t_env.execute_sql("DESCRIBE t")) == described


def test_catalogs_and_databases(t_env):
    t_env.execute_sql("CREATE DATABASE shop")
    t_env.execute_sql("USE shop")
    t_env.execute_sql("CREATE TABLE orders (id INT) WITH ('connector' = 'datagen')")
    assert t_env.list_tables() == ["orders"]
    t_env.execute_sql("CREATE CATALOG other WITH ('type' = 'generic_in_memory')")
    t_env.execute_sql("USE CATALOG other")
    assert t_env.list_tables() == []
    assert t_env.from_path("default_catalog.shop.orders").get_resolved_schema().get_column_names() == ["id"]
    with pytest.raises(TableError, match="holds tables"):
        t_env.execute_sql("DROP DATABASE default_catalog.shop")


def test_like_takes_over_columns_and_options(t_env):
    t_env.execute_sql("CREATE TABLE a (id INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1')")
    t_env.execute_sql("CREATE TABLE b (name STRING) WITH ('number-of-rows' = '2') LIKE a")
    assert len(rows(t_env.execute_sql("SELECT id, name FROM b"))) == 2


def test_a_table_is_made_once(t_env):
    t_env.execute_sql("CREATE TABLE a (id INT) WITH ('connector' = 'datagen')")
    t_env.execute_sql("CREATE TABLE IF NOT EXISTS a (id INT) WITH ('connector' = 'datagen')")
    with pytest.raises(TableError, match="IF NOT EXISTS"):
        t_env.execute_sql("CREATE TABLE a (id INT) WITH ('connector' = 'datagen')")


def test_set(t_env):
    t_env.execute_sql("SET 'table.local-time-zone' = 'Europe/Berlin'")
    assert rows(t_env.execute_sql("SELECT HOUR(TO_TIMESTAMP_LTZ(0, 3))")) == [[1]]
    with pytest.raises(TableError, match="no such time zone"):
        t_env.execute_sql("SET 'table.local-time-zone' = 'Mars'")


# Sources and sinks


def test_datagen_gives_the_same_rows_each_time(t_env):
    t_env.execute_sql(
        "CREATE TABLE g (id INT, user_id BIGINT, name STRING) WITH ('connector' = 'datagen', 'rows-per-second' = '0', "
        "'fields.id.kind' = 'sequence', 'fields.id.start' = '5', 'fields.id.end' = '7', "
        "'fields.user_id.min' = '1', 'fields.user_id.max' = '3', 'fields.name.length' = '4')"
    )
    first = rows(t_env.execute_sql("SELECT * FROM g"))
    assert [row[0] for row in first] == [5, 6, 7]
    assert all(1 <= row[1] <= 3 and len(row[2]) == 4 for row in first)
    assert rows(t_env.execute_sql("SELECT * FROM g")) == first


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_what_is_written_to_files_is_read_back(t_env, tmp_path, form):
    columns = "id BIGINT, name STRING, price DECIMAL(10, 2), at TIMESTAMP(3), ok BOOLEAN"
    t_env.execute_sql(
        f"CREATE TABLE files ({columns}) WITH ('connector' = 'filesystem', 'format' = '{form}', 'path' = '{tmp_path}')"
    )
    values = (
        "VALUES (1, 'a,\"b', 1.50, TIMESTAMP '2020-01-31 12:00:00.5', TRUE), "
        "(2, 'c', 20.25, TIMESTAMP '2020-01-31 12:00:01.0', FALSE)"
    )
    t_env.execute_sql(f"INSERT INTO files {values}").wait()
    assert sorted(rows(t_env.execute_sql("SELECT * FROM files"))) == sorted(rows(t_env.execute_sql(values)))


def test_files_are_what_others_read(t_env, tmp_path):
    for form in ("csv", "json", "parquet"):
        t_env.execute_sql(
            f"CREATE TABLE {form}_files (id INT, name STRING) "
            f"WITH ('connector' = 'filesystem', 'format' = '{form}', 'path' = '{tmp_path / form}')"
        )
        t_env.sql_query("VALUES (1, 'x y')").execute_insert(f"{form}_files").wait()
    [text] = (tmp_path / "csv").glob("*.csv")
    assert list(csv.reader(text.read_text().splitlines())) == [["1", "x y"]]
    [lines] = (tmp_path / "json").glob("*.json")
    assert json.loads(lines.read_text()) == {"id": 1, "name": "x y"}
    assert pq.read_table(tmp_path / "parquet").to_pylist() == [{"id": 1, "name": "x y"}]


def test_a_line_that_can_not_be_read(t_env, tmp_path):
    (tmp_path / "a.csv").write_text("1,2\n3\n", encoding="utf-8")
    options = f"'connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path}'"
    t_env.execute_sql(f"CREATE TABLE strict (a INT, b INT) WITH ({options})")
    t_env.execute_sql(f"CREATE TABLE lenient (a INT, b INT) WITH ({options}, 'csv.ignore-parse-errors' = 'true')")
    assert rows(t_env.execute_sql("SELECT * FROM lenient")) == [[1, 2]]
    with pytest.raises(Exception, match="it has 1 values for 2 columns"):
        rows(t_env.execute_sql("SELECT * FROM strict"))


def test_print(t_env, capsys):
    t_env.execute_sql("CREATE TABLE out (k STRING, n BIGINT) WITH ('connector' = 'print')")
    t_env.execute_sql("INSERT INTO out SELECT k, COUNT(*) FROM (VALUES ('a'), ('a')) AS t(k) GROUP BY k").wait()
    assert capsys.readouterr().out == "+I[a, 1]\n-U[a, 1]\n+U[a, 2]\n"


def test_files_take_no_updates(t_env, tmp_path):
    t_env.execute_sql(
        f"CREATE TABLE f (n BIGINT) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{tmp_path}')"
    )
    with pytest.raises(TableError, match=r"only takes new rows, but this query updates .*GroupAggregate"):
        t_env.execute_sql("INSERT INTO f SELECT COUNT(*) FROM (VALUES (1)) AS t(v)")


def test_insert_checks_columns(t_env):
    t_env.execute_sql("CREATE TABLE out (id BIGINT, name STRING) WITH ('connector' = 'blackhole')")
    with pytest.raises(TableError, match="takes 2 columns"):
        t_env.execute_sql("INSERT INTO out SELECT 1")
    with pytest.raises(TableError, match="column 'name' is STRING, and the query gives INT"):
        t_env.execute_sql("INSERT INTO out SELECT 1, 2")
    t_env.execute_sql("INSERT INTO out (id) SELECT 1").wait()


def test_several_inserts_are_one_job(t_env, capsys):
    for name in ("one", "two"):
        t_env.execute_sql(f"CREATE TABLE {name} (v INT) WITH ('connector' = 'print', 'print-identifier' = '{name}')")
    t_env.execute_sql(
        "EXECUTE STATEMENT SET BEGIN INSERT INTO one VALUES (1); INSERT INTO two SELECT CASE WHEN TRUE THEN 2 END; END"
    ).wait()
    assert sorted(capsys.readouterr().out.splitlines()) == ["one> +I[1]", "two> +I[2]"]


# Plans


def test_explain_shows_all_three_plans(t_env):
    t_env.execute_sql("CREATE TABLE t (k INT, v INT) WITH ('connector' = 'datagen')")
    text = t_env.explain_sql("SELECT k, SUM(v) FROM t WHERE v > 1 + 1 GROUP BY k", ExplainDetail.CHANGELOG_MODE)
    assert "== Abstract Syntax Tree ==" in text
    assert "where=[(v > (1 + 1))]" in text
    assert "where=[(v > 2)]" in text
    assert "GroupAggregate(groupBy=[k], select=[SUM($1) AS EXPR$0], exchange=[hash], changelogMode=[I,UB,UA,D])" in text


def test_a_condition_moves_below_a_join(t_env):
    t_env.execute_sql("CREATE TABLE a (k INT, v INT) WITH ('connector' = 'datagen')")
    t_env.execute_sql("CREATE TABLE b (k INT, w INT) WITH ('connector' = 'datagen')")
    text = t_env.explain_sql("SELECT v, w FROM a JOIN b ON a.k = b.k WHERE v > 1 AND w > 2")
    physical = text.split("== Physical Plan ==")[1]
    assert physical.index("Join(") < physical.index("where=[(v > 1)]")
    assert physical.index("Join(") < physical.index("where=[(w > 2)]")


# Functions


class Longest(AggregateFunction):
    def create_accumulator(self):
        return [""]

    def accumulate(self, accumulator, value):
        accumulator[0] = max(accumulator[0], value, key=len)

    def get_value(self, accumulator):
        return accumulator[0]


class Greet(ScalarFunction):
    def open(self, function_context):
        self.word = "hello"

    def eval(self, name):
        return f"{self.word} {name}"


def test_functions_of_the_users(t_env):
    t_env.create_temporary_system_function("twice", udf(lambda v: v * 2, result_type="BIGINT"))
    t_env.create_temporary_system_function("greet", udf(Greet(), result_type=DataTypes.STRING()))
    t_env.create_temporary_system_function(
        "plus", udf(lambda a, b: a + b, result_type=DataTypes.BIGINT(), func_type="pandas")
    )
    found = rows(t_env.execute_sql("SELECT twice(v), greet(n), plus(v, 1) FROM (VALUES (1, 'a')) AS t(v, n)"))
    assert found == [[2, "hello a", 2]]


def test_an_aggregate_of_the_users(t_env):
    t_env.create_temporary_system_function("longest", udaf(Longest(), result_type=DataTypes.STRING()))
    with t_env.execute_sql("SELECT longest(n) FROM (VALUES ('a'), ('ccc'), ('bb')) AS t(n)").collect() as changes:
        assert final_rows(changes) == [("ccc",)]
    with pytest.raises(NotYetError, match="give it a method retract"):
        t_env.execute_sql("SELECT longest(m) FROM (SELECT k, MAX(n) AS m FROM (VALUES (1, 'a')) AS t(k, n) GROUP BY k)")


def test_a_function_that_fails_says_so(t_env):
    t_env.create_temporary_system_function("broken", udf(lambda v: v / 0, result_type="DOUBLE"))
    with pytest.raises(Exception, match="function broken: ZeroDivisionError"):
        rows(t_env.execute_sql("SELECT broken(1)"))


# Streams


@pytest.fixture
def stream_env():
    config = Configuration().set_string("flott.execution.target", "in-process").set_string("parallelism.default", "2")
    env = StreamExecutionEnvironment(config)
    return env, StreamTableEnvironment.create(env)


ORDER = Types.ROW_NAMED(["user", "amount", "at"], [Types.STRING(), Types.LONG(), Types.SQL_TIMESTAMP()])


def test_a_stream_is_a_table(stream_env):
    env, t_env = stream_env
    stream = env.from_collection([("ann", 3), ("bob", 4)], Types.TUPLE([Types.STRING(), Types.LONG()]))
    t_env.create_temporary_view(
        "orders", t_env.from_data_stream(stream.map(lambda order: order, stream.get_type())).alias("user", "amount")
    )
    assert sorted(rows(t_env.execute_sql("SELECT `user`, amount * 2 FROM orders"))) == [["ann", 6], ["bob", 8]]


def test_a_table_is_a_stream(stream_env):
    _, t_env = stream_env
    table = t_env.sql_query("SELECT v, v * 2 AS w FROM (VALUES (1), (2)) AS t(v)")
    stream = t_env.to_data_stream(table).map(lambda row: row.v + row["w"], Types.LONG())
    with stream.execute_and_collect() as found:
        assert sorted(found) == [3, 6]


def test_a_table_that_updates_is_a_changelog(stream_env):
    _, t_env = stream_env
    table = t_env.sql_query("SELECT COUNT(*) AS n FROM (VALUES (1), (2)) AS t(v)")
    with pytest.raises(TableError, match="to_changelog_stream"):
        t_env.to_data_stream(table)
    with t_env.to_changelog_stream(table).execute_and_collect() as found:
        assert [(str(row.get_row_kind()), row.n) for row in found] == [("+I", 1), ("-U", 1), ("+U", 2)]


def test_a_changelog_is_a_table(stream_env):
    env, t_env = stream_env
    kind = Types.ROW_NAMED(["id", "v"], [Types.INT(), Types.INT()])
    changes = [
        Row.of_kind(RowKind.INSERT, 1, 5),
        Row.of_kind(RowKind.UPDATE_BEFORE, 1, 5),
        Row.of_kind(RowKind.UPDATE_AFTER, 1, 7),
    ]
    table = t_env.from_changelog_stream(env.from_collection(changes, kind))
    t_env.create_temporary_view("t", table)
    with t_env.execute_sql("SELECT SUM(v) FROM t").collect() as found:
        assert final_rows(found) == [(7,)]


def test_a_schema_adds_event_time(stream_env):
    env, t_env = stream_env
    import datetime as dt

    orders = [("ann", 3, dt.datetime(2020, 1, 1, 0, 0, 1)), ("ann", 4, dt.datetime(2020, 1, 1, 0, 0, 11))]  # noqa: DTZ001
    schema = (
        Schema.new_builder()
        .column("user", "STRING")
        .column("amount", "BIGINT")
        .column("at", "TIMESTAMP(3)")
        .watermark("at", "`at`")
        .build()
    )
    t_env.create_temporary_view("orders", env.from_collection(orders, ORDER), schema)
    found = rows(
        t_env.execute_sql(
            "SELECT SUM(amount) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(`at`), INTERVAL '10' SECOND)) "
            "GROUP BY window_start, window_end"
        )
    )
    assert sorted(found) == [[3], [4]]


def test_a_table_by_descriptor(t_env):
    descriptor = (
        TableDescriptor.for_connector("datagen")
        .schema(Schema.new_builder().column("id", DataTypes.INT()).build())
        .option("number-of-rows", 3)
        .option("rows-per-second", 0)
        .build()
    )
    t_env.create_temporary_table("t", descriptor)
    assert len(rows(t_env.execute_sql("SELECT id FROM t"))) == 3


def test_a_schema_computes_columns_of_fields_that_it_leaves_out(stream_env):
    env, t_env = stream_env
    stream = env.from_collection([("7", "ann", 2.5)], Types.TUPLE([Types.STRING(), Types.STRING(), Types.DOUBLE()]))
    schema = Schema.new_builder().column("f2", "FLOAT").column_by_expression("id", "CAST(f0 AS INT)").build()
    assert rows(t_env.from_data_stream(stream, schema).execute()) == [[2.5, 7]]


def test_a_schema_puts_fields_into_its_own_order(stream_env):
    env, t_env = stream_env
    stream = env.from_collection([("7", "ann")], Types.TUPLE([Types.STRING(), Types.STRING()]))
    schema = Schema.new_builder().column("f1", "STRING").column("f0", "STRING").build()
    assert rows(t_env.from_data_stream(stream, schema).execute()) == [["ann", "7"]]
    with pytest.raises(TableError, match=r"'f3'.*no such field"):
        t_env.from_data_stream(stream, Schema.new_builder().column("f3", "STRING").build())


def test_a_stream_whose_schema_has_a_key_is_a_table_with_versions(stream_env):
    env, t_env = stream_env
    kind = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG()])
    with_time = Schema.new_builder().column_by_expression("at", "TO_TIMESTAMP_LTZ(f2, 3)").watermark("at", "at")
    t_env.create_temporary_view("orders", env.from_collection([("a", 1, 5), ("a", 2, 25)], kind), with_time.build())
    rates = env.from_collection([("a", 10, 0), ("a", 20, 20)], kind)
    t_env.create_temporary_view("rates", rates, with_time.primary_key("f0").build())
    query = "SELECT o.f1, r.f1 FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.at AS r ON o.f0 = r.f0"
    assert rows(t_env.execute_sql(query)) == [[1, 10], [2, 20]]


def test_reset(t_env):
    config = t_env.get_config()
    before = config.get_configuration().to_dict()
    t_env.execute_sql("SET 'table.exec.state.ttl' = '1 h'")
    t_env.execute_sql("SET 'parallelism.default' = '7'")
    t_env.execute_sql("RESET 'table.exec.state.ttl'")
    assert config.get_configuration().to_dict() == before | {"parallelism.default": "7"}
    t_env.execute_sql("RESET")
    assert config.get_configuration().to_dict() == before


def test_lines_that_can_not_be_read_are_counted(t_env, tmp_path):
    (tmp_path / "a.json").write_text('{"a": 1}\n{"a": 9223372036854775808}\nnothing\n{"a": 2}\n', encoding="utf-8")
    options = f"'connector' = 'filesystem', 'format' = 'json', 'path' = '{tmp_path}'"
    t_env.execute_sql(f"CREATE TABLE strict (a BIGINT) WITH ({options})")
    t_env.execute_sql(f"CREATE TABLE lenient (a BIGINT) WITH ({options}, 'json.ignore-parse-errors' = 'true')")
    result = t_env.execute_sql("SELECT * FROM lenient")
    assert rows(result) == [[1], [None], [2]]
    counts = result.get_job_client().master.counts
    assert sum(count for name, count in counts.items() if name.endswith(".numParseErrors")) == 2
    with pytest.raises(Exception, match=r"line 3 of '.*a\.json': .*'json\.ignore-parse-errors' = 'true'"):
        rows(t_env.execute_sql("SELECT * FROM strict"))


@pytest.mark.parametrize(
    "expression",
    [
        "DATE '9999-12-31' + INTERVAL '1' DAY",
        "DATE '0001-01-01' - INTERVAL '1' DAY",
        "CEIL(DATE '9999-12-31' TO YEAR)",
        "TIMESTAMP '9999-12-31 23:59:59' + INTERVAL '1' SECOND",
    ],
)
def test_years_that_python_does_not_have_are_named(t_env, expression):
    with pytest.raises(FlottError, match="not in the years 1 to 9999"):
        rows(t_env.execute_sql(f"SELECT {expression}"))
    if expression.startswith("DATE"):
        [[text]] = rows(t_env.execute_sql(f"SELECT CAST({expression} AS STRING)"))
        assert text in {"10000-01-01", "0000-12-31"}
