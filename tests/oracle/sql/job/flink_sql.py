"""Runs statements and queries of Flink SQL in one process: ``flink_sql.py questions answers``."""

from __future__ import annotations

import json
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path
from threading import Timer

from pyflink.table import EnvironmentSettings, TableEnvironment

SECONDS = 120
"""How long a query may take."""


def main(questions: Path, answers: Path) -> None:
    asked = json.loads(questions.read_text())
    tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    tables.get_config().set("parallelism.default", "1")
    tables.get_config().set("table.local-time-zone", "UTC")
    for statement in asked["statements"]:
        tables.execute_sql(statement)
    told = {name: answer(tables, query, asked["keys"].get(name)) for name, query in asked["queries"].items()}
    answers.write_text(json.dumps(told))


def answer(tables, query: str, key: int | None) -> dict:
    try:
        result = tables.execute_sql(query)
        late = Timer(SECONDS, lambda: result.get_job_client().cancel())
        late.start()
        try:
            if query.startswith("INSERT"):
                result.wait()
                return {"rows": []}
            with result.collect() as changes:
                return {"rows": final_rows(changes) if key is None else last_rows(changes, key)}
        finally:
            late.cancel()
    except Exception as error:  # noqa: BLE001 - what Flink can't run is an answer
        return {"error": " ".join(str(error).split())}


def final_rows(changes) -> list[str]:
    """Return the rows that all changes leave, as JSON, sorted."""
    left: Counter[str] = Counter()
    for change in changes:
        row = json.dumps([plain(value) for value in change])
        left[row] += 1 if change.get_row_kind().name in {"INSERT", "UPDATE_AFTER"} else -1
    return sorted((+left).elements())


def last_rows(changes, key: int) -> list[str]:
    """Return the last row of each key, as JSON, sorted."""
    rows = ([plain(value) for value in change] for change in changes)
    return sorted({tuple(row[:key]): json.dumps(row) for row in rows}.values())


def plain(value):
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
