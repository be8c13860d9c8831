"""Columns that tell about the file of a row."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from flott.errors import FlottError

pytestmark = pytest.mark.job


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_files(t_env, tmp_path, form):
    for number in (1, 2):
        path = tmp_path / f"part-{number}.{form}"
        if form == "parquet":
            pq.write_table(pa.table({"id": [number], "name": ["x"]}), path)
        else:
            path.write_text(f"{number},x\n" if form == "csv" else f'{{"id": {number}, "name": "x"}}\n')
    size = (tmp_path / f"part-1.{form}").stat().st_size
    t_env.execute_sql(
        "CREATE TABLE t (file STRING METADATA FROM 'file.name' VIRTUAL, id BIGINT, "
        "bytes BIGINT METADATA FROM 'file.size' VIRTUAL, name STRING) "
        f"WITH ('connector' = 'filesystem', 'format' = '{form}', 'path' = '{tmp_path}')"
    )
    with t_env.execute_sql("SELECT id, file, bytes FROM t").collect() as rows:
        assert sorted(map(tuple, rows)) == [(1, f"part-1.{form}", size), (2, f"part-2.{form}", size)]
    with t_env.execute_sql("SELECT COUNT(*), MAX(file) FROM t").collect() as rows:
        assert tuple(list(rows)[-1]) == (2, f"part-2.{form}")


def test_mistakes(t_env):
    with_files = "WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = 'x')"
    t_env.execute_sql(f"CREATE TABLE a (file STRING METADATA FROM 'file.nam' VIRTUAL) {with_files}")
    with pytest.raises(FlottError, match=r"no metadata 'file.nam'; did you mean 'file.name'\?"):
        t_env.execute_sql("SELECT * FROM a")
    t_env.execute_sql(f"CREATE TABLE b (id INT, s STRING METADATA FROM 'file.size' VIRTUAL) {with_files}")
    with pytest.raises(FlottError, match=r"'file.size' is BIGINT, not STRING"):
        t_env.execute_sql("SELECT * FROM b")
    t_env.execute_sql(
        "CREATE TABLE c (x STRING METADATA FROM 'a' VIRTUAL) WITH ('connector' = 'values', 'data' = '[]')"
    )
    with pytest.raises(FlottError, match="has no metadata 'a'; it has none"):
        t_env.execute_sql("SELECT * FROM c")
