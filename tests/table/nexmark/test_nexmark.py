"""Nexmark, in streaming and in batch mode, ends in the same table as a batch computation of the same events."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
import yaml
from tests.table.nexmark import events

from flott.common.types import RowKind
from flott.table import DataTypes
from flott.table.final_rows import final_rows
from flott.table.udf import udf

pytestmark = pytest.mark.job

duckdb = pytest.importorskip("duckdb")
HERE = Path(__file__).parent
QUERIES = yaml.safe_load((HERE / "queries.yaml").read_text(encoding="utf-8"))
EVENTS = 2000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("nexmark")
    events.write(path, EVENTS)
    (path / "side_input.csv").write_text("".join(f"{number},{number}\n" for number in range(60)))
    return path


@pytest.fixture(scope="module")
def duck(folder):
    connection = duckdb.connect()
    for name in events.TABLES:
        connection.read_parquet(str(folder / f"{name}.parquet")).create_view(name)
    yield connection
    connection.close()


def comparable(rows):
    def plain(value):
        return round(float(value), 6) if isinstance(value, (Decimal, float)) else value

    return sorted((tuple(map(plain, row)) for row in rows), key=repr)


@pytest.mark.parametrize("mode", ["STREAMING", "BATCH"])
@pytest.mark.parametrize("name", QUERIES)
def test_ends_in_the_same_table(name, mode, folder, duck, environment):
    t_env = environment(parallelism=2, execution__runtime_mode=mode)
    events.create_tables(t_env, folder)
    t_env.create_temporary_system_function(
        "count_char", udf(lambda text, letter: text.count(letter), result_type=DataTypes.BIGINT())
    )
    t_env.execute_sql(
        "CREATE TABLE side_input (key BIGINT, `value` STRING) "
        f"WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{folder / 'side_input.csv'}')"
    )
    with t_env.execute_sql(QUERIES[name]["flott"]).collect() as rows:
        changes = list(rows)
    assert mode == "STREAMING" or all(change.get_row_kind() is RowKind.INSERT for change in changes)
    found = comparable(final_rows(changes))
    wanted = comparable(duck.execute(QUERIES[name]["duck"]).fetchall())
    assert len(wanted) > 0
    assert found == wanted
