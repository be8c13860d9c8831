"""Runs MATCH_RECOGNIZE queries of Flink SQL, all over the same events: ``match_recognize.py questions answers``."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment


def main(questions: Path, answers: Path) -> None:
    asked = json.loads(questions.read_text())
    tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    tables.get_config().set("parallelism.default", "1")
    with tempfile.TemporaryDirectory() as folder:
        rows = "".join(f"{key},{number},{letter}\n" for key, number, letter in asked["events"])
        (Path(folder) / "events.csv").write_text(rows)
        tables.execute_sql(f"""
            CREATE TABLE events (
                k INT, n INT, letter STRING,
                ts AS TO_TIMESTAMP_LTZ(CAST(n AS BIGINT) * 1000, 3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
            ) WITH ('connector' = 'filesystem', 'path' = 'file://{folder}', 'format' = 'csv')""")
        told = {name: matches(tables, **query) for name, query in asked["queries"].items()}
    answers.write_text(json.dumps(told))


def matches(tables, pattern: str, skip: str) -> list[list]:
    query = f"""
        SELECT k, a, b1, b2, bs, c FROM events MATCH_RECOGNIZE (
            PARTITION BY k ORDER BY ts
            MEASURES A.n AS a, FIRST(B.n) AS b1, LAST(B.n) AS b2, COUNT(B.n) AS bs, C.n AS c
            ONE ROW PER MATCH AFTER MATCH {skip} PATTERN {pattern}
            DEFINE A AS A.letter = 'a', B AS B.letter = 'b', C AS C.letter IN ('c', 'b')
        )"""  # noqa: S608 - our own words
    with tables.execute_sql(query).collect() as rows:
        return [list(row) for row in rows]


main(Path(sys.argv[1]), Path(sys.argv[2]))
