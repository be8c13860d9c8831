"""'sink.partition-commit…' in SQL; what it does over restarts is tested with the file sink."""

from __future__ import annotations

import pytest

from flott.connectors.partition_commit import PartitionCommitPolicy
from flott.table.errors import TableError

pytestmark = pytest.mark.job

ROWS = '[[1, "2020-01-01 00:10:00"], [2, "2020-01-01 01:10:00"], [3, "2020-01-01 02:10:00"]]'


class Listed(PartitionCommitPolicy):
    """Writes down which partitions are complete."""

    def commit(self, context):
        with open(f"{context.partition_path()}/_values", "w") as file:  # noqa: PTH123 - a path of fsspec's
            file.write(",".join(context.partition_values()))


def tables(t_env, folder, **options):
    t_env.execute_sql(
        "CREATE TABLE orders (id INT, at TIMESTAMP(3), WATERMARK FOR at AS at) "
        f"WITH ('connector' = 'values', 'data' = '{ROWS}')"
    )
    given = {"connector": "filesystem", "format": "csv", "path": str(folder / "out"), **options}
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in given.items())
    t_env.execute_sql(
        f"CREATE TABLE files (id INT, `day` STRING, `hour` STRING) PARTITIONED BY (`day`, `hour`) WITH ({listed})"
    )


INSERT = "INSERT INTO files SELECT id, DATE_FORMAT(at, 'yyyy-MM-dd'), DATE_FORMAT(at, 'HH') FROM orders"
COMMIT = {
    "sink.partition-commit.trigger": "partition-time",
    "sink.partition-commit.delay": "1 h",
    "sink.partition-commit.policy.kind": "success-file",
    "partition.time-extractor.timestamp-pattern": "$day $hour:00:00",
}


def test_partitions_are_committed_and_read_back(t_env, tmp_path):
    own = {
        "sink.partition-commit.policy.kind": "success-file, custom",
        "sink.partition-commit.policy.class": f"{__name__}.Listed",
        "sink.partition-commit.success-file.name": "_OK",
    }
    tables(t_env, tmp_path, **{**COMMIT, **own})
    t_env.execute_sql(INSERT).wait()
    assert sorted(path.parent.name for path in (tmp_path / "out").rglob("_OK")) == ["hour=00", "hour=01", "hour=02"]
    values = sorted(path.read_text() for path in (tmp_path / "out").rglob("_values"))
    assert values == [f"2020-01-01,0{hour}" for hour in range(3)]
    with t_env.execute_sql("SELECT id, `hour` FROM files").collect() as rows:
        assert sorted(tuple(row) for row in rows) == [(1, "00"), (2, "01"), (3, "02")]


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("sink.partition-commit.trigger", "at-noon", "process-time or partition-time"),
        ("sink.partition-commit.policy.kind", "metastore", "there is no metastore"),
        ("sink.partition-commit.delay", "soon", "'soon'"),
        ("partition.time-extractor.kind", "own", "default or custom"),
    ],
)
def test_mistakes_are_told(t_env, tmp_path, key, value, problem):
    tables(t_env, tmp_path, **{**COMMIT, key: value})
    with pytest.raises(TableError, match=problem):
        t_env.execute_sql(INSERT)


def test_a_policy_that_is_no_class_is_told(t_env, tmp_path):
    own = {"sink.partition-commit.policy.kind": "custom", "sink.partition-commit.policy.class": "nowhere.Policy"}
    tables(t_env, tmp_path, **{**COMMIT, **own})
    with pytest.raises(TableError, match="is no class of Python"):
        t_env.execute_sql(INSERT)
