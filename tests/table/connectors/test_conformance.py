"""The sources of tables go through the conformance kit; those of Kafka and PostgreSQL are those of streams."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.table.conftest import table_environment
from tests.table.connectors.program import source_of

from flott.table.connectors.arrow_source import ArrowSource
from flott.table.connectors.file_formats import LineFormat
from flott.table.connectors.lines_source import LinesSource
from flott.table.connectors.parquet_source import ParquetSource
from flott.table.connectors.values import RowsSource
from flott.table.runtime.line_parser import LineParser
from flott.table.types import DataTypes
from flott.testing.connectors import SOURCE_CHECKS, SourceCase

pytestmark = pytest.mark.job

TABLE = pa.table({"id": list(range(60)), "name": [f"name {number}" for number in range(60)]})
TYPES = [DataTypes.BIGINT(), DataTypes.STRING()]


def records(source):
    """Return all records of a source, in the form in which it gives them."""
    found, enumerator = [], source.create_enumerator(1)
    while True:
        plan = enumerator.plan(1.0, 0)
        found += [value for read in plan.reads[0] for batch in source.read(read) for value in batch.values]
        if plan.ended:
            return found


def arrow(folder):
    return ArrowSource(TABLE)


def values(folder):
    return RowsSource([(number, f"name {number}") for number in range(60)], 7)


def parquet(folder):
    for part in range(3):
        pq.write_table(TABLE.slice(part * 20, 20), folder / f"{part}.parquet", row_group_size=6)
    return ParquetSource(str(folder), TABLE.column_names, TYPES)


def lines(folder):
    (folder / "a.csv").write_text("".join(f"{number},name {number}\n" for number in range(60)))
    parser = LineParser(LineFormat("csv"), TABLE.column_names, TYPES, TABLE.column_names)
    return LinesSource(str(folder), parser, [None, None])


def from_sql(ddl):
    t_env = table_environment()
    t_env.execute_sql(ddl)
    return source_of(t_env, "t")


def json_files(folder):
    lines = [f'{{"id": {number}, "name": "name {number}"}}\n' for number in range(60)]
    for day in range(3):
        (folder / f"day=d{day}").mkdir()
        (folder / f"day=d{day}" / "a.json").write_text("".join(lines[day::3]))
    return from_sql(
        "CREATE TABLE t (id BIGINT, name STRING, day STRING) PARTITIONED BY (day) "
        f"WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json')"
    )


def datagen(folder):
    return from_sql(
        "CREATE TABLE t (id BIGINT, name STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '60', "
        "'rows-per-second' = '-1', 'fields.name.length' = '5')"
    )


@pytest.mark.parametrize("check", SOURCE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(
    "source", [arrow, values, parquet, lines, json_files, datagen], ids=lambda source: source.__name__
)
def test_sources(source, check, tmp_path):
    made = source(tmp_path)
    expected = records(made)
    assert len(expected) == 60
    check(SourceCase(lambda: made, expected=expected))


def test_files_that_come_later_do_not_move_a_restored_position(tmp_path):
    source = parquet(tmp_path)
    enumerator = source.create_enumerator(1)
    first = enumerator.plan(0.1, 0)
    kept = enumerator.snapshot()
    pq.write_table(TABLE, tmp_path / "0-earlier.parquet")
    again = source.create_enumerator(1)
    again.restore(kept)
    rest = again.plan(100.0, 0)
    assert rest.ended
    reads = [*first.reads[0], *rest.reads[0]]
    assert sum(len(batch) for read in reads for batch in source.read(read)) == 60
